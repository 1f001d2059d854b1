/*
 * The commands: what main() runs and what `help` prints, in the order of `help`.
 */
#include <string.h>

#include "commands.h"

static const struct flag list_flags[] = {
	{ "all", 'a', NULL, "include completed tasks" },
	{ "status", 's', "STATUS",
	    "only tasks with this status: pending, in_progress, completed (repeatable)" },
	{ "owner", 'o', "NAME", "only tasks of this owner; '' for tasks without one" },
	{ "ready", 'r', NULL, "only tasks that can be started now" },
	{ "blocked", 'b', NULL, "only tasks that wait for others" },
	{ 0 },
};

static const struct flag lists_flags[] = {
	{ "all", 'a', NULL, "include lists without tasks" },
	{ 0 },
};

static const struct flag tree_flags[] = {
	{ "all", 'a', NULL, "include completed tasks" },
	{ "dot", 0, NULL, "print Graphviz source" },
	{ "mermaid", 0, NULL, "print a Mermaid flowchart" },
	{ 0 },
};

static const struct flag log_flags[] = {
	{ "count", 'n', "COUNT", "show at most COUNT lines (default 50)" },
	{ "verify", 0, NULL, "check that no line was changed, removed or moved" },
	{ 0 },
};

static const struct flag agents_flags[] = {
	{ "all", 'a', NULL, "include all that had a task, however long ago" },
	{ 0 },
};

static const struct flag watch_flags[] = {
	{ "until", 'u', "N|all", "exit when this task, or every task, is completed" },
	{ 0 },
};

#define FIELD_FLAGS                                                                   \
	{ "description", 'd', "TEXT", "what is to be done; - reads standard input" }, \
	    { "active-form", 0, "TEXT", "shown while it is in progress" },            \
	    { "owner", 'o', "NAME", "who is to do it; '' for no owner" },             \
	    { "blocked-by", 'b', "N,...", "tasks it waits for" },                     \
	    { "blocks", 0, "N,...", "tasks that wait for it" },                       \
	    { "parent", 0, "N", "the task it is a part of" },                         \
	    { "metadata", 'm', "JSON", "an object to merge; null removes a key" },    \
	{                                                                             \
		"set", 0, "KEY=VALUE", "set one key of the metadata (repeatable)"     \
	}
#define AGENT_FLAG                                                                           \
	{                                                                                    \
		"agent", 0, "NAME",                                                          \
		    "act as this agent (default: CLAUDE_TASKS_AGENT, the session, the user)" \
	}

static const struct flag create_flags[] = { FIELD_FLAGS, AGENT_FLAG, { 0 } };

static const struct flag update_flags[] = {
	{ "status", 's', "STATUS",
	    "pending, in_progress (claims it) or completed (runs the gates)" },
	{ "subject", 0, "TEXT", "the new subject" },
	FIELD_FLAGS,
	AGENT_FLAG,
	{ 0 },
};

static const struct flag claim_flags[] = {
	{ "next", 'n', NULL, "claim the first task that is ready" },
	{ "one", '1', NULL, "refuse if the agent has another open task" },
	AGENT_FLAG,
	{ 0 },
};

static const struct flag complete_flags[] = {
	{ "force", 0, NULL, "ignore the gates; needs --reason, which the journal keeps" },
	{ "reason", 0, "TEXT", "why it is forced" },
	AGENT_FLAG,
	{ 0 },
};

static const struct flag release_flags[] = {
	{ "agent", 0, "NAME", "release all unfinished tasks of this agent (name or id)" },
	{ "dead", 0, NULL, "release all claims of agents whose client is gone" },
	{ "reason", 0, "TEXT", "a reason for the journal" },
	{ 0 },
};

static const struct flag delete_flags[] = { AGENT_FLAG, { 0 } };

static const struct flag clear_flags[] = {
	{ "completed", 0, NULL, "only completed tasks" },
	{ "yes", 'y', NULL, "do not ask for confirmation" },
	{ 0 },
};

static const struct flag depend_flags[] = {
	{ "on", 0, "N,...", "wait for these tasks" },
	{ "drop", 0, "N,...", "stop waiting for these tasks" },
	AGENT_FLAG,
	{ 0 },
};

static const struct flag undo_flags[] = {
	{ "dry-run", 0, NULL, "only print what would be undone" },
	{ 0 },
};

static const struct flag restore_flags[] = {
	{ "all", 'a', NULL, "restore every task that vanished" },
	{ "deleted", 0, NULL, "include tasks that a command deleted" },
	{ "dry-run", 0, NULL, "only print what would be restored" },
	{ 0 },
};

