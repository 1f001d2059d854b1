/*
 * tool-store: operations of the store, from lines of JSON on standard input.
 *
 *	tool-store DIR [sync]
 *
 *	{"op":"update","id":"3","change":{"status":"completed","metadata":{"a":null}}}
 *	{"op":"batch","ops":[{"op":"update",...},{"op":"delete","id":"4"}]}	all or nothing
 *
 * It prints one line of JSON for each: {"rc":1}, {"rc":0,"id":"4"},
 * {"rc":-1,"kind":5,"error":"..."}.
 */
#include <err.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "form/convert.h"
#include "list/graph.h"
#include "store-one.h"
#include "json/out.h"

static struct store store = STORE_INIT;

struct input {
	struct change change;
	char *text[8];
	struct strings ids[4];
};

static void
input_read(struct input *in, const struct json *j, json_ref change)
{
	json_ref metadata = json_member(j, change, "metadata");
	struct change *c = &in->change;
	const char *raw;
	size_t len;
	char *status;

	memset(in, 0, sizeof(*in));
	status = json_member_string(j, change, "status");
	c->status = task_status_parse(status);
	free(status);
	c->subject = in->text[0] = json_member_string(j, change, "subject");
	c->description = in->text[1] = json_member_string(j, change, "description");
	c->active_form = in->text[2] = json_member_string(j, change, "activeForm");
	c->owner = in->text[3] = json_member_string(j, change, "owner");
	c->parent = in->text[4] = json_member_string(j, change, "parent");
	if (metadata != JSON_ABSENT) {
		raw = json_raw(j, metadata, &len);
		c->metadata = in->text[5] = mem_copy(raw, len);
	}
	json_strings(j, json_member(j, change, "addBlocks"), &in->ids[0]);
	json_strings(j, json_member(j, change, "addBlockedBy"), &in->ids[1]);
	json_strings(j, json_member(j, change, "removeBlocks"), &in->ids[2]);
	json_strings(j, json_member(j, change, "removeBlockedBy"), &in->ids[3]);
	c->add_blocks = in->ids[0].count > 0 ? &in->ids[0] : NULL;
	c->add_blocked_by = in->ids[1].count > 0 ? &in->ids[1] : NULL;
	c->remove_blocks = in->ids[2].count > 0 ? &in->ids[2] : NULL;
	c->remove_blocked_by = in->ids[3].count > 0 ? &in->ids[3] : NULL;
}

static void
input_free(struct input *in)
{
	for (size_t i = 0; i < 8; i++)
		free(in->text[i]);
	for (size_t i = 0; i < 4; i++)
		strings_free(&in->ids[i]);
}

static int
add_id(void *arg, const struct task *t)
{
	out_push_string(arg, t->id);
	return 0;
}

static void
add_bad(void *arg, const char *file, const char *reason)
{
	out_string(arg, file, reason);
}

static int
op_list(const char *op, struct json_object *answer, struct error *e)
{
	struct task_set set = { 0 };
	struct strings ids = { 0 };
	int rc = store_load(&store, &set, e);

	if (strcmp(op, "ready") == 0)
		graph_ready(&set, &ids);
	else
		for (size_t i = 0; i < set.count; i++)
			strings_add(&ids, set.item[i].id);
	out_strings(answer, "ids", &ids);
	strings_free(&ids);
	task_set_free(&set);
	return rc;
}

static int
op_export(const char *form, struct json_object *answer, struct error *e)
{
	struct task_set set = { 0 };
	struct convert_report report = { 0 };
	struct buf text = { 0 };
	int rc = store_load(&store, &set, e);

	if (rc == 0)
		rc = convert_print(
		    convert_form_parse(form), &set, clock_wall_ms(), &text, &report, e);
	out_string(answer, "text", buf_text(&text));
	out_strings(answer, "lost", &report.lost);
	convert_report_free(&report);
	task_set_free(&set);
	buf_free(&text);
	return rc;
}

