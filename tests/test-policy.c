#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "agent/agent.h"
#include "hook/policy.h"

static struct config config;

static void
setup(void)
{
	config_default(&config);
}

TestSuite(policy, .init = setup);

#define ME "a1111111111111111"
#define YOU "a2222222222222222"

static const struct agent me = { .id = ME, .type = "Explore", .session = "s1" };
static const struct agent lead = { .session = "s1" };
static const struct agent ann = { .id = "aann-0000000000000001", .name = "ann", .session = "s1" };

Test(policy, the_holder_of_a_task_is_found)
{
	static struct claim by_me = { .agent_id = (char *)ME, .session = (char *)"s1" },
			    by_you = { .agent_id = (char *)YOU, .session = (char *)"s1" },
			    by_lead = { .session = (char *)"s1" },
			    by_stranger = { .session = (char *)"s9" },
			    by_ann = { .agent_id = (char *)"aann-0000000000000001",
				    .name = (char *)"ann",
				    .session = (char *)"s1" };
	static const struct {
		const char *name;
		const struct agent *self;
		const char *owner;
		const struct claim *claim;
		bool pass_owner;
		enum holder want;
	} rows[] = {
		{ "no owner and no claim", &me, NULL, NULL, false, HOLDER_NONE },
		{ "my id on the file", &me, ME, NULL, false, HOLDER_SELF },
		{ "my type on the file", &me, "Explore", NULL, false, HOLDER_SELF },
		{ "my claim", &me, NULL, &by_me, false, HOLDER_SELF },
		{ "my claim with another owner", &me, "bob", &by_me, false, HOLDER_SELF },
		{ "another's claim", &me, NULL, &by_you, false, HOLDER_OTHER },
		{ "the claim of another overrides my name", &me, ME, &by_you, false, HOLDER_OTHER },
		{ "my parent's claim", &me, NULL, &by_lead, false, HOLDER_SELF },
		{ "the claim of another session", &me, NULL, &by_stranger, false, HOLDER_OTHER },
		{ "the claim of the lead, seen by a teammate", &ann, NULL, &by_lead, false,
		    HOLDER_OTHER },
		{ "a subagent's claim, seen by its lead", &lead, NULL, &by_me, false,
		    HOLDER_OTHER },
		{ "a teammate's claim, seen by itself", &ann, "ann", &by_ann, false, HOLDER_SELF },
		{ "a teammate's claim, seen by the lead", &lead, "ann", &by_ann, false,
		    HOLDER_OTHER },
		{ "an owner", &lead, "bob", NULL, false, HOLDER_OTHER },
		{ "an owner that the main thread set", &lead, "bob", NULL, true, HOLDER_LABEL },
		{ "the id of an agent is not a label", &lead, YOU, NULL, true, HOLDER_OTHER },
		{ "the id of a teammate is not a label", &lead, "abob-0123456789abcdef", NULL, true,
		    HOLDER_OTHER },
		{ "the claim of another main thread", &lead, NULL, &by_stranger, false,
		    HOLDER_OTHER },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct task t = { .id = (char *)"1",
			.subject = (char *)"T",
			.owner = (char *)rows[i].owner,
			.status = TASK_IN_PROGRESS };
		struct holder_query q = { .task = &t,
			.self = rows[i].self,
			.claim = rows[i].claim,
			.pass_owner = rows[i].pass_owner };

		cr_expect_eq(holder_of(&q), rows[i].want, "%s: %d", rows[i].name, holder_of(&q));
	}
}

typedef void judge(const struct facts *, struct decision *);

