/*
 * The table of keys, and the defaults.
 */
#include "config/config.h"

#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "config/config-part.h"

#define AT(member) offsetof(struct config, member)
#define DAY 86400
#define MIRRORS_MAX 20
#define MIRROR_MS 30000

static const char levels[][CONFIG_WORD] = { "off", "warn", "refuse", "" };
static const char faults[][CONFIG_WORD] = { "allow", "refuse", "" };
static const char durabilities[][CONFIG_WORD] = { "off", "file", "full", "" };
static const char turn_ends[][CONFIG_WORD] = { "ignore", "nudge", "" };
static const char unfinished[][CONFIG_WORD] = { "release", "block", "keep", "" };

/* The last argument of a setting says which value is stricter, ORDER_ without the prefix: what
 * loosens counts in a project's file only once that is trusted. */
#define CHOICE(key, member, names, rank)                                                      \
	{                                                                                     \
		.name = key, .kind = KEY_CHOICE, .order = ORDER_##rank, .offset = AT(member), \
		.choices = (names)                                                            \
	}
#define LEVEL(key, member) CHOICE(key, member, levels, MORE)
#define OBJECT(key, table)                                     \
	{                                                      \
		.name = key, .kind = KEY_OBJECT, .keys = table \
	}
#define OTHER(key, member, fn)                                                     \
	{                                                                          \
		.name = key, .kind = KEY_OTHER, .offset = AT(member), .read = (fn) \
	}
#define PLAIN(key, member, type, rank)                                                 \
	{                                                                              \
		.name = key, .kind = type, .order = ORDER_##rank, .offset = AT(member) \
	}
#define NUMBER(key, member, type, least, most, rank)                                    \
	{                                                                               \
		.name = key, .kind = type, .order = ORDER_##rank, .offset = AT(member), \
		.min = (least), .max = (most)                                           \
	}
#define END                \
	{                  \
		.name = "" \
	}

/* One command of "sync": run, name, timeout. */
static int
sync_run(struct config_reader *r, json_ref ref, void *target)
{
	struct config_mirror *s = target;
	char *shell = NULL;
	int rc = config_read_command(r, ref, &s->argv, &shell);

	free(shell);
	return rc;
}

static const struct config_key sync_keys[] = {
	{ .name = "name", .kind = KEY_STRING, .offset = offsetof(struct config_mirror, name) },
	{ .name = "run", .kind = KEY_OTHER, .offset = 0, .read = sync_run },
	{ .name = "timeout",
	    .kind = KEY_SECONDS,
	    .offset = offsetof(struct config_mirror, timeout_ms),
	    .max = 3600 },
	END
};

static int
read_sync(struct config_reader *r, json_ref ref, void *target)
{
	struct config *c = target;
	size_t i = 0;

	if (json_kind(&r->json, ref) != JSON_ARRAY || json_count(&r->json, ref) > MIRRORS_MAX)
		return config_read_wrong(r, ref, "an array of at most 20 commands");
	for (json_ref at = json_first(&r->json, ref); at != JSON_ABSENT;
	     at = json_next(&r->json, ref, at), i++) {
		size_t mark = config_read_enter_index(r, i);
		struct config_mirror *s;
		enum json_kind kind = json_kind(&r->json, at);

		c->mirror = mem_more(c->mirror, c->mirror_count, sizeof(*c->mirror));
		s = &c->mirror[c->mirror_count++];
		*s = (struct config_mirror){ .timeout_ms = MIRROR_MS, .project = r->project };
		if (kind == JSON_OBJECT ? config_read_object(r, at, sync_keys, s) == -1
					: sync_run(r, at, s) == -1)
			return -1;
		if (s->argv.count == 0)
			return config_read_error(r, at, "%s has no 'run'", buf_text(&r->path));
		if (s->name == NULL)
			s->name = mem_string(s->argv.item[s->argv.count - 1]);
		config_read_leave(r, mark);
	}
	return 0;
}

static int
read_allow(struct config_reader *r, json_ref ref, void *target)
{
	struct config *c = target;

	if (config_read_strings(r, ref, &c->verify.allow) == -1)
		return -1;
	/* "*" as the program would permit every program. */
	for (size_t i = 0; i < c->verify.allow.count; i++) {
		const char *word = c->verify.allow.item[i] + strspn(c->verify.allow.item[i], " \t");

		if (strcspn(word, "*?[") < strcspn(word, " \t"))
			return config_read_error(r, ref,
			    "%s: '%s' must name its program, not a pattern", buf_text(&r->path),
			    c->verify.allow.item[i]);
	}
	return 0;
}

