/*
 * The commands: what `help` prints and what main() runs.  The order is that of `help`.
 */
#include <string.h>

#include "commands.h"

static const struct flag list_flags[] = {
	{ "all", 'a', NULL, "completed ones too" },
	{ "status", 's', "STATUS",
	    "only these: pending, in_progress, completed (repeat or comma)" },
	{ "owner", 'o', "NAME", "only those of this owner; '' for none" },
	{ "ready", 'r', NULL, "only those that can be started now" },
	{ "blocked", 'b', NULL, "only those that wait for others" },
	{ 0 },
};

static const struct flag lists_flags[] = {
	{ "all", 'a', NULL, "also lists without tasks" },
	{ 0 },
};

static const struct flag tree_flags[] = {
	{ "all", 'a', NULL, "completed ones too" },
	{ "dot", 0, NULL, "print Graphviz source" },
	{ "mermaid", 0, NULL, "print a Mermaid flowchart" },
	{ 0 },
};

static const struct flag log_flags[] = {
	{ "count", 'n', "COUNT", "at most so many lines (default 50)" },
	{ "verify", 0, NULL, "check that no line was changed, removed or moved" },
	{ 0 },
};

static const struct flag watch_flags[] = {
	{ "until", 'u', "N|all", "leave when this task, or every task, is completed" },
	{ 0 },
};

static const struct flag ids_flags[] = {
	{ "open", 0, NULL, "only open ones" },
	{ 0 },
};

#define FIELD_FLAGS                                                                          \
	{ "description", 'd', "TEXT", "what is to be done; - reads standard input" },        \
	    { "active-form", 0, "TEXT", "shown while it is in progress" },                   \
	    { "owner", 'o', "NAME", "who is to do it; '' for nobody" },                      \
	    { "blocked-by", 'b', "N,...", "tasks it waits for" },                            \
	    { "blocks", 0, "N,...", "tasks that wait for it" },                              \
	    { "parent", 0, "N", "the task it is a part of" },                                \
	    { "metadata", 'm', "JSON", "an object; its keys are merged, null removes one" }, \
	{                                                                                    \
		"set", 0, "KEY=VALUE", "one key of the metadata (repeat)"                    \
	}
#define AGENT_FLAG                                                                  \
	{                                                                           \
		"agent", 0, "NAME",                                                 \
		    "who acts (default: CLAUDE_TASKS_AGENT, the session, the user)" \
	}

static const struct flag create_flags[] = { FIELD_FLAGS, AGENT_FLAG, { 0 } };

static const struct flag update_flags[] = {
	{ "status", 's', "STATUS",
	    "pending, in_progress (claims it) or completed (runs the gates)" },
	{ "subject", 0, "TEXT", "a new subject" },
	FIELD_FLAGS,
	AGENT_FLAG,
	{ 0 },
};

static const struct flag claim_flags[] = {
	{ "next", 'n', NULL, "the first task that is ready" },
	{ "one", '1', NULL, "refuse if the agent has another open task" },
	AGENT_FLAG,
	{ 0 },
};

static const struct flag complete_flags[] = {
	{ "force", 0, NULL, "whatever the gates say; needs --reason, and is kept in the journal" },
	{ "reason", 0, "TEXT", "why it is forced" },
	AGENT_FLAG,
	{ 0 },
};

static const struct flag release_flags[] = {
	{ "agent", 0, "NAME", "all unfinished tasks of this agent, by name or id" },
	{ "dead", 0, NULL, "all claims of agents whose client is gone" },
	{ "reason", 0, "TEXT", "for the journal" },
	{ 0 },
};

static const struct flag delete_flags[] = { AGENT_FLAG, { 0 } };

static const struct flag clear_flags[] = {
	{ "completed", 0, NULL, "only the completed ones" },
	{ "yes", 'y', NULL, "do not ask" },
	{ 0 },
};