Test(policy, agent_type)
{
	static const struct {
		const char *name, *subject;
		const struct agent *self;
		const char *type;
		const char *says; /* NULL: passes */
	} rows[] = {
		{ "no mark", "Deploy", &lead, NULL, NULL },
		{ "its type", "[SA:Explore] Look", &me, "Explore", NULL },
		{ "another type", "[SA:DevOpsEng] Deploy", &me, "Explore",
		    "Task #1 \"[SA:DevOpsEng] Deploy\" is meant for an agent of type DevOpsEng; "
		    "yours is Explore. If you are " },
		{ "the main thread", "[SA:DevOpsEng] Deploy", &lead, NULL,
		    "; you are the main thread. If you are " },
		{ "a teammate of no known type", "[SA:DevOpsEng] Deploy", &ann, NULL, NULL },
		{ "a teammate of another", "[SA:DevOpsEng] Deploy", &ann, "TestEng", "TestEng" },
		{ "a type that is not a word", "[SA:DevOpsEng] Deploy", &me, "x'; rm",
		    "yours is x" },
	};
	static const enum config_level levels[] = { LEVEL_OFF, LEVEL_WARN, LEVEL_REFUSE };

	for (size_t i = 0; i < 3 * sizeof(rows) / sizeof(rows[0]); i++) {
		enum config_level level = levels[i % 3];
		const char *name = rows[i / 3].name, *says = rows[i / 3].says;
		struct task t = { .id = (char *)"1",
			.subject = (char *)rows[i / 3].subject,
			.status = TASK_PENDING };
		struct facts f = { .config = &config,
			.query = { .task = &t, .self = rows[i / 3].self },
			.agent_type = rows[i / 3].type };
		struct decision d = { 0 };
		const struct buf *to = level == LEVEL_REFUSE ? &d.reason : &d.context;

		config.rules.agent_type = level;
		policy_agent_type(&f, &d);
		cr_expect_eq(d.verdict == VERDICT_REFUSE, says != NULL && level == LEVEL_REFUSE,
		    "%s: verdict", name);
		if (says == NULL || level == LEVEL_OFF)
			cr_expect_eq(d.reason.len + d.context.len, 0, "%s: silent", name);
		else
			cr_expect(strstr(buf_text(to), says) != NULL, "%s: %s", name, buf_text(to));
		cr_expect_null(strstr(buf_text(to), "[SA:x'"), "%s: in a command", name);
		decision_free(&d);
	}
}

