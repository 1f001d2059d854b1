/*
 * The configuration: accepted and refused texts with their errors, where files
 * are found, and how they are merged.
 */
#include <criterion/criterion.h>
#include <sys/stat.h>

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "config/config.h"
#include "config/trust.h"

static char top[64];

static void
make_top(void)
{
	snprintf(top, sizeof(top), "/tmp/test-config-XXXXXX");
	cr_assert_not_null(mkdtemp(top));
}

static void
remove_top(void)
{
	char command[128];

	snprintf(command, sizeof(command), "rm -rf %s", top);
	cr_expect_eq(system(command), 0);
}

/* Write a file below top, with its directories. */
static char *
put(const char *name, const char *text)
{
	char *path = mem_printf("%s/%s", top, name), *slash;
	FILE *f;

	for (slash = path + strlen(top) + 1; (slash = strchr(slash, '/')) != NULL; slash++) {
		*slash = '\0';
		mkdir(path, 0777);
		*slash = '/';
	}
	cr_assert_not_null(f = fopen(path, "w"), "%s", path);
	fputs(text, f);
	fclose(f);
	return path;
}

static void
make_dir(const char *name)
{
	char *path = put(name, "");

	unlink(path);
	mkdir(path, 0777);
	free(path);
}

static int
load(struct config *c, const char *cwd, const char *file, struct error *e)
{
	char *dir = mem_printf("%s/%s", top, cwd), *user = mem_printf("%s/home", top);
	struct config_query q = { .cwd = dir, .config_dir = user, .file = file };
	int rc = config_load(c, &q, e);

	free(dir);
	free(user);
	return rc;
}

Test(config, defaults)
{
	struct config c;

	config_default(&c);
	cr_expect_eq(c.on_fault.verify, FAULT_REFUSE);
	cr_expect_eq(c.on_fault.pretooluse, FAULT_ALLOW);
	cr_expect_eq(c.on_fault.stop, FAULT_ALLOW);
	cr_expect_lt(c.deadline_ms, 600000, "below the client's timeout");
	cr_expect_lt(c.stop.max_blocks, 8, "below the client's cap");
	cr_expect_eq(c.rules.busy, LEVEL_OFF);
	cr_expect_eq(c.rules.agent_type, LEVEL_WARN);
	cr_expect_eq(c.rules.duplicates, LEVEL_WARN);
	cr_expect_eq(c.gates.count, 0);
	config_free(&c);
}

