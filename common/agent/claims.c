/*
 * claims.json, the record of who has claimed what.
 *
 * The file is replaced whole under a lock of its own (claims.json.lock), which
 * is taken after the list's where both are held.  It is not synced: after a
 * power cut all processes that it names are gone.
 */
#include "agent/claims.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "agent/claim-part.h"
#include "os/os.h"
#include "sys/file.h"
#include "json/json-fields.h"

#define LEDGER "claims.json"

#define FIELD(key, kind, member) JSON_FIELD(key, kind, struct claim, member)

static const struct json_field fields[] = {
	FIELD("task", FIELD_STRING, task),
	FIELD("agent_id", FIELD_STRING, agent_id),
	FIELD("agent_type", FIELD_STRING, agent_type),
	FIELD("name", FIELD_STRING, name),
	FIELD("session", FIELD_STRING, session),
	FIELD("client", FIELD_STRING, client),
	FIELD("owner", FIELD_STRING, owner),
	FIELD("tool_use_id", FIELD_STRING, tool_use_id),
	FIELD("transcript", FIELD_STRING, transcript),
	FIELD("pid", FIELD_INT, pid),
	FIELD("pid_start", FIELD_INT, pid_start),
	FIELD("space", FIELD_STRING, space),
	FIELD("time_ms", FIELD_INT, time_ms),
	FIELD("settled", FIELD_BOOL, settled),
	FIELD("gate_hash", FIELD_STRING, gate_file_hash),
	FIELD("head", FIELD_STRING, head),
	FIELD("root", FIELD_STRING, root),
	JSON_FIELDS_END,
};

void
claims_free(struct claims *claims)
{
	size_t i;

	for (i = 0; i < claims->count; i++)
		json_fields_free(&claims->item[i], fields);
	free(claims->item);
	file_unmark(&claims->mark);
	claims_unlock(claims);
	memset(claims, 0, sizeof(*claims));
}

/* All but the lock. */
static void
move_items(struct claims *to, struct claims *from)
{
	to->item = from->item;
	to->count = from->count;
	to->mark = from->mark;
	from->item = NULL;
	from->count = 0;
	from->mark = (struct file_mark){ 0 };
}

void
claims_move(struct claims *to, struct claims *from)
{
	claims_free(to);
	move_items(to, from);
	claims_free(from);
}

void
claims_drop(struct claims *claims, size_t index)
{
	json_fields_free(&claims->item[index], fields);
	claims->count--;
	memmove(&claims->item[index], &claims->item[index + 1],
	    (claims->count - index) * sizeof(claims->item[0]));
}

struct claim *
claims_add(struct claims *claims)
{
	struct claim *c;

	claims->item = mem_more(claims->item, claims->count, sizeof(claims->item[0]));
	c = &claims->item[claims->count++];
	memset(c, 0, sizeof(*c));
	return c;
}

const struct claim *
claims_find(const struct claims *claims, const char *task)
{
	size_t i;

	for (i = 0; i < claims->count; i++)
		if (strcmp(claims->item[i].task, task) == 0)
			return &claims->item[i];
	return NULL;
}

/* Written before the last boot, so every process in it is gone. */
static bool
from_before(const struct list *list)
{
	struct error ignored;
	struct stat st;

	return fstatat(list_state(list, false, &ignored), LEDGER, &st, AT_SYMLINK_NOFOLLOW) == 0 &&
	       (int64_t)st.st_mtim.tv_sec < os_boot_s();
}

static void
read_claim(struct claims *claims, const struct json *j, json_ref ref)
{
	json_fields_read(claims_add(claims), fields, j, ref);
	if (claims->item[claims->count - 1].task == NULL)
		claims_drop(claims, claims->count - 1);
}