Test(policy, the_rules_for_one_task_are_applied)
{
	static struct claim by_you = { .agent_id = (char *)YOU, .session = (char *)"s1" };
	static struct blocker open = { .id = (char *)"2",
		.subject = (char *)"Tests",
		.owner = (char *)"bob",
		.status = TASK_IN_PROGRESS };
	static struct blockers one = { &open, 1 }, none = { 0 };
	static const struct {
		const char *name;
		judge *judge;
		enum task_status status;
		const char *owner, *asked;
		const struct claim *claim;
		const struct blockers *blockers;
		const char *rule; /* NULL: passes */
		const char *says;
	} rows[] = {
		{ "start", policy_start, TASK_PENDING, NULL, NULL, NULL, &none, NULL, NULL },
		{ "start again", policy_start, TASK_IN_PROGRESS, ME, NULL, NULL, &none, NULL,
		    NULL },
		{ "start a completed task", policy_start, TASK_COMPLETED, NULL, NULL, NULL, &none,
		    "already_resolved", "pending first" },
		{ "start what is cancelled", policy_start, TASK_CANCELLED, NULL, NULL, NULL, &none,
		    "already_resolved", "already cancelled" },
		{ "start what was set to blocked", policy_start, TASK_BLOCKED, NULL, NULL, NULL,
		    &none, "blocked", "claude-tasks update 1 --status pending" },
		{ "start a task of another", policy_start, TASK_IN_PROGRESS, "bob", NULL, NULL,
		    &none, "already_claimed", "\"bob\"" },
		{ "start a task that another claims", policy_start, TASK_PENDING, NULL, NULL,
		    &by_you, &none, "already_claimed", YOU },
		{ "start a blocked task", policy_start, TASK_PENDING, NULL, NULL, NULL, &one,
		    "blocked",
		    "Task #1 \"T\" cannot start: blocked by #2 \"Tests\" (in_progress, owner "
		    "bob)." },
		{ "complete", policy_complete, TASK_IN_PROGRESS, ME, NULL, NULL, &none, NULL,
		    NULL },
		{ "complete twice", policy_complete, TASK_COMPLETED, "bob", NULL, NULL, &one, NULL,
		    NULL },
		{ "complete what is cancelled", policy_complete, TASK_CANCELLED, NULL, NULL, NULL,
		    &none, "already_resolved", "pending first" },
		{ "complete a blocked task", policy_complete, TASK_IN_PROGRESS, ME, NULL, NULL,
		    &one, "blocked", "cannot complete" },
		{ "complete a task of another", policy_complete, TASK_IN_PROGRESS, "bob", NULL,
		    NULL, &none, "not_owner", "claude-tasks release 1" },
		{ "delete", policy_delete, TASK_PENDING, "bob", NULL, NULL, NULL, NULL, NULL },
		{ "delete a task in progress of another", policy_delete, TASK_IN_PROGRESS, "bob",
		    NULL, NULL, NULL, "not_owner", "bob" },
		{ "cancel", policy_cancel, TASK_PENDING, "bob", NULL, NULL, NULL, NULL, NULL },
		{ "cancel another's work", policy_cancel, TASK_IN_PROGRESS, "bob", NULL, NULL, NULL,
		    "not_owner", "cannot be cancelled" },
		{ "reset a task in progress of another", policy_reset, TASK_IN_PROGRESS, "bob",
		    NULL, NULL, NULL, "steal", "bob" },
		{ "reset my own", policy_reset, TASK_IN_PROGRESS, ME, NULL, NULL, NULL, NULL,
		    NULL },
		{ "assign", policy_owner, TASK_PENDING, "bob", "cat", NULL, NULL, NULL, NULL },
		{ "take a task of another", policy_owner, TASK_IN_PROGRESS, "bob", ME, NULL, NULL,
		    "steal", "bob" },
		{ "name the same owner", policy_owner, TASK_IN_PROGRESS, "bob", "bob", NULL, NULL,
		    NULL, NULL },
		{ "take a task that another claims", policy_owner, TASK_IN_PROGRESS, NULL, ME,
		    &by_you, NULL, "steal", YOU },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct task t = { .id = (char *)"1",
			.subject = (char *)"T",
			.owner = (char *)rows[i].owner,
			.status = rows[i].status,
			.original = rows[i].status };
		struct facts f = { .config = &config,
			.query = { .task = &t,
			    .self = &me,
			    .owner = rows[i].asked,
			    .claim = rows[i].claim },
			.blockers = rows[i].blockers };
		struct decision d = { 0 };

		rows[i].judge(&f, &d);
		cr_expect_eq(d.verdict, rows[i].rule != NULL ? VERDICT_REFUSE : VERDICT_PASS, "%s",
		    rows[i].name);
		if (rows[i].rule != NULL && d.rule != NULL) {
			cr_expect_str_eq(d.rule, rows[i].rule, "%s", rows[i].name);
			cr_expect_not_null(strstr(buf_text(&d.reason), rows[i].says), "%s: %s",
			    rows[i].name, buf_text(&d.reason));
		}
		decision_free(&d);
	}
}

Test(policy, a_level_selects_pass_warning_or_refusal)
{
	static const enum config_level levels[] = { LEVEL_OFF, LEVEL_WARN, LEVEL_REFUSE };
	struct task t = { .id = (char *)"1", .subject = (char *)"T", .status = TASK_COMPLETED };

	for (size_t i = 0; i < 3; i++) {
		struct facts f = { .config = &config, .query = { .task = &t, .self = &me } };
		struct decision d = { 0 };

		config.rules.resolved = levels[i];
		policy_start(&f, &d);
		cr_expect_eq(d.verdict, i == 2 ? VERDICT_REFUSE : VERDICT_PASS);
		cr_expect_eq(d.context.len > 0, i == 1, "a warning goes to the model");
		cr_expect_eq(decision_silent(&d), i == 0);
		decision_free(&d);
	}
}