Test(config, an_invalid_configuration_is_refused_with_its_line)
{
	static const struct {
		const char *text, *want;
	} rows[] = {
		{ "", "is not JSON" },
		{ "[]", "must be an object" },
		{ "{\n\n  'a': 1}", "line 3 is not JSON" },
		{ "{\"gate\": []}", "unknown key 'gate' (did you mean 'gates'?)" },
		{ "{\"zzzzzz\": 1}", "unknown key 'zzzzzz' (known: on_fault" },
		{ "{\"rules\": {\"blokced\": \"off\"}}",
		    "unknown key 'blokced' in rules (did you mean 'blocked'?)" },
		{ "{\n\"name\": 3}", "line 2: name must be a text that is not empty, not 3" },
		{ "{\"name\": \"\"}", "name must be a text" },
		{ "{\"rules\": 1}", "rules must be an object, not 1" },
		{ "{\"rules\": {\"blocked\": \"no\"}}",
		    "rules.blocked must be \"off\", \"warn\" or \"refuse\", not \"no\"" },
		{ "{\"rules\": {\"blocked\": true}}", "not true" },
		{ "{\"deadline\": \"1\"}", "deadline must be a number of seconds from 1 to" },
		{ "{\"deadline\": 0}", "not 0" },
		{ "{\"deadline\": 1e99}", "not 1e99" },
		{ "{\"stop\": {\"max_blocks\": 7}}", "from 0 to 6, not 7" },
		{ "{\"stop\": {\"max_blocks\": 1.5}}", "not 1.5" },
		{ "{\"create\": {\"subject_pattern\": \"(\"}}", "not a regular expression" },
		{ "{\"create\": {\"required_metadata\": [1]}}",
		    "create.required_metadata[0] must be a text" },
		{ "{\"create\": {\"required_metadata\": {}}}", "an array of texts, not an object" },
		{ "{\"todo\": {\"one_in_progress\": 1}}", "must be true or false" },
		{ "{\"name\": \"a\", \"name\": \"b\"}", "name is given twice" },
		{ "{\"gates\": [], \"gates\": []}", "gates is given twice" },
		{ "{\"gates\": {}}", "gates must be an array" },
		{ "{\"gates\": [1]}", "gates[0] must be an object" },
		{ "{\"gates\": [{\"run\": \"x\"}]}", "gates[0] has no name" },
		{ "{\"gates\": [{\"name\": \"a\"}]}",
		    "gates[0] must have either 'run' or 'check'" },
		{ "{\"gates\": [{\"name\": \"a\", \"run\": \"x\", \"check\": \"owner\"}]}",
		    "either 'run' or 'check'" },
		{ "{\"gates\": [{\"name\": \"a/\\n\", \"run\": \"x\"}]}",
		    "gates[0].name must begin" },
		{ "{\"gates\": [{\"name\": \"a\", \"run\": []}]}",
		    "gates[0].run must be a program" },
		{ "{\"gates\": [{\"name\": \"a\", \"run\": [\"\"]}]}", "gates[0].run must be" },
		{ "{\"gates\": [{\"name\": \"a\", \"run\": \"\"}]}", "gates[0].run must be" },
		{ "{\"gates\": [{\"name\": \"a\", \"run\": \"x\\u0000y\"}]}",
		    "gates[0].run must be" },
		{ "{\"gates\": [{\"name\": \"a\", \"check\": \"x\"}]}",
		    "gates[0].check must be \"owner\", \"blockers\"" },
		{ "{\"gates\": [{\"name\": \"a\", \"run\": \"x\"}, {\"name\": \"a\", \"run\": "
		  "\"y\"}]}",
		    "there are two gates 'a'" },
		{ "{\"gates\": [{\"name\": \"a\", \"run\": \"x\", \"needs\": [\"b\"]}]}",
		    "gate 'a' needs 'b', but there is no gate of that name" },
		{ "{\"gates\": [{\"name\": \"a\", \"run\": \"x\", \"needs\": \"b\"},"
		  "{\"name\": \"b\", \"run\": \"x\", \"needs\": \"a\"}]}",
		    "needs itself" },
		{ "{\"gates\": [{\"name\": \"a\", \"run\": \"x\", \"timeout\": -1}]}",
		    "gates[0].timeout must be a number of seconds from 0" },
		{ "{\"gates\": [{\"name\": \"a\", \"run\": \"x\", \"retries\": 11}]}", "0 to 10" },
		{ "{\"gates\": [{\"name\": \"a\", \"run\": \"x\", \"cwd\": \"s\", \"at\": "
		  "\"event\"}]}",
		    "'cwd' is below the root" },
		{ "{\"gates\": [{\"name\": \"a\", \"run\": \"x\", \"severity\": \"low\"}]}",
		    "severity must be \"block\" or \"warn\", not \"low\"" },
		{ "{\"gates\": [{\"name\": \"a\", \"run\": \"x\", \"env\": {\"A-B\": \"1\"}}]}",
		    "gates[0].env.A-B is not the name of a variable" },
		{ "{\"gates\": [{\"name\": \"a\", \"run\": \"x\", \"env\": {\"A\": 1}}]}",
		    "gates[0].env.A must be a text" },
		{ "{\"gates\": [{\"name\": \"a\", \"run\": \"x\", \"pass\": \"a b\"}]}",
		    "'a b' is not the name of a variable" },
		{ "{\"gates\": [{\"name\": \"a\", \"run\": \"x\", \"when\": {\"subjekt\": "
		  "\"x\"}}]}",
		    "unknown key 'subjekt' in gates[0].when (did you mean 'subject'?)" },
		{ "{\"gates\": [{\"name\": \"a\", \"run\": \"x\", \"when\": {\"subject\": "
		  "\"[\"}}]}",
		    "gates[0].when.subject is not a regular expression" },
		{ "{\"gates\": [{\"name\": \"a\", \"run\": \"x\", \"when\": {\"changed\": "
		  "\"a[\"}}]}",
		    "the path pattern 'a[' is malformed" },
		{ "{\"gates\": [{\"name\": \"a\", \"run\": \"x\", \"when\": {\"on\": \"start\"}}]}",
		    "gates[0].when.on must be" },
		{ "{\"gates\": [{\"name\": \"a\", \"run\": \"x\", \"when\": {\"on\": []}}]}",
		    "at least one of" },
		{ "{\"gates\": [{\"name\": \"a\", \"run\": \"x\", \"when\": {\"since\": \"x\"}}]}",
		    "\"claim\" or \"head\"" },
		{ "{\"sync\": [{\"name\": \"x\"}]}", "sync[0] has no 'run'" },
		{ "{\"sync\": \"x\"}", "sync must be an array" },
		{ "{\"verify\": {\"allow\": [\"make\", \"* test\"]}}",
		    "'* test' must name its program" },
		{ "{/* no end", "is not JSON" },
	};
	struct error e;

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		e.text[0] = '\0';
		cr_expect_eq(config_check("/p/x.json", rows[i].text, strlen(rows[i].text), &e), -1,
		    "should be refused: %s", rows[i].text);
		cr_expect(strstr(e.text, rows[i].want) != NULL, "%s\n  said: %s\n  want: %s",
		    rows[i].text, e.text, rows[i].want);
		cr_expect(strstr(e.text, "/p/x.json") != NULL || strstr(e.text, "needs") != NULL,
		    "names the file: %s", e.text);
		cr_expect_eq(e.kind, ERROR_INPUT, "%s", rows[i].text);
	}
}

