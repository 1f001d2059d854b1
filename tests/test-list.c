/*
 * Which list is used: the names that the client makes, and their order.
 */
#include <criterion/criterion.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <unistd.h>

#include "list/list.h"
#include "list/team.h"

#define SESSION "0123abcd-1111-2222-3333-444455556666"
#define OTHER "fedc9876-1111-2222-3333-444455556666"

static char top[] = "/tmp/test-list.XXXXXX", config[64];

static void
setup(void)
{
	static const char *const unset[] = { "CLAUDE_CODE_TASK_LIST_ID", "CLAUDE_CODE_SESSION_ID",
		"CLAUDE_CODE_EXPERIMENTAL_AGENT_TEAMS", "CLAUDE_CODE_ENTRYPOINT", "CLAUDE_PID",
		"TMUX_PANE", "HOME" };

	for (size_t i = 0; i < sizeof(unset) / sizeof(unset[0]); i++)
		unsetenv(unset[i]);
	strcpy(top + sizeof(top) - 7, "XXXXXX");
	cr_assert_neq(mkdtemp(top), NULL);
	snprintf(config, sizeof(config), "%s/config", top);
	setenv("CLAUDE_CONFIG_DIR", config, 1);
	mkdir(config, 0755);
}

static void
teardown(void)
{
	char command[128];

	snprintf(command, sizeof(command), "rm -rf '%s'", top);
	cr_assert_eq(system(command), 0);
}

TestSuite(list, .init = setup, .fini = teardown);

static const char *
in_top(const char *relative)
{
	static char path[256];

	snprintf(path, sizeof(path), "%s/%s", top, relative);
	return path;
}

static void
make_dir(const char *relative)
{
	char command[512];

	snprintf(command, sizeof(command), "mkdir -p '%s'", in_top(relative));
	cr_assert_eq(system(command), 0);
}

static void
write_file(const char *relative, const char *text)
{
	FILE *f = fopen(in_top(relative), "w");

	cr_assert_neq(f, NULL, "%s", relative);
	fputs(text, f);
	fclose(f);
}

Test(list, names_are_sanitised_as_the_client_does)
{
	static const struct {
		const char *raw, *want;
	} rows[] = {
		{ "lab", "lab" },
		{ "../x", "---x" },
		{ "a.b C_d-E", "a-b-C_d-E" },
		{ ".", "-" },
		{ "x\xf0\x9f\x98\x80\xc3\xa9\xcc\x81y", "x----y" },
		{ "\xce\xb1", "-" },
		{ "a\xff\xfe", "a--" },
		{ "", "" },
		{ "a/b", "a-b" },
		{ "\xf0\x9f\x98\x80", "--" },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		char *got = list_sanitise(rows[i].raw);

		cr_expect_str_eq(got, rows[i].want, "'%s'", rows[i].raw);
		free(got);
	}
}

Test(list, names_are_trimmed_as_the_client_does)
{
	static const struct {
		const char *raw, *want;
	} rows[] = {
		{ " lab ", "lab" },
		{ "\t\xc2\xa0lab\xe3\x80\x80\n", "lab" },
		{ "\xef\xbb\xbflab\xe2\x80\x8b", "lab\xe2\x80\x8b" },
		{ "   ", "" },
		{ "", "" },
		{ "a b", "a b" },
		{ "\xe1\x9a\x80\xe2\x80\xa8x\xe2\x80\xaf\xe2\x81\x9f", "x" },
		{ "\x0b\x0cx", "x" },
		{ "\xff ", "\xff" },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		char *got = list_trim(rows[i].raw);

		cr_expect_str_eq(got, rows[i].want, "row %zu: '%s'", i, got);
		free(got);
	}
}

struct row {
	const char *name;
	const char *dirs[4];           /* below the config */
	const char *env, *team, *mode; /* CLAUDE_CODE_TASK_LIST_ID, team_name, "team" or "print" */
	const char *session;
	const char *want;
	bool exists;
};