static const struct flag call_flags[] = { AGENT_FLAG, { 0 } };

static const struct flag mcp_flags[] = {
	{ "tools", 0, "WHICH",
	    "which tools: client (Task...), todo (Todo...), plain (create_task...) or all" },
	AGENT_FLAG,
	{ 0 },
};

#define SCOPE_FLAGS                                                      \
	{ "user", 0, NULL, "use the user's settings (the default)" },    \
	    { "project", 0, NULL, "use the project's shared settings" }, \
	    { "local", 0, NULL, "use the project's local settings" },    \
	{                                                                \
		"dry-run", 0, NULL, "only print what the file would be"  \
	}

static const struct flag install_flags[] = {
	SCOPE_FLAGS,
	{ "events", 0, "NAME,...", "only these events; all: every event, also Stop" },
	{ "todo-tools", 0, NULL, "also set CLAUDE_CODE_ENABLE_TODO_TOOLS=1" },
	{ "no-todo-tools", 0, NULL, "do not set it, and do not ask" },
	{ "bin", 0, "DIR", "where the hooks are (default: beside this program)" },
	{ "shell", 0, NULL, "register shell command lines, for old clients" },
	{ "client", 0, "FILE", "the client to ask for its version (default: claude)" },
	{ "force", 0, NULL, "register even if the plugin is enabled" },
	{ "yes", 'y', NULL, "do not ask for confirmation" },
	{ 0 },
};

static const struct flag uninstall_flags[] = { SCOPE_FLAGS, { 0 } };

static const struct flag status_flags[] = {
	{ "client", 0, "FILE", "the client to ask for its version (default: claude)" },
	{ 0 },
};

static const struct flag doctor_flags[] = {
	{ "fix", 0, NULL, "apply safe fixes, after a backup" },
	{ "no-selftest", 0, NULL, "do not test the installed hooks" },
	{ "client", 0, "FILE", "the client to ask for its version (default: claude)" },
	{ 0 },
};

static const struct flag init_flags[] = {
	{ "suggest", 0, NULL, "only print the proposal" },
	{ "yes", 'y', NULL, "do not ask for confirmation" },
	{ 0 },
};

static const struct flag trust_flags[] = {
	{ "show", 0, NULL, "list the trusted files" },
	{ "yes", 'y', NULL, "do not ask for confirmation" },
	{ 0 },
};

static const struct flag verify_flags[] = {
	{ "gate", 'g', "NAME,...", "only these gates" },
	{ "no-cache", 0, NULL, "run gates even if they passed on this tree" },
	{ "no-deadline", 0, NULL, "do not stop at the hook's deadline" },
	{ "dry-run", 0, NULL, "only print which gates would run" },
	AGENT_FLAG,
	{ 0 },
};

static const struct flag import_flags[] = {
	{ "from", 0, "FORM",
	    "native, document (tasks.json), exported, folder or checklist (default: detected)" },
	{ "dry-run", 0, NULL, "only print how many tasks would be imported" },
	{ 0 },
};

static const struct flag export_flags[] = {
	{ "to", 0, "FORM",
	    "native, document, exported, folder or checklist (default: from the file name)" },
	{ "strict", 0, NULL, "fail if anything would be lost" },
	{ 0 },
};

static const struct flag rehome_flags[] = {
	{ "all", 'a', NULL, "include completed tasks" },
	{ "copy", 0, NULL, "keep them in the old list as well" },
	{ "dry-run", 0, NULL, "only print how many tasks would move" },
	{ 0 },
};