static const char full[] =
    "// the project's own\n"
    "{\n"
    "  \"$schema\": \"https://example.invalid/x.json\", /* where it is\n described */\n"
    "  \"on_fault\": {\"verify\": \"allow\", \"pretooluse\": \"refuse\", \"stop\": \"refuse\"},\n"
    "  \"name\": \"lead // not a comment\",\n"
    "  \"lock_timeout\": 1.5, \"deadline\": 30, \"durability\": \"full\",\n"
    "  \"rules\": {\"blocked\": \"warn\", \"busy\": \"refuse\", \"duplicates\": \"off\",},\n"
    "  \"create\": {\"subject_pattern\": \"^x\", \"required_metadata\": [\"a\", \"b\"], "
    "\"max_open\": 5},\n"
    "  \"todo\": {\"one_in_progress\": true},\n"
    "  \"verify\": {\"checklist\": \"off\", \"metadata\": \"k\", \"turn_end\": \"nudge\", "
    "\"nudges\": 2,\n"
    "    \"attempts\": 7, \"parallel\": 3, \"cache\": false, \"ttl\": 60, \"allow\": [\"make "
    "*\"]},\n"
    "  \"stop\": {\"unfinished\": \"block\", \"max_blocks\": 2},\n"
    "  \"idle\": {\"suggest\": false},\n"
    "  \"sync\": [[\"a\", \"b\"], \"echo x\", {\"run\": \"y\", \"name\": \"n\", \"timeout\": 5}],\n"
    "  \"gates\": [\n"
    "    {\"name\": \"test\", \"run\": [\"make\", \"a b\", \"\"], \"cwd\": \"sub\", \"env\": "
    "{\"A\": \"1\", \"B_2\": \"\"},\n"
    "     \"pass\": [\"PYTHONPATH\"], \"timeout\": 2.5, \"severity\": \"warn\", \"fix\": \"fix "
    "it\",\n"
    "     \"needs\": \"lint\", \"group\": \"g\", \"retries\": 2, \"cache\": false, \"ttl\": 0,\n"
    "     \"files\": [\"src/**\"], \"writes\": \"out/\",\n"
    "     \"when\": {\"subject\": \"^S\", \"description\": \"D\", \"owner\": \"o*\", \"teammate\": "
    "[\"t\"],\n"
    "       \"agent_type\": \"x\", \"metadata\": {\"equals\": {\"k\": {\"a\": [1]}, \"n\": null}, "
    "\"has\": \"h\"},\n"
    "       \"changed\": [\"a/**\", \"!*.md\"], \"since\": \"head\", \"on\": [\"complete\", "
    "\"ci\"]}},\n"
    "    {\"name\": \"lint\", \"run\": \"l | m\"}, // a comment\n"
    "    {\"name\": \"own\", \"check\": \"checklist\"},\n"
    "  ],\n"
    "}\n";