static const struct row rows[] = {
	{ "the session", { NULL }, NULL, NULL, NULL, SESSION, SESSION, false },
	{ "the list of the session exists", { "tasks/" SESSION }, NULL, NULL, NULL, SESSION,
	    SESSION, true },
	{ "environment", { "tasks/" SESSION }, "lab", NULL, NULL, SESSION, "lab", false },
	{ "environment, sanitised", { NULL }, "../x", NULL, NULL, SESSION, "---x", false },
	{ "environment, trimmed", { NULL }, " lab ", NULL, NULL, SESSION, "lab", false },
	{ "environment, as an older client names it", { "tasks/-lab-" }, " lab ", NULL, NULL,
	    SESSION, "-lab-", true },
	{ "environment, both lists exist", { "tasks/-lab-", "tasks/lab" }, " lab ", NULL, NULL,
	    SESSION, "lab", true },
	{ "environment empty", { NULL }, "", NULL, NULL, SESSION, SESSION, false },
	{ "environment blank", { NULL }, " \t", NULL, NULL, SESSION, SESSION, false },
	{ "environment before the team", { "tasks/session-0123abcd" }, "lab", "session-0123abcd",
	    "team", SESSION, "lab", false },
	{ "team_name", { NULL }, NULL, "session-fedc9876", "team", SESSION, "session-fedc9876",
	    false },
	{ "team mode", { NULL }, NULL, NULL, "team", SESSION, "session-0123abcd", false },
	{ "team mode, only the list of the session exists", { "tasks/" SESSION }, NULL, NULL,
	    "team", SESSION, SESSION, true },
	{ "team mode, both lists exist", { "tasks/" SESSION, "tasks/session-0123abcd" }, NULL, NULL,
	    "team", SESSION, "session-0123abcd", true },
	{ "print mode, both lists exist", { "tasks/" SESSION, "tasks/session-0123abcd" }, NULL,
	    NULL, "print", SESSION, SESSION, true },
	{ "no team, only the list of the team exists", { "tasks/session-0123abcd" }, NULL, NULL,
	    NULL, SESSION, "session-0123abcd", true },
	{ "a session that is a path", { NULL }, NULL, NULL, NULL, "../../etc", "------etc", false },
};

Test(list, the_list_of_the_client_is_found)
{
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		const struct row *r = &rows[i];
		struct list_query q = {
			.session_id = r->session, .team_name = r->team, .cwd = top
		};
		struct list list;
		struct error err = { 0 };
		char path[128];

		teardown();
		setup();
		for (int d = 0; d < 4 && r->dirs[d] != NULL; d++) {
			snprintf(path, sizeof(path), "config/%s", r->dirs[d]);
			make_dir(path);
		}
		if (r->env != NULL)
			setenv("CLAUDE_CODE_TASK_LIST_ID", r->env, 1);
		if (r->mode != NULL) {
			setenv("CLAUDE_CODE_EXPERIMENTAL_AGENT_TEAMS", "1", 1);
			setenv("CLAUDE_CODE_ENTRYPOINT",
			    strcmp(r->mode, "print") == 0 ? "sdk-cli" : "cli", 1);
		}
		cr_assert_eq(list_find(&list, &q, &err), 0, "%s: %s", r->name, err.text);
		cr_expect_str_eq(list.name, r->want, "%s: %s (%s)", r->name, list.name, list.why);
		cr_expect_eq(list.exists, r->exists, "%s: exists", r->name);
		snprintf(path, sizeof(path), "%s/tasks/%s", config, r->want);
		cr_expect_str_eq(list.dir, path, "%s", r->name);
		cr_expect_neq(list.why, NULL, "%s", r->name);
		list_free(&list);
	}
}

static const char *
found(const struct list_query *q)
{
	static char name[256];
	struct list list;
	struct error err = { 0 };

	cr_assert_eq(list_find(&list, q, &err), 0, "%s", err.text);
	snprintf(name, sizeof(name), "%s", list.name);
	list_free(&list);
	return name;
}

Test(list, a_session_list_file_is_followed)
{
	struct list_query q = { .session_id = SESSION };

	setenv("CLAUDE_CODE_EXPERIMENTAL_AGENT_TEAMS", "1", 1);
	make_dir("config/tasks/session-0123abcd");
	make_dir("config/tasks/session-aaaaaaaa");
	make_dir("config/tasks/session-bbbbbbbb");
	write_file("config/tasks/session-0123abcd/.session-list", "session-aaaaaaaa");
	cr_expect_str_eq(found(&q), "session-aaaaaaaa", "after a /clear");
	write_file("config/tasks/session-aaaaaaaa/.session-list", "session-bbbbbbbb");
	cr_expect_str_eq(found(&q), "session-bbbbbbbb", "after two");
	write_file("config/tasks/session-bbbbbbbb/.session-list", "session-0123abcd");
	(void)found(&q); /* a cycle ends */
	write_file("config/tasks/session-0123abcd/.session-list", "../../../etc");
	cr_expect_str_eq(found(&q), "---------etc", "a path is sanitised");
}

