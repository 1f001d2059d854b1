/*
 * The key "gates" of the configuration.
 */
#include <ctype.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "config/config-part.h"
#include "config/gate.h"

#define GATES_MAX 200
#define TIMEOUT_MAX 86400 /* seconds */
#define RETRIES_MAX 10
#define NAME_MAX_LEN 64

static int
read_run(struct config_reader *r, json_ref ref, void *target)
{
	struct gate *g = target;

	return config_read_command(r, ref, &g->argv, &g->shell);
}

static bool
variable_name(const char *s)
{
	if (!isalpha((unsigned char)*s) && *s != '_')
		return false;
	while (isalnum((unsigned char)*s) || *s == '_')
		s++;
	return *s == '\0';
}

static int
read_env(struct config_reader *r, json_ref ref, void *target)
{
	struct strings *env = target;

	if (json_kind(&r->json, ref) != JSON_OBJECT)
		return config_read_wrong(r, ref, "an object of names and texts");
	JSON_EACH (&r->json, ref, at) {
		char *key = json_key(&r->json, at), *value = NULL;
		size_t mark = config_read_enter(r, key), len = 0;
		int rc = 0;

		if (!variable_name(key))
			rc = config_read_error(
			    r, at, "%s is not the name of a variable", buf_text(&r->path));
		else if ((value = json_string_len(&r->json, at, &len)) == NULL ||
			 strlen(value) != len)
			rc = config_read_wrong(r, at, "a text");
		else
			strings_take(env, mem_printf("%s=%s", key, value));
		free(key);
		free(value);
		if (rc == -1)
			return -1;
		config_read_leave(r, mark);
	}
	return 0;
}

static int
read_pass(struct config_reader *r, json_ref ref, void *target)
{
	struct strings *pass = target;

	if (config_read_strings(r, ref, pass) == -1)
		return -1;
	for (size_t i = 0; i < pass->count; i++)
		if (!variable_name(pass->item[i]))
			return config_read_error(r, ref, "%s: '%s' is not the name of a variable",
			    buf_text(&r->path), pass->item[i]);
	return 0;
}

static int
read_equals(struct config_reader *r, json_ref ref, void *target)
{
	struct gate_when *w = target;

	if (json_kind(&r->json, ref) != JSON_OBJECT)
		return config_read_wrong(r, ref, "an object of metadata keys and values");
	JSON_EACH (&r->json, ref, at) {
		struct gate_pair *pair;

		w->equals = mem_more(w->equals, w->equals_count, sizeof(*w->equals));
		pair = &w->equals[w->equals_count++];
		pair->key = json_key(&r->json, at);
		pair->value = json_raw_copy(&r->json, at);
	}
	return 0;
}

static int
read_on(struct config_reader *r, json_ref ref, void *target)
{
	static const char *const names[] = { "complete", "stop", "ci" };
	struct strings words = { 0 };
	unsigned *on = target;
	int rc;

	*on = 0;
	rc = config_read_strings(r, ref, &words);
	if (rc == 0 && words.count == 0)
		rc = config_read_wrong(r, ref, "at least one of \"complete\", \"stop\", \"ci\"");
	for (size_t i = 0; rc == 0 && i < words.count; i++) {
		size_t n = 0;

		while (n < 3 && strcmp(words.item[i], names[n]) != 0)
			n++;
		if (n == 3)
			rc = config_read_wrong(r, ref, "of \"complete\", \"stop\" and \"ci\"");
		else
			*on |= 1u << n;
	}
	strings_free(&words);
	return rc;
}

static const char severities[][CONFIG_WORD] = { "block", "warn", "" };
static const char ats[][CONFIG_WORD] = { "root", "event", "" };

#define WHEN(member) offsetof(struct gate, when.member)
#define AT(member) offsetof(struct gate, member)

static const struct config_key metadata_keys[] = {
	{ .name = "equals", .kind = KEY_OTHER, .offset = AT(when), .read = read_equals },
	{ .name = "has", .kind = KEY_STRINGS, .offset = WHEN(has) },
	{ .name = "" },
};

static const struct config_key when_keys[] = {
	{ .name = "subject", .kind = KEY_PATTERN, .offset = WHEN(subject) },
	{ .name = "description", .kind = KEY_PATTERN, .offset = WHEN(description) },
	{ .name = "owner", .kind = KEY_STRINGS, .offset = WHEN(owner) },
	{ .name = "teammate", .kind = KEY_STRINGS, .offset = WHEN(teammate) },
	{ .name = "agent_type", .kind = KEY_STRINGS, .offset = WHEN(agent_type) },
	{ .name = "metadata", .kind = KEY_OBJECT, .keys = metadata_keys },
	{ .name = "changed", .kind = KEY_GLOBS, .offset = WHEN(changed) },
	{ .name = "since", .kind = KEY_CHOICE, .offset = WHEN(since), .choices = gate_sinces },
	{ .name = "on", .kind = KEY_OTHER, .offset = WHEN(on), .read = read_on },
	{ .name = "" },
};