Test(policy, invalid_dependencies_are_refused)
{
	struct graph_edge edge[3] = { { .blocked = "1", .blocker = "1" },
		{ .blocked = "1", .blocker = "9\x1b[0m", .unknown = true },
		{ .blocked = "1", .blocker = "3" } };
	struct task t = { .id = (char *)"1", .subject = (char *)"T", .status = TASK_PENDING };
	struct facts f = {
		.config = &config, .query = { .task = &t, .self = &me }, .edge = edge, .edges = 3
	};
	struct decision d = { 0 };

	strings_add(&edge[2].cycle, "1");
	strings_add(&edge[2].cycle, "3");
	strings_add(&edge[2].cycle, "1");
	policy_depend(&f, &d);
	cr_expect_eq(d.verdict, VERDICT_REFUSE);
	cr_expect_str_eq(d.rule, "self_dependency");
	cr_expect_not_null(
	    strstr(buf_text(&d.reason), "#1 -> #3 -> #1"), "%s", buf_text(&d.reason));
	cr_expect_not_null(strstr(buf_text(&d.reason), "There is no task #9"));
	cr_expect_null(strchr(buf_text(&d.reason), '\x1b'));
	strings_free(&edge[2].cycle);
	decision_free(&d);
}

Test(policy, the_create_rules_are_applied)
{
	struct task twin = { .id = (char *)"4", .subject = (char *)"S", .status = TASK_PENDING };
	struct strings missing = { 0 };
	struct decision d = { 0 };
	struct create_facts f = { .config = &config, .subject = "S", .description = "D" };

	policy_create(&f, &d);
	cr_expect(decision_silent(&d));
	f.duplicate = &twin;
	policy_create(&f, &d);
	cr_expect_eq(d.verdict, VERDICT_PASS, "a duplicate is only reported");
	cr_expect_not_null(strstr(buf_text(&d.context), "#4"));
	decision_free(&d);
	f.duplicate = NULL;
	f.subject = " \n";
	policy_create(&f, &d);
	cr_expect_str_eq(d.rule, "empty");
	decision_free(&d);
	f.subject = "S";
	config.create.max_open = 2;
	f.open = 2;
	policy_create(&f, &d);
	cr_expect_str_eq(d.rule, "max_open");
	decision_free(&d);
	f.open = 0;
	strings_add(&missing, "area");
	f.missing = &missing;
	policy_create(&f, &d);
	cr_expect_str_eq(d.rule, "required_metadata");
	decision_free(&d);
	strings_free(&missing);
}

Test(policy, task_numbers_in_a_prompt_are_found)
{
	static const struct {
		const char *text, *ids;
	} rows[] = {
		{ "do task 3", "3" },
		{ "do Task #3, then report", "3" },
		{ "#3", "3" },
		{ "(#3)", "3" },
		{ "tasks 3, 4 and #5", "3 4 5" },
		{ "Tasks #3/#4", "3 4" },
		{ "task: 12", "12" },
		{ "#3 #3 #4", "3 4" },
		{ "fix issue #3", "" },
		{ "PR #3 and pull request #4", "" },
		{ "fixes #3", "" },
		{ "repo#3", "" },
		{ "&#39; and &#3;", "" },
		{ "color #333 #3a3", "" },
		{ "# 3", "" },
		{ "#3.5 #3rd #3-4", "" },
		{ "multitask 3", "" },
		{ "taskforce 3", "" },
		{ "task_3", "" },
		{ "the task is 3 of 4", "" },
		{ "#99999999999999", "" },
		{ "", "" },
		{ "#", "" },
		{ "task", "" },
		{ "task #", "" },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct strings ids = { 0 };
		struct buf b = { 0 };

		policy_spawn_names(rows[i].text, &ids);
		for (size_t k = 0; k < ids.count; k++)
			buf_printf(&b, "%s%s", k > 0 ? " " : "", ids.item[k]);
		cr_expect_str_eq(
		    buf_text(&b), rows[i].ids, "'%s' names '%s'", rows[i].text, buf_text(&b));
		buf_free(&b);
		strings_free(&ids);
	}
}

