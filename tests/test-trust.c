/*
 * Trust of gate files: unknown, trusted, changed, moved, removed and hidden
 * files, and an unsafe trust file.
 */
#include <criterion/criterion.h>
#include <sys/stat.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "config/trust.h"

static char top[64], home[80];

#define LONG deadline_in(120000)
#define GATES "{\"gates\": [{\"name\": \"test\", \"run\": \"make test\"}]}"

static void
make_top(void)
{
	snprintf(top, sizeof(top), "/tmp/test-trust-XXXXXX");
	cr_assert_not_null(mkdtemp(top));
	snprintf(home, sizeof(home), "%s/home", top);
	cr_assert_eq(mkdir(home, 0755), 0);
}

static void
remove_top(void)
{
	char *command = mem_printf("rm -rf %s", top);

	cr_expect_eq(system(command), 0);
	free(command);
}

static void
put(const char *dir, const char *text)
{
	char *command = mem_printf("mkdir -p %s/%s/.claude", top, dir);
	char *path = mem_printf("%s/%s/.claude/task-hooks.json", top, dir);
	FILE *f;

	cr_assert_eq(system(command), 0);
	cr_assert_not_null(f = fopen(path, "w"));
	fputs(text, f);
	fclose(f);
	free(command);
	free(path);
}

static enum trust
ask(const char *dir, struct buf *why)
{
	char *cwd = mem_printf("%s/%s", top, dir);
	struct config_query q = { .cwd = cwd, .config_dir = home };
	struct config c;
	struct error e = { 0 };
	enum trust t = TRUST_GONE;

	buf_reset(why);
	cr_assert_eq(config_load(&c, &q, &e), 0, "%s", e.text);
	cr_assert_eq(trust_check(home, &c, cwd, &t, why, &e), 0, "%s", e.text);
	config_free(&c);
	free(cwd);
	return t;
}

static void
give(const char *dir, const char *text)
{
	char *path = mem_printf("%s/%s/.claude/task-hooks.json", top, dir);
	struct error e = { 0 };

	cr_assert_eq(trust_add(home, path, text, strlen(text), LONG, &e), 0, "%s", e.text);
	free(path);
}

TestSuite(trust, .init = make_top, .fini = remove_top);

Test(trust, a_file_is_unknown_trusted_or_changed)
{
	struct buf why = { 0 };
	struct stat st;
	char *path = mem_printf("%s/task-hooks/trust.json", home);

	put("p", "{\"rules\": {\"busy\": \"warn\"}}");
	cr_expect_eq(ask("p", &why), TRUST_NOT_NEEDED, "settings alone need no trust");
	put("p", GATES);
	cr_expect_eq(ask("p", &why), TRUST_UNKNOWN);
	cr_expect(strstr(buf_text(&why), "\"test\" (make test)") != NULL, "%s", buf_text(&why));
	cr_expect(strstr(buf_text(&why), "claude-tasks trust") != NULL, "%s", buf_text(&why));
	give("p", GATES);
	cr_expect_eq(ask("p", &why), TRUST_YES);
	cr_expect_eq(why.len, 0);
	cr_assert_eq(stat(path, &st), 0);
	cr_expect_eq(st.st_mode & 0777, 0600);
	put("p", "{\"gates\": [{\"name\": \"test\", \"run\": \"true\"}]}");
	cr_expect_eq(ask("p", &why), TRUST_CHANGED);
	cr_expect(
	    strstr(buf_text(&why), "gate \"test\" runs 'true' instead of 'make test'") != NULL,
	    "%s", buf_text(&why));
	put("p", "{}");
	cr_expect_eq(ask("p", &why), TRUST_CHANGED, "the gates are removed");
	cr_expect(
	    strstr(buf_text(&why), "gate \"test\" was removed") != NULL, "%s", buf_text(&why));
	put("p", "// harmless\n" GATES);
	cr_expect_eq(ask("p", &why), TRUST_CHANGED, "a changed comment");
	cr_expect(strstr(buf_text(&why), "settings or comments") != NULL, "%s", buf_text(&why));
	put("p", GATES);
	cr_expect_eq(ask("p", &why), TRUST_YES, "the trusted bytes again");
	buf_free(&why);
	free(path);
}