static int
op_batch(const struct json *j, struct error *e)
{
	json_ref list = json_member(j, JSON_ROOT, "ops");
	size_t count = json_count(j, list), n = 0;
	struct store_op *op = mem_alloc((count + 1) * sizeof(*op));
	struct input *in = mem_alloc((count + 1) * sizeof(*in));
	int rc;

	JSON_EACH (j, list, el) {
		char *kind = json_member_string(j, el, "op");

		input_read(&in[n], j, json_member(j, el, "change"));
		in[n].text[7] = json_member_string(j, el, "id");
		op[n] = (struct store_op){ strcmp(kind, "create") == 0   ? STORE_CREATE
					   : strcmp(kind, "update") == 0 ? STORE_UPDATE
									 : STORE_DELETE,
			in[n].text[7], .change = &in[n].change };
		free(kind);
		n++;
	}
	rc = store_apply(&store, op, count, deadline_in(60000), e);
	store_ops_free(op, count);
	for (size_t i = 0; i < count; i++)
		input_free(&in[i]);
	free(op);
	free(in);
	return rc;
}

static int
operate(const char *op, const char *id, const struct json *j, struct json_object *answer,
    struct error *e)
{
	struct deadline deadline = deadline_in(60000);
	struct json_object *extra;
	struct task t = TASK_INIT;
	struct task_set set = { 0 };
	struct input in;
	int rc = -1;

	input_read(&in, j, json_member(j, JSON_ROOT, "change"));
	if (strcmp(op, "create") == 0) {
		rc = store_create(&store, &in.change, NULL, NULL, &t, deadline, e);
		out_string(answer, "id", t.id);
	} else if (strcmp(op, "update") == 0)
		rc = store_update(&store, id, &in.change, NULL, NULL, NULL, &t, deadline, e);
	else if (strcmp(op, "delete") == 0)
		rc = store_delete(&store, id, NULL, NULL, &t, deadline, e);
	else if (strcmp(op, "batch") == 0)
		rc = op_batch(j, e);
	else if (strcmp(op, "get") == 0) {
		rc = store_get(&store, id, &t, e);
		out_string(answer, "status", rc == 1 ? task_status_name(t.status) : NULL);
		out_string(answer, "subject", t.subject);
	} else if (strcmp(op, "list") == 0 || strcmp(op, "ready") == 0)
		rc = op_list(op, answer, e);
	else if (strcmp(op, "scan") == 0) {
		extra = out_array();
		rc = store_scan(&store, id, add_id, extra, e);
		out_add(answer, "ids", extra);
	} else if (strcmp(op, "bad") == 0) {
		extra = out_object();
		rc = store_bad(&store, add_bad, extra, e);
		out_add(answer, "bad", extra);
	} else if (strcmp(op, "layout") == 0)
		rc = (int)store.layout;
	else if (strcmp(op, "export") == 0)
		rc = op_export(id, answer, e);
	else
		error_set(e, ERROR_INPUT, "no operation '%s'", op);
	task_free(&t);
	task_set_free(&set);
	input_free(&in);
	return rc;
}

int
main(int argc, char *argv[])
{
	struct error e = { 0 };
	struct json j = { 0 };
	struct buf text = { 0 };
	char *line = NULL, *op, *id;
	size_t room = 0;
	ssize_t len;
	int rc;

	if (argc < 2 || store_open(&store, argv[1], true, &e) != 1)
		errx(1, "%s", argc < 2 ? "usage: tool-store DIR [sync]" : e.text);
	if (argc < 3)
		store.durability = DURABILITY_OFF;
	while ((len = getline(&line, &room, stdin)) > 0) {
		struct json_object *answer = out_object();

		e = (struct error){ 0 };
		rc = json_parse(&j, line, (size_t)len, &e);
		op = json_member_string(&j, JSON_ROOT, "op");
		id = json_member_string(&j, JSON_ROOT, "id");
		if (rc == 0 && op != NULL)
			rc = operate(op, id, &j, answer, &e);
		out_int(answer, "rc", rc);
		if (rc == -1) {
			out_int(answer, "kind", e.kind);
			out_string(answer, "error", e.text);
		}
		buf_reset(&text);
		out_text(&text, answer);
		puts(buf_text(&text));
		fflush(stdout);
		free(op);
		free(id);
	}
	free(line);
	json_free(&j);
	buf_free(&text);
	store_close(&store);
	return 0;
}