Test(config, every_key_is_read)
{
	struct config c;
	struct error e = { 0 };
	const struct gate *g;
	struct buf b = { 0 };

	cr_assert_eq(config_parse(&c, "/p/x.json", full, strlen(full), &e), 0, "%s", e.text);
	cr_expect_eq(c.on_fault.verify, FAULT_ALLOW);
	cr_expect_eq(c.on_fault.stop, FAULT_REFUSE);
	cr_expect_str_eq(c.name, "lead // not a comment");
	cr_expect_eq(c.lock_timeout_ms, 1500);
	cr_expect_eq(c.deadline_ms, 30000);
	cr_expect_eq(c.durability, DURABILITY_FULL);
	cr_expect_eq(c.rules.blocked, LEVEL_WARN);
	cr_expect_eq(c.rules.claimed, LEVEL_REFUSE, "other rules keep their default");
	cr_expect_eq(c.rules.busy, LEVEL_REFUSE);
	cr_expect_eq(c.create.required_metadata.count, 2);
	cr_expect_eq(c.create.max_open, 5);
	cr_expect(c.todo.one_in_progress);
	cr_expect_eq(c.verify.checklist, LEVEL_OFF);
	cr_expect_str_eq(c.verify.metadata.item[0], "k");
	cr_expect_eq(c.verify.turn_end, TURN_END_NUDGE);
	cr_expect_eq(c.verify.ttl_ms, 60000);
	cr_expect_not(c.verify.cache);
	cr_expect_eq(c.stop.unfinished, UNFINISHED_BLOCK);
	cr_expect_not(c.idle.suggest);
	cr_expect_eq(c.mirror_count, 3);
	cr_expect_str_eq(c.mirror[0].argv.item[1], "b");
	cr_expect_str_eq(c.mirror[1].argv.item[0], "/bin/sh");
	cr_expect_str_eq(c.mirror[2].name, "n");
	cr_expect_eq(c.mirror[2].timeout_ms, 5000);
	cr_expect(c.project.commands);
	cr_assert_eq(c.gates.count, 3);
	g = &c.gates.item[0];
	cr_expect(g->project && g->warn && !g->cache && g->ttl_ms == 0 && g->retries == 2);
	cr_expect_eq(g->timeout_ms, 2500);
	cr_expect_str_eq(g->env.item[1], "B_2=");
	cr_expect_eq(g->when.on, GATE_COMPLETE | GATE_CI);
	cr_expect(g->when.since == SINCE_HEAD);
	cr_expect_eq(g->when.equals_count, 2);
	cr_expect_str_eq(g->when.equals[0].value, "{\"a\": [1]}");
	gate_command(&b, g);
	cr_expect_str_eq(buf_text(&b), "make 'a b' ''");
	buf_reset(&b);
	gate_command(&b, &c.gates.item[1]);
	cr_expect_str_eq(buf_text(&b), "l | m");
	buf_reset(&b);
	gate_command(&b, &c.gates.item[2]);
	cr_expect_str_eq(buf_text(&b), "built-in check checklist");
	buf_free(&b);
	config_free(&c);
	config_free(&c);
}