static int
ledger_parse(
    const struct list *list, const struct buf *text, struct claims *claims, struct error *err)
{
	struct json j = { 0 };
	json_ref array;
	int rc = json_parse(&j, buf_text(text), text->len, err);

	array = rc == 0 ? json_member(&j, JSON_ROOT, "claims") : JSON_ABSENT;
	if (rc == 0 && json_kind(&j, array) != JSON_ARRAY)
		rc = error_set(err, ERROR_INPUT, "it has no array 'claims'");
	JSON_EACH (&j, rc == 0 ? array : JSON_ABSENT, ref)
		read_claim(claims, &j, ref);
	json_free(&j);
	if (rc == -1 && from_before(list))
		rc = 0;
	else if (rc == -1)
		error_prefix(
		    err, "the record of claims, %s, is damaged (remove the file to go on)", LEDGER);
	return rc;
}

static int
ledger_read(const struct list *list, struct claims *claims, struct error *err)
{
	struct buf text = { 0 };
	int rc = list_state_read_mark(list, LEDGER, &text, &claims->mark, err);

	if (rc == 1)
		rc = ledger_parse(list, &text, claims, err);
	if (rc == -1)
		file_unmark(&claims->mark);
	buf_free(&text);
	return rc;
}

int
claims_load(const struct list *list, struct claims *claims, struct error *err)
{
	memset(claims, 0, sizeof(*claims));
	return ledger_read(list, claims, err);
}

struct json_object *
claims_print(const struct claim *c)
{
	struct json_object *o = out_object();

	json_fields_write(o, c, fields);
	return o;
}

int
claims_parse(struct claims *claims, const char *text, struct error *err)
{
	struct json j = { 0 };
	int rc = json_parse(&j, text, strlen(text), err);

	if (rc == 0)
		read_claim(claims, &j, JSON_ROOT);
	json_free(&j);
	return rc;
}

int
claims_save(struct claims *claims, struct error *err)
{
	struct json_object *root, *array;
	struct buf text = { 0 };
	size_t i;
	int rc, fd = list_state(claims->list, true, err);

	file_unmark(&claims->mark);
	if (fd == -1)
		return -1;
	if (claims->count == 0) {
		if (unlinkat(fd, LEDGER, 0) == -1 && errno != ENOENT)
			return error_sys(err, "cannot remove %s", LEDGER);
		claims->mark.set = true;
		return 0;
	}
	root = out_object();
	array = out_add(root, "claims", out_array());
	for (i = 0; i < claims->count; i++)
		out_push(array, claims_print(&claims->item[i]));
	out_pretty(&text, root);
	rc = file_write(fd, LEDGER, text.data, text.len, 0600, DURABILITY_OFF, err);
	if (rc == 0)
		file_mark(&claims->mark, fd, LEDGER);
	buf_free(&text);
	return rc;
}

int
claims_lock(const struct list *list, struct claims *claims, struct claims *known,
    struct deadline deadline, struct error *err)
{
	int rc = 0, fd = list_state(list, true, err);

	*claims = (struct claims){ .list = list, .lock = LOCK_INIT };
	if (fd == -1 || lock_own(&claims->lock, fd, LEDGER ".lock", deadline, err) == -1)
		return -1;
	claims->locked = true;
	if (known != NULL && file_marked(&known->mark, fd, LEDGER))
		move_items(claims, known);
	else
		rc = ledger_read(list, claims, err);
	if (rc == -1)
		claims_free(claims);
	return rc;
}

void
claims_unlock(struct claims *claims)
{
	if (claims->locked)
		lock_release(&claims->lock);
	claims->locked = false;
}

int
claims_forget(const struct list *list, const struct strings *tasks, struct deadline deadline,
    struct error *err)
{
	struct claims known, claims;
	const struct claim *c;
	bool any = false;
	int count = 0;

	/* Do not create a state directory for a list without one. */
	if (claims_load(list, &known, err) == -1)
		return -1;
	for (size_t i = 0; i < tasks->count; i++)
		any |= claims_find(&known, tasks->item[i]) != NULL;
	if (any && claims_lock(list, &claims, &known, deadline, err) == -1)
		count = -1;
	else if (any) {
		for (size_t i = 0; i < tasks->count; i++)
			if ((c = claims_find(&claims, tasks->item[i])) != NULL) {
				claims_drop(&claims, (size_t)(c - claims.item));
				count++;
			}
		if (count > 0 && claims_save(&claims, err) == -1)
			count = -1;
		claims_free(&claims);
	}
	claims_free(&known);
	return count;
}