static const struct flag depend_flags[] = {
	{ "on", 0, "N,...", "it waits for these" },
	{ "drop", 0, "N,...", "it no longer waits for these" },
	AGENT_FLAG,
	{ 0 },
};

static const struct flag undo_flags[] = {
	{ "dry-run", 0, NULL, "only say what would be undone" },
	{ 0 },
};

static const struct flag restore_flags[] = {
	{ "all", 'a', NULL, "every task that vanished" },
	{ "deleted", 0, NULL, "also those that were deleted by a command" },
	{ "dry-run", 0, NULL, "only say what would be restored" },
	{ 0 },
};

static const struct flag call_flags[] = { AGENT_FLAG, { 0 } };

static const struct flag mcp_flags[] = {
	{ "tools", 0, "WHICH", "client (Task...), todo (Todo...), plain (create_task...) or all" },
	AGENT_FLAG,
	{ 0 },
};

#define SCOPE_FLAGS                                                             \
	{ "user", 0, NULL, "the user's settings (the default)" },               \
	    { "project", 0, NULL, "the project's settings, which are shared" }, \
	    { "local", 0, NULL, "the project's local settings" },               \
	{                                                                       \
		"dry-run", 0, NULL, "only show what the file would be"          \
	}

static const struct flag install_flags[] = {
	SCOPE_FLAGS,
	{ "events", 0, "NAME,...", "only these events; all: also Stop" },
	{ "todo-tools", 0, NULL, "also set CLAUDE_CODE_ENABLE_TODO_TOOLS=1" },
	{ "no-todo-tools", 0, NULL, "do not, and do not ask" },
	{ "bin", 0, "DIR", "where the hooks are (default: beside this program)" },
	{ "shell", 0, NULL, "as command lines for a shell, for old clients" },
	{ "client", 0, "FILE", "the client whose version is asked for (default: claude)" },
	{ "force", 0, NULL, "although the plugin is enabled" },
	{ "yes", 'y', NULL, "ask nothing" },
	{ 0 },
};

static const struct flag uninstall_flags[] = { SCOPE_FLAGS, { 0 } };

static const struct flag status_flags[] = {
	{ "client", 0, "FILE", "the client whose version is asked for (default: claude)" },
	{ 0 },
};

static const struct flag doctor_flags[] = {
	{ "fix", 0, NULL, "do what is safe, after a backup" },
	{ "no-selftest", 0, NULL, "do not try the installed hooks" },
	{ "client", 0, "FILE", "the client whose version is asked for (default: claude)" },
	{ 0 },
};

static const struct flag init_flags[] = {
	{ "suggest", 0, NULL, "only print it" },
	{ "yes", 'y', NULL, "do not ask" },
	{ 0 },
};

static const struct flag trust_flags[] = {
	{ "show", 0, NULL, "list what is trusted" },
	{ "yes", 'y', NULL, "do not ask" },
	{ 0 },
};

static const struct flag verify_flags[] = {
	{ "gate", 'g', "NAME,...", "only these gates" },
	{ "no-cache", 0, NULL, "run them although they passed on this tree" },
	{ "no-deadline", 0, NULL, "let them take longer than the hook would" },
	{ "dry-run", 0, NULL, "only say which would run" },
	AGENT_FLAG,
	{ 0 },
};

static const struct flag import_flags[] = {
	{ "from", 0, "FORM",
	    "native, document (tasks.json), exported, folder, checklist (default: as it looks)" },
	{ "dry-run", 0, NULL, "only say what would come" },
	{ 0 },
};

static const struct flag export_flags[] = {
	{ "to", 0, "FORM",
	    "native, document, exported, folder, checklist (default: by the name, else exported)" },
	{ "strict", 0, NULL, "refuse if anything would be lost" },
	{ 0 },
};

static const struct flag rehome_flags[] = {
	{ "all", 'a', NULL, "completed ones too" },
	{ "copy", 0, NULL, "leave them in the old list as well" },
	{ "dry-run", 0, NULL, "only say how many" },
	{ 0 },
};