Test(list, a_linked_list_is_refused)
{
	struct list_query q = { .session_id = SESSION }, team = { .session_id = OTHER };
	struct list list;
	struct error err = { 0 };

	make_dir("config/tasks");
	make_dir("elsewhere");
	char target[256];
	snprintf(target, sizeof(target), "%s/elsewhere", top);
	cr_assert_eq(symlink(target, in_top("config/tasks/" SESSION)), 0);
	cr_expect_eq(list_find(&list, &q, &err), -1, "a linked list is refused");
	cr_expect_eq(err.kind, ERROR_REFUSED, "%s", err.text);
	list_free(&list);
	cr_expect_str_eq(found(&team), OTHER);
}

Test(list, only_the_link_of_the_chosen_list_is_refused)
{
	struct list_query q = { .session_id = SESSION };
	struct list list;
	struct error err = { 0 };

	make_dir("config/tasks");
	make_dir("config/teams/crew");
	write_file("config/teams/crew/config.json", "{\"leadSessionId\":\"" SESSION "\"}");
	cr_assert_eq(symlink("elsewhere", in_top("config/tasks/" SESSION)), 0);
	cr_expect_str_eq(found(&q), "crew", "a link that is not chosen is not refused");
	cr_assert_eq(symlink("elsewhere", in_top("config/tasks/crew")), 0);
	cr_expect_eq(list_find(&list, &q, &err), -1, "a linked list of the team is refused");
	cr_expect_eq(err.kind, ERROR_REFUSED, "%s", err.text);
	cr_expect_neq(strstr(err.text, "'crew'"), NULL, "%s", err.text);
	cr_assert_eq(unlink(in_top("config/tasks/" SESSION)), 0);
	cr_expect_eq(list_find(&list, &q, &err), -1,
	    "a linked list of the team is refused without the other link, too");
}

Test(list, the_list_of_a_project_is_found)
{
	struct list_query q = { 0 };
	char path[256];

	make_dir("work/my.app/src/deep");
	snprintf(path, sizeof(path), "%s/work/my.app/src/deep", top);
	q.cwd = path;
	cr_expect_str_eq(found(&q), "deep", "the directory itself");
	make_dir("work/my.app/.git");
	cr_expect_str_eq(found(&q), "my-app", "the directory that has .git");
	write_file("work/my.app/src/package.json", "{\"name\":\"@org/pkg\"}");
	cr_expect_str_eq(found(&q), "-org-pkg", "package.json is nearer");
	write_file("work/my.app/src/package.json", "{\"name\":7}");
	cr_expect_str_eq(found(&q), "my-app", "a package.json without a name");
	make_dir("work/tree");
	write_file("work/tree/.git", "gitdir: /home/me/main-repo/.git/worktrees/tree\n");
	snprintf(path, sizeof(path), "%s/work/tree", top);
	cr_expect_str_eq(found(&q), "main-repo", "a worktree uses the list of its project");
	q.cwd = "/";
	cr_expect_str_eq(found(&q), "default", "no directory");
	setenv("CLAUDE_CODE_SESSION_ID", SESSION, 1);
	cr_expect_str_eq(found(&q), SESSION, "the session of the environment");
}

/* 4.4: only where it was asked for, and where the project has no list */
Test(list, folder)
{
	struct list_query q = { 0 };
	struct list list;
	struct error err = { 0 };
	char path[256];

	make_dir("work/app/.git");
	make_dir("work/app/.tasks");
	snprintf(path, sizeof(path), "%s/work/app", top);
	q.cwd = path;
	cr_expect_str_eq(found(&q), "app", "the hooks do not ask for it");
	q.folder = true;
	cr_assert_eq(list_find(&list, &q, &err), 0, "%s", err.text);
	cr_expect(list.nearby && list.foreign && list.exists, "it is found");
	cr_expect_eq(strncmp(list.name, "-tasks-", 7), 0, "%s", list.name);
	cr_expect_neq(strstr(list.why, "there is no list 'app'"), NULL, "%s", list.why);
	list_free(&list);
	q.session_id = SESSION;
	cr_expect_str_eq(found(&q), SESSION, "a session has its own list");
	q.session_id = NULL;
	make_dir("config/tasks/app");
	cr_expect_str_eq(found(&q), "app", "the project has a list");
}

