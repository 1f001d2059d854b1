/*
 * The commands: what main() runs and what `help` prints, in the order of `help`.
 */
#include <string.h>

#include "commands.h"

static const struct flag list_flags[] = {
	{ "all", 'a', NULL, "include completed and cancelled tasks" },
	{ "status", 's', "STATUS",
	    "only tasks with this status: pending, in_progress, completed, blocked, cancelled "
	    "(repeatable)" },
	{ "owner", 'o', "NAME", "only tasks of this owner; '' for tasks without one" },
	{ "ready", 'r', NULL, "only tasks that can be started now" },
	{ "blocked", 'b', NULL, "only tasks that wait for others or were set to blocked" },
	{ "search", 0, "TEXT", "only tasks with this text in the subject or description" },
	{ "for", 0, "TYPE", "only tasks for this type of agent: [SA:TYPE] in the subject" },
	{ "kind", 0, "KIND", "only tasks of this kind: mission, experiment, phase, bug" },
	{ "repo", 0, "NAME", "only tasks for this repository" },
	{ 0 },
};

static const struct flag lists_flags[] = {
	{ "all", 'a', NULL, "include lists without tasks" },
	{ 0 },
};

static const struct flag tree_flags[] = {
	{ "all", 'a', NULL, "include completed and cancelled tasks" },
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
	    { "active-form", 0, "TEXT", "shown while the task is in progress" },      \
	    { "owner", 'o', "NAME", "the owner of the task; '' for none" },           \
	    { "blocked-by", 'b', "N,...", "tasks it waits for" },                     \
	    { "blocks", 0, "N,...", "tasks that wait for it" },                       \
	    { "parent", 0, "N", "the task it is a part of; '' for none" },            \
	    { "metadata", 'm', "JSON",                                                \
		    "a JSON object to merge into the metadata; null removes a key" }, \
	{                                                                             \
		"set", 0, "KEY=VALUE", "set one key of the metadata (repeatable)"     \
	}
#define AGENT_FLAG                                                                           \
	{                                                                                    \
		"agent", 0, "NAME",                                                          \
		    "act as this agent (default: CLAUDE_TASKS_AGENT, the session, the user)" \
	}

static const struct flag create_flags[] = {
	FIELD_FLAGS,
	{ "kind", 0, "KIND", "mission, experiment, phase or bug, as the MACF tools make them" },
	{ "repo", 0, "NAME", "the repository it is for (with --kind)" },
	{ "version", 0, "VERSION", "the version it is for (with --kind)" },
	{ "cycle", 0, "COUNT", "the cycle in which it is created (with --kind)" },
	{ "breadcrumb", 0, "WORD", "where it is created (with --kind)" },
	AGENT_FLAG,
	{ 0 },
};

static const struct flag update_flags[] = {
	{ "status", 's', "STATUS",
	    "pending, in_progress (claims it), completed (runs the gates), blocked or cancelled" },
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
	{ "force", 0, NULL, "complete without the gates; needs --reason" },
	{ "reason", 0, "TEXT", "why it is forced; recorded in the journal" },
	AGENT_FLAG,
	{ 0 },
};

static const struct flag release_flags[] = {
	{ "agent", 0, "NAME", "release all unfinished tasks of this agent (name or id)" },
	{ "dead", 0, NULL, "release all claims of agents whose client is gone" },
	{ "reason", 0, "TEXT", "the reason, recorded in the journal" },
	{ 0 },
};

static const struct flag delete_flags[] = { AGENT_FLAG, { 0 } };

static const struct flag clear_flags[] = {
	{ "completed", 0, NULL, "delete only completed and cancelled tasks" },
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
	{ "all", 'a', NULL, "restore every missing task" },
	{ "deleted", 0, NULL, "include tasks that a command deleted" },
	{ "dry-run", 0, NULL, "only print what would be restored" },
	{ 0 },
};

static const struct flag call_flags[] = { AGENT_FLAG, { 0 } };

static const struct flag mcp_flags[] = {
	{ "tools", 0, "WHICH",
	    "offer these tools: client (Task...), todo (Todo...), plain (create_task...) or all" },
	AGENT_FLAG,
	{ 0 },
};

#define SCOPE_FLAGS                                                          \
	{ "user", 0, NULL, "use the user's settings (the default)" },        \
	    { "project", 0, NULL, "use the project's shared settings" },     \
	    { "local", 0, NULL, "use the project's local settings" },        \
	{                                                                    \
		"dry-run", 0, NULL, "only print what the file would contain" \
	}

static const struct flag install_flags[] = {
	SCOPE_FLAGS,
	{ "events", 0, "NAME,...",
	    "register only these events; all: every event, also Stop; sync: PostToolUse for the "
	    "sync commands" },
	{ "todo-tools", 0, NULL, "also set CLAUDE_CODE_ENABLE_TODO_TOOLS=1" },
	{ "no-todo-tools", 0, NULL, "do not set CLAUDE_CODE_ENABLE_TODO_TOOLS, and do not ask" },
	{ "skill", 0, NULL, "also install the skill that explains claude-tasks to agents" },
	{ "statusline", 0, NULL, "also show the tasks in the client's status line" },
	{ "bin", 0, "DIR", "the directory of the hooks (default: that of claude-tasks)" },
	{ "copy", 0, NULL,
	    "register copies of the programs that install keeps in the configuration directory "
	    "(the "
	    "default from an npm package)" },
	{ "shell", 0, NULL, "register shell command lines, for old clients" },
	{ "if-there", 0, NULL, "register lines that do nothing where the programs are missing" },
	{ "client", 0, "FILE", "the client's executable, run for its version (default: claude)" },
	{ "force", 0, NULL, "register even if the plugin is enabled" },
	{ "yes", 'y', NULL, "do not ask for confirmation" },
	{ 0 },
};

static const struct flag uninstall_flags[] = {
	SCOPE_FLAGS,
	{ "purge", 0, NULL, "also remove journals, receipts and all other records, of every list" },
	{ 0 },
};

static const struct flag status_flags[] = {
	{ "client", 0, "FILE", "the client's executable, run for its version (default: claude)" },
	{ 0 },
};

static const struct flag doctor_flags[] = {
	{ "fix", 0, NULL, "apply safe fixes, after a backup" },
	{ "no-selftest", 0, NULL, "do not test the installed hooks" },
	{ "client", 0, "FILE", "the client's executable, run for its version (default: claude)" },
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

static const struct flag receipts_flags[] = {
	{ "sign", 0, "KEY", "export: sign it with this ssh key, as FILE.sig" },
	{ 0 },
};

static const struct flag pause_flags[] = {
	{ "for", 0, "TIME", "refuse nothing for this long: 30m, 2h; at most 24h" },
	{ "reason", 0, "TEXT", "why, recorded in the journal" },
	{ "end", 0, NULL, "refuse again from now on" },
	{ 0 },
};

static const struct flag verify_flags[] = {
	{ "gate", 'g', "NAME,...", "run only these gates" },
	{ "no-cache", 0, NULL, "run gates even if they passed on this tree" },
	{ "no-deadline", 0, NULL, "do not stop at the hook's deadline" },
	{ "dry-run", 0, NULL, "only print which gates would run" },
	AGENT_FLAG,
	{ 0 },
};

static const struct flag new_flags[] = {
	{ "form", 0, "FORM", "native (the default), document (tasks.json) or folder (.tasks)" },
	{ 0 },
};

static const struct flag import_flags[] = {
	{ "from", 0, "FORM",
	    "native, document (tasks.json), exported, folder or checklist (default: detected)" },
	{ "strict", 0, NULL, "fail if an entry, a dependency or a parent would be left out" },
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
	{ "all", 'a', NULL, "include completed and cancelled tasks" },
	{ "copy", 0, NULL, "copy the tasks: keep them in the old list too" },
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
	{ "tree", "graph", "[N]", 0, 1, tree_main, tree_flags,
	    "draw which tasks are parts of which, and which wait for which", NULL, NULL },
	{ "why", NULL, "N", 1, 1, why_main, NULL,
	    "show what blocks a task, who holds it, and which command to run", NULL, NULL },
	{ "log", NULL, "[N]", 0, 1, log_main, log_flags, "show what was done to the list or a task",
	    NULL, NULL },
	{ "agents", NULL, "", 0, 0, agents_main, agents_flags,
	    "show who works on the list, and who is gone", NULL, NULL },
	{ "statusline", NULL, "", 0, 0, statusline_main, NULL,
	    "print one line for Claude Code's status line", NULL,
	    "Reads the client's JSON on standard input, unless that is a terminal.  To show it:\n"
	    "claude-tasks install --statusline\n" },
	{ "watch", NULL, "", 0, 0, watch_main, watch_flags, "show the list live (q to quit)", NULL,
	    "Without a terminal it prints a line for each change.\n" },
	{ "create", "add", "SUBJECT", 1, -1, create_main, create_flags, "create a task", "Writing",
	    "A phase and a bug need --parent: claude-tasks create --kind bug --parent 3 TITLE\n" },
	{ "update", NULL, "N...", 1, -1, update_main, update_flags, "change fields of tasks", NULL,
	    NULL },
	{ "claim", "start", "[N]", 0, 1, claim_main, claim_flags,
	    "start a task that is not blocked and that no other agent has", NULL,
	    "Exit status: 10 no such task, 11 claimed by another agent, 12 completed already,\n"
	    "13 blocked, 14 the agent has another open task, 15 the list is locked.\n" },
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
	    "restore missing tasks from the journal", NULL, NULL },
	{ "call", NULL, "[TOOL]", 0, 1, call_main, call_flags,
	    "run a tool: JSON on standard input, JSON on standard output", "For programs", NULL },
	{ "mcp", NULL, "", 0, 0, mcp_main, mcp_flags,
	    "serve the tools of 'call' over the Model Context Protocol", NULL, NULL },
	{ "new", NULL, "[DIR]", 0, 1, new_main, new_flags,
	    "begin a list, in the client's form or in another one", "Import and export", NULL },
	{ "import", NULL, "FILE|DIR|-", 1, 1, import_main, import_flags,
	    "import tasks from a file or another list", NULL, NULL },
	{ "export", NULL, "[FILE|DIR]", 0, 1, export_main, export_flags,
	    "write the list in another form, and report what is lost", NULL, NULL },
	{ "rehome", NULL, "FROM [TO]", 1, 2, rehome_main, rehome_flags,
	    "move the open tasks of another list to this one", NULL, NULL },
	{ "init", NULL, "", 0, 0, init_main, init_flags, "propose gates for this project", "Gates",
	    NULL },
	{ "trust", NULL, "[FILE]", 0, 1, trust_main, trust_flags,
	    "trust this project's gate file, so that its commands run", NULL, NULL },
	{ "untrust", NULL, "[FILE]", 0, 1, untrust_main, NULL,
	    "stop trusting this project's gate file", NULL, NULL },
	{ "verify", NULL, "N", 1, 1, verify_main, verify_flags,
	    "run a task's gates now, without changing the task", NULL, NULL },
	{ "receipts", NULL, "[N] | export [FILE]", 0, 2, receipts_main, receipts_flags,
	    "show what was checked when tasks were completed", NULL, NULL },
	{ "doctor", NULL, "", 0, 0, doctor_main, doctor_flags,
	    "report problems with the list and the hooks, and their fixes", "Maintenance", NULL },
	{ "pause", NULL, "", 0, 0, pause_main, pause_flags,
	    "for a limited time, make every refusal of the hooks a warning", NULL,
	    "Without an option it shows whether refusals are paused.\n" },
	{ "install", NULL, "", 0, 0, install_main, install_flags,
	    "register the hooks in Claude Code's settings", NULL,
	    "With --list NAME the sessions of this project share that list; --local is the\n"
	    "default then.\n" },
	{ "uninstall", NULL, "", 0, 0, uninstall_main, uninstall_flags,
	    "remove the hooks from Claude Code's settings", NULL, NULL },
	{ "status", NULL, "", 0, 0, status_main, status_flags,
	    "show which hooks are registered where", NULL, NULL },
	{ "help", NULL, "[COMMAND]", 0, 1, help_main, NULL,
	    "list the commands, or show the help of one", "Other", NULL },
	{ "version", NULL, "", 0, 0, version_main, NULL,
	    "print the version, the commit, the platform and the C library", NULL, NULL },
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