Test(config, the_nearest_file_in_the_repository_is_used, .init = make_top, .fini = remove_top)
{
	struct config c;
	struct error e = { 0 };
	char *path, want[128];

	make_dir("p/.git");
	make_dir("p/a/b");
	make_dir("p/sub/.git");
	free(put("p/.claude/task-hooks.json", "{\"name\": \"project\"}"));
	free(put(".claude/task-hooks.json", "{\"name\": \"above the repository\"}"));
	cr_expect_eq(load(&c, "p/a/b", NULL, &e), 0, "%s", e.text);
	cr_expect_str_eq(c.name, "project");
	snprintf(want, sizeof(want), "%s/p", top);
	cr_expect_str_eq(c.project.root, want);
	config_free(&c);
	cr_expect_eq(load(&c, "p/sub", NULL, &e), 0, "%s", e.text);
	cr_expect_null(c.project.path, "files above the root of the repository are not used");
	config_free(&c);
	path = put("p/a/.claude/task-hooks.json", "{\"name\": \"nearer\"}");
	cr_expect_eq(load(&c, "p/a/b", NULL, &e), 0, "%s", e.text);
	cr_expect_str_eq(c.name, "nearer");
	config_free(&c);
	chmod(path, 0);
	if (getuid() != 0) {
		cr_expect_eq(
		    load(&c, "p/a/b", NULL, &e), -1, "a file that cannot be read is an error");
		config_free(&c);
	}
	unlink(path);
	mkdir(path, 0777);
	cr_expect_eq(
	    load(&c, "p/a/b", NULL, &e), -1, "a directory in place of the file is an error");
	config_free(&c);
	free(path);
}

Test(config, user_and_project_files_are_merged, .init = make_top, .fini = remove_top)
{
	struct config c;
	struct error e = { 0 };
	char *given;

	make_dir("p/.git");
	free(put("home/task-hooks.json",
	    "{\"name\": \"user\", \"deadline\": 20, \"rules\": {\"busy\": \"warn\"},"
	    "\"sync\": [\"u\"], \"gates\": [{\"name\": \"a\", \"run\": \"user a\"},"
	    "{\"name\": \"b\", \"run\": \"user b\"}]}"));
	free(put("p/.claude/task-hooks.json",
	    "{\"name\": \"project\", \"rules\": {\"cycle\": \"off\"}, \"sync\": [\"p\"],"
	    "\"gates\": [{\"name\": \"b\", \"run\": \"project b\"}, {\"name\": \"c\", \"run\": "
	    "\"c\","
	    "\"needs\": \"a\"}]}"));
	cr_assert_eq(load(&c, "p", NULL, &e), 0, "%s", e.text);
	cr_expect_str_eq(c.name, "project");
	cr_expect_eq(c.deadline_ms, 20000);
	cr_expect_eq(c.rules.busy, LEVEL_WARN);
	cr_expect_eq(c.rules.cycle, LEVEL_REFUSE, "not looser while it is not trusted");
	cr_expect_eq(c.mirror_count, 2);
	cr_expect(!c.mirror[0].project && c.mirror[1].project);
	cr_assert_eq(c.gates.count, 3);
	cr_expect_str_eq(c.gates.item[0].shell, "user a");
	cr_expect(!c.gates.item[0].project);
	cr_expect_str_eq(c.gates.item[1].shell, "project b");
	cr_expect(c.gates.item[1].project);
	config_free(&c);
	given = put("other.json", "{\"gates\": [{\"name\": \"z\", \"run\": \"z\"}]}");
	cr_assert_eq(load(&c, "p", given, &e), 0, "%s", e.text);
	cr_expect(c.given);
	cr_expect_eq(c.gates.count, 3, "two gates of the user and one of the given file");
	cr_expect(!gates_find(&c.gates, "z")->project, "a given file needs no trust");
	config_free(&c);
	unlink(given);
	cr_expect_eq(load(&c, "p", given, &e), -1, "a given file must exist");
	cr_expect_eq(c.on_fault.verify, FAULT_REFUSE, "a failed load leaves the defaults");
	config_free(&c);
	free(given);
}