Test(list, a_given_list_or_directory_is_used)
{
	struct list_query q = { .list = " a/b ", .session_id = SESSION };
	struct list list;
	struct error err = { 0 };
	char path[256];

	setenv("CLAUDE_CODE_TASK_LIST_ID", "lab", 1);
	cr_expect_str_eq(found(&q), "a-b", "--list overrides all others");
	make_dir("p/.tasks");
	snprintf(path, sizeof(path), "%s/p/.tasks", top);
	q.dir = path;
	cr_assert_eq(list_find(&list, &q, &err), 0, "%s", err.text);
	cr_expect_eq(strncmp(list.name, "-tasks-", 7), 0, "%s", list.name);
	cr_expect(list.foreign && list.exists);
	cr_expect_str_eq(list.dir, path);
	list_free(&list);
	make_dir("config/tasks/lab");
	snprintf(path, sizeof(path), "%s/config/tasks/lab/", top);
	cr_assert_eq(list_find(&list, &q, &err), 0, "%s", err.text);
	cr_expect_str_eq(list.name, "lab", "a list of the client by its directory");
	cr_expect(!list.foreign);
	list_free(&list);
	write_file("config/tasks/lab/tasks.json", "{}");
	snprintf(path, sizeof(path), "%s/config/tasks/lab/tasks.json", top);
	cr_assert_eq(list_find(&list, &q, &err), 0, "%s", err.text);
	cr_expect_str_eq(list.name, "lab", "the document instead of its directory");
	list_free(&list);
	snprintf(path, sizeof(path), "%s/new", top);
	cr_assert_eq(list_find(&list, &q, &err), 0, "%s", err.text);
	cr_expect(!list.exists);
	cr_expect_str_eq(list.dir, path);
	list_free(&list);
	snprintf(path, sizeof(path), "%s/no/where", top);
	cr_expect_eq(list_find(&list, &q, &err), -1, "no parent");
	q.dir = NULL;
	q.list = "  ";
	cr_expect_eq(list_find(&list, &q, &err), -1, "an empty name");
}

Test(list, the_state_directory_is_private)
{
	struct list_query q = { .session_id = SESSION };
	struct list list;
	struct error err = { 0 };
	struct stat st;
	int fd;

	cr_assert_eq(list_find(&list, &q, &err), 0);
	cr_expect_eq(list_state(&list, false, &err), -1);
	cr_expect_eq(err.kind, ERROR_NOT_FOUND, "%s", err.text);
	fd = list_state(&list, true, &err);
	cr_assert_neq(fd, -1, "%s", err.text);
	fstat(fd, &st);
	cr_expect_eq(st.st_mode & 0777, 0700);
	cr_expect_eq(list_state(&list, false, &err), fd, "opened once");
	list_free(&list);
	cr_expect_eq(fcntl(fd, F_GETFD), -1, "closed with the list");
	cr_assert_eq(list_find(&list, &q, &err), 0);
	chmod(in_top("config/task-hooks/" SESSION), 0770);
	cr_expect_eq(list_state(&list, true, &err), -1, "others may write");
	cr_expect_eq(err.kind, ERROR_REFUSED, "%s", err.text);
	rmdir(in_top("config/task-hooks/" SESSION));
	cr_assert_eq(symlink("/tmp", in_top("config/task-hooks/" SESSION)), 0);
	cr_expect_eq(list_state(&list, true, &err), -1, "a link");
	list_free(&list);
}

Test(list, the_team_of_a_session_is_remembered)
{
	struct list_query q = { .session_id = OTHER, .team_name = "session-0123abcd" };
	struct list list;
	struct error err = { 0 };

	make_dir("config/tasks/session-0123abcd");
	cr_assert_eq(list_find(&list, &q, &err), 0);
	cr_assert_eq(list_learn(&list, OTHER, &err), 0, "%s", err.text);
	cr_assert_eq(list_learn(&list, OTHER, &err), 0, "%s", err.text);
	list_free(&list);
	q.team_name = NULL;
	cr_expect_str_eq(found(&q), "session-0123abcd", "the next event names no team");
}

#define CREW                                                                     \
	"{\"leadAgentId\":\"team-lead@crew\",\"leadSessionId\":\"" SESSION "\"," \
	"\"leadProcess\":{\"pid\":1},\"members\":["                              \
	"{\"agentId\":\"team-lead@crew\",\"name\":\"team-lead\"},"               \
	"{\"name\":\"../x\"},{},7,"                                              \
	"{\"agentId\":\"ann@crew\",\"name\":\"ann\",\"color\":\"blue\","         \
	"\"agentType\":\"Explore\",\"isActive\":true}]}"