static const struct config_key gate_keys[] = {
	{ .name = "name", .kind = KEY_STRING, .offset = AT(name) },
	{ .name = "run", .kind = KEY_OTHER, .offset = 0, .read = read_run },
	{ .name = "check",
	    .kind = KEY_CHOICE,
	    .offset = AT(check),
	    .choices = gate_checks,
	    .min = CHECK_NONE + 1 },
	{ .name = "cwd", .kind = KEY_STRING, .offset = AT(cwd) },
	{ .name = "at", .kind = KEY_CHOICE, .offset = AT(at_event), .choices = ats },
	{ .name = "env", .kind = KEY_OTHER, .offset = AT(env), .read = read_env },
	{ .name = "pass", .kind = KEY_OTHER, .offset = AT(pass), .read = read_pass },
	{ .name = "timeout",
	    .kind = KEY_SECONDS,
	    .offset = AT(timeout_ms),
	    .min = 0,
	    .max = TIMEOUT_MAX },
	{ .name = "severity", .kind = KEY_CHOICE, .offset = AT(warn), .choices = severities },
	{ .name = "fix", .kind = KEY_STRING, .offset = AT(fix) },
	{ .name = "needs", .kind = KEY_STRINGS, .offset = AT(needs) },
	{ .name = "group", .kind = KEY_STRING, .offset = AT(group) },
	{ .name = "retries", .kind = KEY_COUNT, .offset = AT(retries), .max = RETRIES_MAX },
	{ .name = "cache", .kind = KEY_BOOL, .offset = AT(cache) },
	{ .name = "ttl", .kind = KEY_SECONDS, .offset = AT(ttl_ms), .min = 0, .max = 365 * 86400 },
	{ .name = "files", .kind = KEY_GLOBS, .offset = AT(files) },
	{ .name = "inputs", .kind = KEY_GLOBS, .offset = AT(inputs) },
	{ .name = "writes", .kind = KEY_GLOBS, .offset = AT(writes) },
	{ .name = "when", .kind = KEY_OBJECT, .keys = when_keys },
	{ .name = "" },
};

static bool
gate_name_ok(const char *s)
{
	size_t len = strlen(s);

	return len <= NAME_MAX_LEN && isalnum((unsigned char)*s) &&
	       strspn(s, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789 _-.:/+") ==
		   len;
}

static int
read_gate(struct config_reader *r, json_ref ref, struct gate *g)
{
	*g = (struct gate){ .cache = true, .ttl_ms = -1, .project = r->project };
	g->when.on = GATE_COMPLETE | GATE_STOP | GATE_CI;
	g->root = mem_string(r->root);
	if (config_read_object(r, ref, gate_keys, g) == -1)
		return -1;
	if (g->name == NULL)
		return config_read_error(r, ref, "%s has no name", buf_text(&r->path));
	if (!gate_name_ok(g->name))
		return config_read_error(r, ref,
		    "%s.name must begin with a letter or digit and have at most 64 letters, "
		    "digits, blanks and _-.:/+",
		    buf_text(&r->path));
	if ((g->argv.count == 0) == (g->check == CHECK_NONE))
		return config_read_error(
		    r, ref, "%s must have either 'run' or 'check'", buf_text(&r->path));
	if (g->at_event && g->cwd != NULL)
		return config_read_error(r, ref,
		    "%s: 'cwd' is below the root, so \"at\" cannot be \"event\"",
		    buf_text(&r->path));
	return 0;
}

/* Add the gates to those of an earlier file; one of the same name replaces that one. */
int
config_gates_read(struct config_reader *r, json_ref ref, void *target)
{
	struct gates *gs = target, own = { 0 };
	size_t i = 0;
	int rc = -1;

	if (json_kind(&r->json, ref) != JSON_ARRAY)
		return config_read_wrong(r, ref, "an array of gates");
	if (json_count(&r->json, ref) > GATES_MAX)
		return config_read_error(r, ref, "more than %d gates", GATES_MAX);
	for (json_ref at = json_first(&r->json, ref); at != JSON_ABSENT;
	     at = json_next(&r->json, ref, at), i++) {
		struct gate g;
		size_t mark = config_read_enter_index(r, i);

		if (read_gate(r, at, &g) == -1) {
			gate_free(&g);
			goto out;
		}
		if (gates_find(&own, g.name) != NULL) {
			config_read_error(
			    r, at, "%s: there are two gates '%s'", buf_text(&r->path), g.name);
			gate_free(&g);
			goto out;
		}
		own.item = mem_more(own.item, own.count, sizeof(*own.item));
		own.item[own.count++] = g;
		config_read_leave(r, mark);
	}
	for (i = 0; i < own.count; i++) {
		struct gate *same = gates_find(gs, own.item[i].name);

		if (same != NULL)
			gate_free(same);
		else {
			gs->item = mem_more(gs->item, gs->count, sizeof(*gs->item));
			same = &gs->item[gs->count++];
		}
		*same = own.item[i];
		own.item[i] = (struct gate){ 0 };
	}
	rc = 0;
out:
	gates_free(&own);
	return rc;
}