/* name, another name, operands, least and most of them, function, flags, summary, group, detail */
static const struct command table[] = {
	{ "list", NULL, "", 0, 0, list_main, list_flags,
	    "list tasks, in progress first (the default command)", "Reading", NULL },
	{ "get", "show", "N...", 1, -1, get_main, NULL, "show everything about tasks", NULL, NULL },
	{ "lists", NULL, "", 0, 0, lists_main, lists_flags,
	    "show every task list, its progress and its session", NULL, NULL },
	{ "tree", "graph", "[N]", 0, 1, tree_main, tree_flags, "draw which tasks wait for which",
	    NULL, NULL },
	{ "why", NULL, "N", 1, 1, why_main, NULL,
	    "show what blocks a task, who holds it and which command clears it", NULL, NULL },
	{ "log", NULL, "[N]", 0, 1, log_main, log_flags, "show what was done to the list or a task",
	    NULL, NULL },
	{ "agents", NULL, "", 0, 0, agents_main, agents_flags,
	    "show who works on the list, and who is gone", NULL, NULL },
	{ "statusline", NULL, "", 0, 0, statusline_main, NULL,
	    "print one line for Claude Code's status line", NULL,
	    "Reads the client's JSON on standard input, unless that is a terminal.  In\n"
	    "settings.json: \"statusLine\": {\"type\": \"command\", \"command\": "
	    "\"claude-tasks statusline\"}\n" },
	{ "watch", NULL, "", 0, 0, watch_main, watch_flags, "show the list live (q to quit)", NULL,
	    "Without a terminal it prints a line for each change.\n" },
	{ "create", "add", "SUBJECT", 1, -1, create_main, create_flags, "create a task", "Writing",
	    NULL },
	{ "update", NULL, "N...", 1, -1, update_main, update_flags, "change fields of tasks", NULL,
	    NULL },
	{ "claim", "start", "[N]", 0, 1, claim_main, claim_flags,
	    "start a task, if it is free and not blocked", NULL,
	    "Exit status: 10 no such task, 11 claimed by another, 12 completed already,\n"
	    "13 blocked, 14 the agent has another task, 15 the list is locked.\n" },
	{ "complete", "done", "N", 1, 1, complete_main, complete_flags,
	    "complete a task, if its gates pass", NULL,
	    "The verdict is the same as the hook's.  Exit status 20: a gate or check refused.\n" },
	{ "release", NULL, "[N...]", 0, -1, release_main, release_flags,
	    "return tasks to pending, without an owner", NULL, NULL },
	{ "delete", "rm", "N...", 1, -1, delete_main, delete_flags, "delete tasks", NULL, NULL },
	{ "clear", NULL, "", 0, 0, clear_main, clear_flags, "delete all tasks of the list", NULL,
	    NULL },
	{ "depend", NULL, "N", 1, 1, depend_main, depend_flags,
	    "change which tasks a task waits for", NULL, NULL },
	{ "undo", NULL, "[N]", 0, 1, undo_main, undo_flags,
	    "undo the last change of the list or a task", NULL, NULL },
	{ "restore", NULL, "[N...]", 0, -1, restore_main, restore_flags,
	    "restore vanished tasks from the journal", NULL, NULL },
	{ "call", NULL, "[TOOL]", 0, 1, call_main, call_flags,
	    "run a tool: JSON on standard input, JSON on standard output", "For programs", NULL },
	{ "mcp", NULL, "", 0, 0, mcp_main, mcp_flags,
	    "serve the tools of 'call' over the Model Context Protocol", NULL, NULL },
	{ "import", NULL, "FILE|DIR|-", 1, 1, import_main, import_flags,
	    "import tasks from a file or another list", "Import and export", NULL },
	{ "export", NULL, "[FILE|DIR]", 0, 1, export_main, export_flags,
	    "write the list in another form, and report what is lost", NULL, NULL },
	{ "rehome", NULL, "FROM [TO]", 1, 2, rehome_main, rehome_flags,
	    "move the open tasks of another list here", NULL, NULL },
	{ "init", NULL, "", 0, 0, init_main, init_flags, "propose gates for this project", "Gates",
	    NULL },
	{ "trust", NULL, "[FILE]", 0, 1, trust_main, trust_flags,
	    "trust this project's gate file, so that its commands run", NULL, NULL },
	{ "untrust", NULL, "[FILE]", 0, 1, untrust_main, NULL,
	    "stop trusting this project's gate file", NULL, NULL },
	{ "verify", NULL, "N", 1, 1, verify_main, verify_flags,
	    "run a task's gates now, and remember what passes", NULL, NULL },
	{ "receipts", NULL, "[N] | export [FILE]", 0, 2, receipts_main, NULL,
	    "show what was checked when tasks were completed", NULL, NULL },
	{ "doctor", NULL, "", 0, 0, doctor_main, doctor_flags,
	    "report problems with the list and the hooks, and their fixes", "Maintenance", NULL },
	{ "install", NULL, "", 0, 0, install_main, install_flags,
	    "register the hooks in Claude Code's settings", NULL, NULL },
	{ "uninstall", NULL, "", 0, 0, uninstall_main, uninstall_flags,
	    "remove the hooks from Claude Code's settings", NULL, NULL },
	{ "status", NULL, "", 0, 0, status_main, status_flags,
	    "show which hooks are registered where", NULL, NULL },
	{ "help", NULL, "[COMMAND]", 0, 1, help_main, NULL,
	    "list the commands, or show the help of one", "Other", NULL },
	{ "version", NULL, "", 0, 0, version_main, NULL, "print the version", NULL, NULL },
	{ "words", NULL, "", 0, -1, completions_main, NULL, NULL, NULL, NULL },
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