Test(policy, an_agent_for_tasks_that_cannot_start_is_refused)
{
	struct blocker b = { .id = (char *)"2", .subject = (char *)"B", .status = TASK_PENDING };
	struct blockers blocked = { &b, 1 }, free_ = { 0 };
	struct task done = { .id = (char *)"1", .subject = (char *)"A", .status = TASK_COMPLETED },
		    waits = { .id = (char *)"3", .subject = (char *)"C", .status = TASK_PENDING },
		    held = { .id = (char *)"5",
			    .subject = (char *)"E",
			    .status = TASK_BLOCKED,
			    .original = TASK_BLOCKED },
		    ready = { .id = (char *)"4", .subject = (char *)"D", .status = TASK_PENDING };
	struct spawn_task named[] = { { &done, &free_ }, { &waits, &blocked }, { &held, &free_ },
		{ &ready, &free_ } };
	struct decision d = { 0 };

	policy_spawn(&config, named, 4, &d);
	cr_expect(decision_silent(&d), "one task that can start is enough");
	policy_spawn(&config, named, 3, &d);
	cr_expect_eq(d.verdict, VERDICT_REFUSE);
	cr_expect_not_null(
	    strstr(buf_text(&d.reason), "#1 \"A\" is completed"), "%s", buf_text(&d.reason));
	cr_expect_not_null(strstr(buf_text(&d.reason), "#3 \"C\" is blocked by #2 \"B\""));
	cr_expect_not_null(strstr(buf_text(&d.reason), "#5 \"E\" is blocked."));
	decision_free(&d);
	policy_spawn(&config, named, 0, &d);
	cr_expect(decision_silent(&d));
}

Test(policy, invalid_todo_lists_are_refused)
{
	static const struct {
		const char *input;
		bool one, refused;
	} rows[] = {
		{ "{\"todos\":[]}", false, false },
		{ "{\"todos\":[{\"content\":\"a\",\"status\":\"pending\",\"activeForm\":\"A\"}]}",
		    false, false },
		{ "{\"todos\":[{\"content\":\"\",\"status\":\"pending\",\"activeForm\":\"A\"}]}",
		    false, true },
		{ "{\"todos\":[{\"content\":\"a\",\"status\":\"done\",\"activeForm\":\"A\"}]}",
		    false, true },
		{ "{\"todos\":[{\"content\":\"a\",\"status\":\"blocked\",\"activeForm\":\"A\"}]}",
		    false, true },
		{ "{\"todos\":[{\"content\":\"a\",\"status\":\"pending\"}]}", false, true },
		{ "{\"todos\":[7]}", false, true },
		{ "{\"todos\":7}", false, true },
		{ "{\"todos\":[{\"content\":\"a\",\"status\":\"in_progress\",\"activeForm\":\"A\"},"
		  "{\"content\":\"b\",\"status\":\"in_progress\",\"activeForm\":\"B\"}]}",
		    false, false },
		{ "{\"todos\":[{\"content\":\"a\",\"status\":\"in_progress\",\"activeForm\":\"A\"},"
		  "{\"content\":\"b\",\"status\":\"in_progress\",\"activeForm\":\"B\"}]}",
		    true, true },
		{ "{\"description\":\"x\"}", false, false },
		{ "{\"description\":\"x\",\"status\":\"blocked\",\"dependencies\":[\"1\"]}", false,
		    false },
		{ "{\"description\":\" \"}", false, true },
		{ "{\"description\":\"x\",\"status\":\"cancelled\"}", false, false },
		{ "{\"description\":\"x\",\"status\":\"canceled\"}", false, true },
		{ "{\"description\":\"x\",\"dependencies\":\"1\"}", false, true },
		{ "{\"description\":\"x\",\"id\":\"1\",\"dependencies\":[\"1\"]}", false, true },
		{ "{\"description\":\"x\",\"dependencies\":[1]}", false, true },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct json j = { 0 };
		struct error e;
		struct decision d = { 0 };

		config.todo.one_in_progress = rows[i].one;
		cr_assert_eq(json_parse(&j, rows[i].input, strlen(rows[i].input), &e), 0);
		policy_todo(&config, &j, JSON_ROOT, &d);
		cr_expect_eq(d.verdict == VERDICT_REFUSE, rows[i].refused, "%s: %s", rows[i].input,
		    buf_text(&d.reason));
		decision_free(&d);
		json_free(&j);
	}
}