Test(list, team_members)
{
	struct team team;

	cr_expect_not(team_load(&team, config, "crew"), "there is no team");
	make_dir("config/teams/crew");
	write_file("config/teams/crew/config.json", CREW);
	cr_assert(team_load(&team, config, "crew"));
	cr_expect_str_eq(team.lead_session, SESSION);
	cr_expect_not(team.over);
	cr_assert_eq(team.count, 2, "members without a name that can be one are left out");
	cr_expect(team.item[0].lead);
	cr_expect_str_eq(team.item[1].name, "ann");
	cr_expect_str_eq(team.item[1].color, "blue");
	cr_expect_str_eq(team.item[1].type, "Explore");
	cr_expect(team.item[1].active && !team.item[1].lead);
	team_free(&team);
	cr_expect_not(team_load(&team, config, "../crew"));
	cr_expect(team_has_member(config, "crew", "ann", NULL));
	cr_expect_not(team_has_member(config, "crew", "bob", NULL));
}

static int torn_fd;

static void
write_the_rest(int signal)
{
	(void)signal;
	(void)!write(torn_fd, CREW + 10, sizeof(CREW) - 11);
}

/* The client is in the middle of a write; it ends while we wait. */
Test(list, team_file_that_is_being_written)
{
	struct itimerval soon = { .it_value = { .tv_usec = 2000 } };
	struct team team;

	make_dir("config/teams/crew");
	torn_fd = open(in_top("config/teams/crew/config.json"), O_WRONLY | O_CREAT, 0600);
	cr_assert_eq(write(torn_fd, CREW, 10), 10);
	signal(SIGALRM, write_the_rest);
	cr_assert_eq(setitimer(ITIMER_REAL, &soon, NULL), 0);
	cr_expect(team_load(&team, config, "crew"));
	cr_expect_eq(team.count, 2);
	team_free(&team);
	close(torn_fd);
}

Test(list, members_of_a_team_are_found)
{
	struct list_query q = { .session_id = OTHER };
	struct team_seat seat;
	char text[512], *type = NULL;

	make_dir("config/teams/session-0123abcd");
	make_dir("config/tasks/session-0123abcd");
	snprintf(text, sizeof(text),
	    "{\"name\":\"session-0123abcd\",\"leadSessionId\":\"x\",\"leadProcess\":{\"pid\":%ld},"
	    "\"members\":[{\"name\":\"worker\",\"tmuxPaneId\":\"%%7\",\"agentType\":\"tester\"}]}",
	    (long)getpid());
	write_file("config/teams/session-0123abcd/config.json", text);
	cr_expect_str_eq(found(&q), OTHER, "not of this team");
	setenv("TMUX_PANE", "%7", 1);
	cr_expect_str_eq(found(&q), "session-0123abcd", "a member in this pane");
	team_seat_find(&seat, config, OTHER);
	cr_expect_str_eq(seat.name, "worker");
	cr_expect_str_eq(seat.type, "tester");
	team_seat_free(&seat);
	cr_expect(team_has_member(config, "session-0123abcd", "worker", NULL));
	cr_expect(!team_has_member(config, "session-0123abcd", "nobody", NULL));
	cr_expect(team_has_member(config, "session-0123abcd", "worker", &type));
	cr_expect_str_eq(type, "tester");
	free(type);
	cr_expect(!team_has_member(config, "../teams/session-0123abcd", "worker", NULL));
	unsetenv("TMUX_PANE");
	q.session_id = "x";
	cr_expect_str_eq(found(&q), "session-0123abcd", "the lead");
	q.session_id = OTHER;
	setenv("TMUX_PANE", "%7", 1);
	snprintf(text, sizeof(text),
	    "{\"leadProcess\":{\"pid\":2147483646},\"members\":[{\"name\":\"worker\","
	    "\"tmuxPaneId\":\"%%7\"}]}");
	write_file("config/teams/session-0123abcd/config.json", text);
	cr_expect_str_eq(found(&q), OTHER, "a team whose lead is dead");
}

Test(list, existing_lists_are_named)
{
	struct strings names = { 0 };
	struct error err = { 0 };
	char *dir;

	cr_expect_eq(list_names(config, &names, &err), 0, "no lists");
	make_dir("config/tasks/b");
	make_dir("config/tasks/a");
	write_file("config/tasks/file", "");
	cr_expect_eq(list_names(config, &names, &err), 0);
	cr_assert_eq(names.count, 2);
	cr_expect_str_eq(names.item[0], "a");
	strings_free(&names);
	unsetenv("CLAUDE_CONFIG_DIR");
	cr_expect_eq(list_config_dir(&err), NULL, "no HOME");
	setenv("HOME", "/home/x", 1);
	dir = list_config_dir(&err);
	cr_expect_str_eq(dir, "/home/x/.claude");
	free(dir);
}