static const struct command table[] = {
	{ .group = "Reading",
	    .name = "list",
	    .operands = "",
	    .summary = "the tasks, in progress first (the default command)",
	    .flags = list_flags,
	    .run = list_main },
	{ .name = "get",
	    .operands = "N...",
	    .summary = "everything about a task",
	    .min = 1,
	    .max = -1,
	    .run = get_main,
	    .also = "show" },
	{ .name = "lists",
	    .operands = "",
	    .summary = "every list, how far it is and whose",
	    .flags = lists_flags,
	    .run = lists_main },
	{ .name = "tree",
	    .operands = "[N]",
	    .summary = "who waits for whom, drawn",
	    .flags = tree_flags,
	    .max = 1,
	    .run = tree_main,
	    .also = "graph" },
	{ .name = "why",
	    .operands = "N",
	    .summary = "what stops a task, who holds it, and the command that clears it",
	    .min = 1,
	    .max = 1,
	    .run = why_main },
	{ .name = "log",
	    .operands = "[N]",
	    .summary = "what was done to a task or the list",
	    .flags = log_flags,
	    .max = 1,
	    .run = log_main },
	{ .name = "statusline",
	    .operands = "",
	    .summary = "one line for Claude Code's status line",
	    .detail = "Reads the client's JSON on standard input when that is no terminal.  In\n"
		      "settings.json: \"statusLine\": {\"type\": \"command\", \"command\": "
		      "\"claude-tasks statusline\"}\n",
	    .run = statusline_main },
	{ .name = "watch",
	    .operands = "",
	    .summary = "the list, live; q leaves",
	    .detail = "Without a terminal: a line for each change.\n",
	    .flags = watch_flags,
	    .run = watch_main },
	{ .group = "Writing",
	    .name = "create",
	    .operands = "SUBJECT",
	    .summary = "a new task",
	    .flags = create_flags,
	    .min = 1,
	    .max = -1,
	    .run = create_main,
	    .also = "add" },
	{ .name = "update",
	    .operands = "N...",
	    .summary = "change fields of tasks",
	    .flags = update_flags,
	    .min = 1,
	    .max = -1,
	    .run = update_main },
	{ .name = "claim",
	    .operands = "[N]",
	    .summary = "start a task, if it is free and nothing blocks it",
	    .detail = "Exit status: 10 no such task, 11 claimed by another, 12 completed already,\n"
		      "13 blocked, 14 the agent has another task, 15 the list is locked.\n",
	    .flags = claim_flags,
	    .max = 1,
	    .run = claim_main,
	    .also = "start" },
	{ .name = "complete",
	    .operands = "N",
	    .summary = "complete a task, if its gates pass",
	    .detail =
		"The verdict is the one of the hook.  Exit status 20: a gate or check refused.\n",
	    .flags = complete_flags,
	    .min = 1,
	    .max = 1,
	    .run = complete_main,
	    .also = "done" },
	{ .name = "release",
	    .operands = "[N...]",
	    .summary = "give tasks back: pending, no owner",
	    .flags = release_flags,
	    .max = -1,
	    .run = release_main },
	{ .name = "delete",
	    .operands = "N...",
	    .summary = "remove tasks",
	    .flags = delete_flags,
	    .min = 1,
	    .max = -1,
	    .run = delete_main,
	    .also = "rm" },
	{ .name = "clear",
	    .operands = "",
	    .summary = "remove all tasks of the list",
	    .flags = clear_flags,
	    .run = clear_main },
	{ .name = "depend",
	    .operands = "N",
	    .summary = "which tasks a task waits for",
	    .flags = depend_flags,
	    .min = 1,
	    .max = 1,
	    .run = depend_main },
	{ .name = "undo",
	    .operands = "[N]",
	    .summary = "take back the last change (of a task), if nothing else has changed it",
	    .flags = undo_flags,
	    .max = 1,
	    .run = undo_main },
	{ .name = "restore",
	    .operands = "[N...]",
	    .summary = "bring back tasks that vanished, from the journal",
	    .flags = restore_flags,
	    .max = -1,
	    .run = restore_main },
	{ .group = "For programs",
	    .name = "call",
	    .operands = "[TOOL]",
	    .summary = "run a tool: JSON on standard input, JSON on standard output",
	    .flags = call_flags,
	    .max = 1,
	    .run = call_main },
	{ .name = "mcp",
	    .operands = "",
	    .summary = "the same tools as a Model Context Protocol server",
	    .flags = mcp_flags,
	    .run = mcp_main },
	{ .group = "Moving",
	    .name = "import",
	    .operands = "FILE|DIR|-",
	    .summary = "tasks from a file or another list",
	    .flags = import_flags,
	    .min = 1,
	    .max = 1,
	    .run = import_main },
	{ .name = "export",
	    .operands = "[FILE|DIR]",
	    .summary = "the list in another form, and what that cannot hold",
	    .flags = export_flags,
	    .max = 1,
	    .run = export_main },
	{ .name = "rehome",
	    .operands = "FROM [TO]",
	    .summary = "bring the open tasks of a stranded list here",
	    .flags = rehome_flags,
	    .min = 1,
	    .max = 2,
	    .run = rehome_main },
	{ .group = "Gates",
	    .name = "init",
	    .operands = "",
	    .summary = "propose gates for this project",
	    .flags = init_flags,
	    .run = init_main },
	{ .name = "trust",
	    .operands = "[FILE]",
	    .summary = "let the commands of this project's gate file run",
	    .flags = trust_flags,
	    .max = 1,
	    .run = trust_main },
	{ .name = "untrust",
	    .operands = "[FILE]",
	    .summary = "no longer",
	    .max = 1,
	    .run = untrust_main },
	{ .name = "verify",
	    .operands = "N",
	    .summary = "run a task's gates now; what passes is remembered for its completion",
	    .flags = verify_flags,
	    .min = 1,
	    .max = 1,
	    .run = verify_main },
	{ .name = "receipts",
	    .operands = "[N] | export [FILE]",
	    .summary = "what was checked when tasks were completed",
	    .max = 2,
	    .run = receipts_main },
	{ .group = "Keeping",
	    .name = "doctor",
	    .operands = "",
	    .summary = "what is wrong with the list and the hooks, and the fix",
	    .flags = doctor_flags,
	    .run = doctor_main },
	{ .name = "install",
	    .operands = "",
	    .summary = "register the hooks in Claude Code's settings",
	    .flags = install_flags,
	    .run = install_main },
	{ .name = "uninstall",
	    .operands = "",
	    .summary = "take them out again",
	    .flags = uninstall_flags,
	    .run = uninstall_main },
	{ .name = "status",
	    .operands = "",
	    .summary = "which hooks are registered where",
	    .flags = status_flags,
	    .run = status_main },
	{ .group = "Other",
	    .name = "help",
	    .operands = "[COMMAND]",
	    .summary = "this, or what a command does and takes",
	    .max = 1,
	    .run = help_main },
	{ .name = "version", .operands = "", .summary = "the version", .run = version_main },
	{ .name = "ids", .operands = "", .summary = NULL, .flags = ids_flags, .run = ids_main },
	{ .name = "words", .operands = "", .summary = NULL, .max = -1, .run = completion_main },
};

const struct command *
command_table(size_t *count)
{
	*count = sizeof(table) / sizeof(table[0]);
	return table;
}

const struct command *
command_find(const char *name)
{
	for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++)
		if (strcmp(table[i].name, name) == 0 ||
		    (table[i].also != NULL && strcmp(table[i].also, name) == 0))
			return &table[i];
	return NULL;
}