Test(config, the_user_file_is_not_a_project_file, .init = make_top, .fini = remove_top)
{
	struct config c;
	struct error e = { 0 };
	char *dir = mem_printf("%s/me/.claude", top), *cwd = mem_printf("%s/me", top);
	struct config_query q = { .cwd = cwd, .config_dir = dir };

	free(put("me/.claude/task-hooks.json", "{\"gates\": [{\"name\": \"a\", \"run\": \"a\"}]}"));
	cr_assert_eq(config_load(&c, &q, &e), 0, "%s", e.text);
	cr_expect_null(c.project.path, "the file of the user is not a file of the project");
	cr_expect(!c.gates.item[0].project);
	config_free(&c);
	free(dir);
	free(cwd);
}

/* What `file` makes of what the user's file says, until it is trusted. */
static void
load_with(struct config *c, const char *user, const char *file)
{
	struct error e = { 0 };

	free(put("home/task-hooks.json", user));
	free(put("p/.claude/task-hooks.json", file));
	cr_assert_eq(load(c, "p", NULL, &e), 0, "%s", e.text);
}

Test(config, an_untrusted_file_makes_nothing_looser, .init = make_top, .fini = remove_top)
{
	static const char loose[] =
	    "{\"on_fault\": {\"verify\": \"allow\"}, \"deadline\": 600,"
	    "\"rules\": {\"blocked\": \"warn\", \"busy\": \"warn\"},"
	    "\"create\": {\"max_open\": 0, \"required_metadata\": [\"b\"]},"
	    "\"verify\": {\"checklist\": \"off\", \"owner\": \"refuse\", \"cache\": true,"
	    "\"ttl\": 86401, \"metadata\": []}, \"stop\": {\"unfinished\": \"keep\"}}";
	static const char user[] =
	    "{\"rules\": {\"busy\": \"refuse\"}, \"create\": {\"max_open\": 5,"
	    "\"required_metadata\": [\"a\"]}, \"verify\": {\"owner\": \"off\","
	    "\"cache\": false, \"metadata\": [\"k\"]}}";
	char *home = mem_printf("%s/home", top), *path;
	struct error e = { 0 };
	struct buf names = { 0 };
	struct config c;

	make_dir("p/.git");
	load_with(&c, user, loose);
	for (size_t i = 0; i < c.loosened.count; i++)
		buf_printf(&names, "%s ", c.loosened.item[i]);
	cr_expect_str_eq(buf_text(&names),
	    "on_fault.verify deadline rules.blocked rules.busy create.required_metadata "
	    "create.max_open verify.checklist verify.metadata verify.cache verify.ttl ");
	cr_expect_eq(c.on_fault.verify, FAULT_REFUSE);
	cr_expect_eq(c.deadline_ms, 540000);
	cr_expect_eq(c.rules.blocked, LEVEL_REFUSE);
	cr_expect_eq(c.rules.busy, LEVEL_REFUSE);
	cr_expect_eq(c.create.max_open, 5);
	cr_expect_eq(c.create.required_metadata.count, 2);
	cr_expect_eq(c.verify.checklist, LEVEL_REFUSE);
	cr_expect_eq(c.verify.owner, LEVEL_REFUSE, "what is stricter counts");
	cr_expect_not(c.verify.cache);
	cr_expect_eq(c.verify.ttl_ms, 86400000);
	cr_expect_eq(c.verify.metadata.count, 1);
	cr_expect_eq(c.stop.unfinished, UNFINISHED_KEEP, "neither is stricter");
	config_free(&c);
	path = mem_printf("%s/p/.claude/task-hooks.json", top);
	cr_assert_eq(trust_add(home, path, loose, strlen(loose), deadline_in(120000), &e), 0);
	load_with(&c, user, loose);
	cr_expect_eq(c.loosened.count, 0);
	cr_expect_eq(c.on_fault.verify, FAULT_ALLOW);
	cr_expect_eq(c.verify.checklist, LEVEL_OFF);
	cr_expect(c.verify.cache);
	config_free(&c);
	load_with(&c, "{}", "{\"rules\": {\"blocked\": \"off\"}}");
	cr_expect_eq(c.rules.blocked, LEVEL_REFUSE, "other bytes than those that were trusted");
	config_free(&c);
	buf_free(&names);
	free(home);
	free(path);
}