static const struct config_key fault_keys[] = {
	CHOICE("verify", on_fault.verify, faults, MORE),
	CHOICE("pretooluse", on_fault.pretooluse, faults, MORE),
	CHOICE("stop", on_fault.stop, faults, MORE),
	END,
};

static const struct config_key rule_keys[] = {
	LEVEL("blocked", rules.blocked),
	LEVEL("claimed", rules.claimed),
	LEVEL("resolved", rules.resolved),
	LEVEL("busy", rules.busy),
	LEVEL("agent_type", rules.agent_type),
	LEVEL("complete", rules.complete),
	LEVEL("delete", rules.delete),
	LEVEL("steal", rules.steal),
	LEVEL("cycle", rules.cycle),
	LEVEL("unknown_dependency", rules.unknown_dependency),
	LEVEL("empty", rules.empty),
	LEVEL("duplicates", rules.duplicates),
	LEVEL("spawn", rules.spawn),
	LEVEL("todo", rules.todo),
	END,
};

static const struct config_key create_keys[] = {
	PLAIN("subject_pattern", create.subject_pattern, KEY_PATTERN, NONE),
	PLAIN("required_metadata", create.required_metadata, KEY_STRINGS, ALL),
	NUMBER("max_open", create.max_open, KEY_COUNT, 0, 1000000, LIMIT),
	END,
};

static const struct config_key todo_keys[] = {
	PLAIN("one_in_progress", todo.one_in_progress, KEY_BOOL, MORE),
	END,
};

static const struct config_key verify_keys[] = {
	LEVEL("blockers", verify.blockers),
	LEVEL("subtasks", verify.subtasks),
	LEVEL("checklist", verify.checklist),
	LEVEL("owner", verify.owner),
	PLAIN("metadata", verify.metadata, KEY_STRINGS, ALL),
	CHOICE("turn_end", verify.turn_end, turn_ends, MORE),
	NUMBER("nudges", verify.nudges, KEY_COUNT, 0, 6, MORE),
	NUMBER("attempts", verify.attempts, KEY_COUNT, 0, 1000, NONE),
	NUMBER("parallel", verify.parallel, KEY_COUNT, 1, 64, NONE),
	PLAIN("cache", verify.cache, KEY_BOOL, LESS),
	NUMBER("ttl", verify.ttl_ms, KEY_SECONDS, 0, 365 * DAY, LESS),
	{ .name = "allow", .kind = KEY_OTHER, .offset = 0, .read = read_allow },
	END,
};

static const struct config_key stop_keys[] = {
	CHOICE("unfinished", stop.unfinished, unfinished, NONE),
	NUMBER("max_blocks", stop.max_blocks, KEY_COUNT, 0, 6, NONE),
	END,
};

static const struct config_key idle_keys[] = {
	PLAIN("suggest", idle.suggest, KEY_BOOL, NONE),
	END,
};

const struct config_key config_keys[] = {
	{ .name = "$schema", .kind = KEY_IGNORED },
	OBJECT("on_fault", fault_keys),
	PLAIN("name", name, KEY_STRING, NONE),
	NUMBER("lock_timeout", lock_timeout_ms, KEY_SECONDS, 0, 60, NONE),
	NUMBER("deadline", deadline_ms, KEY_SECONDS, 1, DAY, LESS),
	CHOICE("durability", durability, durabilities, NONE),
	OBJECT("rules", rule_keys),
	OBJECT("create", create_keys),
	OBJECT("todo", todo_keys),
	OBJECT("verify", verify_keys),
	OBJECT("stop", stop_keys),
	OBJECT("idle", idle_keys),
	{ .name = "sync", .kind = KEY_OTHER, .offset = 0, .read = read_sync },
	OTHER("gates", gates, config_gates_read),
	END,
};

enum config_level
config_check_level(const struct config *c, enum gate_check check)
{
	switch (check) {
	case CHECK_OWNER:
		return c->verify.owner;
	case CHECK_BLOCKERS:
		return c->verify.blockers;
	case CHECK_SUBTASKS:
		return c->verify.subtasks;
	case CHECK_CHECKLIST:
		return c->verify.checklist;
	case CHECK_METADATA:
		return c->verify.metadata.count > 0 ? LEVEL_REFUSE : LEVEL_OFF;
	case CHECK_NONE:
	case CHECK_COMMITTED:
		break;
	}
	return LEVEL_OFF;
}