Test(trust, a_removed_or_hidden_file_is_reported)
{
	struct buf why = { 0 };
	struct error e = { 0 };
	char *path = mem_printf("%s/p/.claude/task-hooks.json", top), *command;

	put("p", GATES);
	give("p", GATES);
	put("p/sub", "{}");
	cr_expect_eq(ask("p/sub", &why), TRUST_GONE, "a file below hides the trusted one");
	cr_expect(strstr(buf_text(&why), "hides it") != NULL, "%s", buf_text(&why));
	put("p/sub", GATES);
	cr_expect_eq(ask("p/sub", &why), TRUST_UNKNOWN, "A06: a copy inside the trusted project");
	command = mem_printf("mkdir -p %s/p/wt/.git %s/q", top, top);
	cr_assert_eq(system(command), 0);
	free(command);
	cr_expect_eq(ask("p/wt", &why), TRUST_GONE, "a repository below hides it");
	put("q", GATES);
	cr_expect_eq(ask("q", &why), TRUST_UNKNOWN, "the same bytes elsewhere are not trusted");
	unlink(path);
	cr_expect_eq(ask("p", &why), TRUST_GONE, "the file is removed");
	cr_expect(strstr(buf_text(&why), "is missing") != NULL, "%s", buf_text(&why));
	cr_expect_eq(trust_remove(home, path, LONG, &e), 1, "%s", e.text);
	cr_expect_eq(trust_remove(home, path, LONG, &e), 0);
	cr_expect_eq(ask("p", &why), TRUST_NOT_NEEDED);
	buf_free(&why);
	free(path);
}

Test(trust, a_file_named_by_the_settings_needs_no_trust)
{
	char *path = mem_printf("%s/p/.claude/task-hooks.json", top);
	struct config_query q = { .file = path, .cwd = top, .config_dir = home };
	struct config c;
	struct buf why = { 0 };
	struct error e = { 0 };
	enum trust t;

	put("p", GATES);
	cr_assert_eq(config_load(&c, &q, &e), 0, "%s", e.text);
	cr_expect_eq(trust_check(home, &c, top, &t, &why, &e), 0);
	cr_expect_eq(t, TRUST_GIVEN);
	config_free(&c);
	buf_free(&why);
	free(path);
}

Test(trust, an_unsafe_trust_file_is_refused)
{
	static const char *const rows[] = { "chmod 0666 %s/task-hooks/trust.json",
		"chmod 0600 %s/task-hooks/trust.json; chmod 0777 %s/task-hooks",
		"chmod 0700 %s/task-hooks; echo '{' >%s/task-hooks/trust.json",
		"echo '{}' >%s/task-hooks/trust.json",
		"rm %s/task-hooks/trust.json; mkdir %s/task-hooks/trust.json" };
	struct config c;
	struct buf why = { 0 };
	enum trust t;

	put("p", GATES);
	give("p", GATES);
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		char *cwd = mem_printf("%s/p", top), command[600] = "";
		struct config_query q = { .cwd = cwd, .config_dir = home };
		struct error e = { 0 };

		for (const char *p = rows[i]; *p != '\0'; p++) {
			if (strncmp(p, "%s", 2) == 0) {
				strlcat(command, home, sizeof(command));
				p++;
			} else
				strlcat(command, (char[]){ *p, '\0' }, sizeof(command));
		}
		cr_assert_eq(system(command), 0, "%s", command);
		cr_assert_eq(config_load(&c, &q, &e), 0);
		cr_expect_eq(trust_check(home, &c, cwd, &t, &why, &e), -1, "%s", rows[i]);
		cr_expect_neq(e.text[0], '\0');
		config_free(&c);
		free(cwd);
	}
	buf_free(&why);
}

Test(trust, several_files_are_trusted)
{
	struct buf why = { 0 };
	struct trusts ts;
	struct error e;

	for (int i = 0; i < 5; i++) {
		char dir[8];

		snprintf(dir, sizeof(dir), "p%d", i);
		put(dir, GATES);
		give(dir, GATES);
		give(dir, GATES);
	}
	cr_assert_eq(trust_load(home, &ts, &e), 0);
	cr_expect_eq(ts.count, 5, "once each");
	cr_expect_str_eq(ts.item[0].text, GATES);
	trusts_free(&ts);
	cr_expect_eq(ask("p3", &why), TRUST_YES);
	buf_free(&why);
}

Test(trust, the_changes_of_a_file_are_described)
{
	static const struct {
		const char *old, *new, *want;
	} rows[] = {
		{ GATES, GATES, "settings or comments, but no command" },
		{ GATES, "x", "can no longer be read" },
		{ "x", GATES, "that was trusted can no longer be read" },
		{ GATES,
		    "{\"gates\": [{\"name\": \"test\", \"run\": \"make test\", \"severity\": "
		    "\"warn\"}]}",
		    "gate \"test\" has other settings" },
		{ "{}", "{\"gates\": [{\"name\": \"x\", \"run\": [\"rm\", \"a b\"]}]}",
		    "gate \"x\" is new and runs 'rm 'a b''" },
		{ "{}", "{\"sync\": [\"x\"]}", "the sync commands have changed" },
		{ "{}", "{\"verify\": {\"allow\": [\"x\"]}}", "allowed verify commands" },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct buf b = { 0 };

		trust_difference(
		    &b, rows[i].old, strlen(rows[i].old), rows[i].new, strlen(rows[i].new));
		cr_expect(strstr(buf_text(&b), rows[i].want) != NULL, "%s", buf_text(&b));
		buf_free(&b);
	}
}