void
config_default(struct config *c)
{
	*c = (struct config){
		.on_fault = { FAULT_REFUSE, FAULT_ALLOW, FAULT_ALLOW },
		.lock_timeout_ms = 2500,
		.deadline_ms = 540000, /* below the client's 600 s */
		.durability = DURABILITY_FILE,
		.rules = {
			.blocked = LEVEL_REFUSE,
			.claimed = LEVEL_REFUSE,
			.resolved = LEVEL_REFUSE,
			.busy = LEVEL_OFF,
			.agent_type = LEVEL_WARN,
			.complete = LEVEL_REFUSE,
			.delete = LEVEL_REFUSE,
			.steal = LEVEL_REFUSE,
			.cycle = LEVEL_REFUSE,
			.unknown_dependency = LEVEL_REFUSE,
			.empty = LEVEL_REFUSE,
			.duplicates = LEVEL_WARN,
			.spawn = LEVEL_REFUSE,
			.todo = LEVEL_REFUSE,
		},
		.verify = {
			.blockers = LEVEL_REFUSE,
			.subtasks = LEVEL_REFUSE,
			.checklist = LEVEL_REFUSE,
			.owner = LEVEL_REFUSE,
			.nudges = 1,
			.attempts = 3,
			.parallel = 2,
			.cache = true,
			.ttl_ms = (int64_t)DAY * 1000,
		},
		.stop = { .unfinished = UNFINISHED_RELEASE, .max_blocks = 1 },
		.idle = { .suggest = true },
	};
}

static void
file_free(struct config_file *f)
{
	free(f->path); /* NOLINT: the analyzer forgets what config_default() assigns */
	free(f->root);
	buf_free(&f->text);
	*f = (struct config_file){ 0 };
}

void
config_free(struct config *c)
{
	file_free(&c->user);
	file_free(&c->project);
	free(c->name);
	free(c->create.subject_pattern);
	strings_free(&c->create.required_metadata);
	strings_free(&c->verify.metadata);
	strings_free(&c->verify.allow);
	for (size_t i = 0; i < c->mirror_count; i++) {
		free(c->mirror[i].name);
		strings_free(&c->mirror[i].argv);
	}
	free(c->mirror);
	gates_free(&c->gates);
	strings_free(&c->loosened);
	*c = (struct config){ 0 };
}

/* Comments are blanked in a copy, because the hash is of the bytes on disk. */
static int
config_text(struct config *c, const char *path, const char *root, bool project, const char *text,
    size_t len, bool *commands, struct error *e)
{
	struct config_reader r = { .file = path, .root = root, .project = project, .error = e };
	struct buf blanked = { 0 };
	struct error why;
	int rc = -1;

	buf_add(&blanked, text, len);
	config_blank_comments(&blanked);
	if (json_parse(&r.json, buf_text(&blanked), blanked.len, &why) == -1) {
		size_t line = config_read_line(&r, r.json.error_at);

		error_set(e, ERROR_INPUT, "'%s' line %zu is not JSON: %s", path, line, why.text);
		goto out;
	}
	if (config_read_object(&r, JSON_ROOT, config_keys, c) == -1)
		goto out;
	*commands = json_count(&r.json, json_member(&r.json, JSON_ROOT, "gates")) > 0 ||
		    json_count(&r.json, json_member(&r.json, JSON_ROOT, "sync")) > 0 ||
		    json_kind(&r.json,
			json_member(&r.json, json_member(&r.json, JSON_ROOT, "verify"), "allow")) !=
			JSON_NONE;
	rc = 0;
out:
	json_free(&r.json);
	buf_free(&r.path);
	buf_free(&blanked);
	return rc;
}

int
config_parse(struct config *c, const char *path, const char *text, size_t len, struct error *e)
{
	config_default(c);
	c->project.path = mem_string(path);
	hash_text(text, len, c->project.hash);
	if (config_text(c, path, "/", true, text, len, &c->project.commands, e) == 0 &&
	    gates_check(&c->gates, e) == 0)
		return 0;
	config_free(c);
	config_default(c);
	return -1;
}

int
config_check(const char *path, const char *text, size_t len, struct error *e)
{
	struct config c;
	int rc = config_parse(&c, path, text, len, e);

	config_free(&c);
	return rc;
}

int
config_load_file(struct config *c, struct config_file *f, const char *path, const char *root,
    bool project, struct error *e)
{
	int rc = file_read_path(path, FILE_MAX, &f->text, e);

	if (rc != 1)
		return rc;
	f->path = mem_string(path);
	f->root = mem_string(root);
	hash_text(buf_text(&f->text), f->text.len, f->hash);
	return config_text(
		   c, path, root, project, buf_text(&f->text), f->text.len, &f->commands, e) == -1
		   ? -1
		   : 1;
}
