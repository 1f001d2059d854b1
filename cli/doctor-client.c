/*
 * A client that is newer than those that were tested: does it still have the names that we use?
 */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "doctor.h"
#include "settings/client-words.h"

/*
 * Every name here is one of client CLIENT_TESTED, and a text of that version's program
 * (tests/check-doctor).  Add one when the code begins to use it.
 */
static const struct client_word words[] = {
	/* events */
	{ "PreToolUse", "nothing is refused: no call is checked before it is made", false },
	{ "PostToolUse", "the tasks of an agent that ran out of turns are given back late", false },
	{ "TaskCompleted",
	    "the completion gate does not run at its own event, and writes no receipts", false },
	{ "SubagentStop", "the tasks of a subagent that stops are given back late", false },
	{ "TeammateIdle", "a teammate can be idle with tasks in progress", false },
	{ "SessionStart", "the tasks of clients that are gone are given back late", false },
	{ "SessionEnd", "the tasks of a session that ends are given back late", false },
	{ "ConfigChange", "settings that switch the hooks off are not refused", false },
	/* tools */
	{ "TaskCreate", "new tasks are not checked", false },
	{ "TaskUpdate", "starting and completing tasks is not checked", false },
	{ "TaskList", "an agent that lists tasks does not get its messages", false },
	{ "TaskGet", "an agent that reads a task does not get its messages", false },
	{ "TodoWrite", "written todos are not checked", false },
	{ "Agent", "agents can be started for tasks that are blocked or completed", false },
	/* the input of a hook */
	{ "hook_event_name", "the hooks do not know which event came, and check nothing", false },
	{ "session_id", "the list of a session is not found", false },
	{ "transcript_path", "a claim whose call failed is found late", false },
	{ "tool_name", "the hooks do not know which tool is called, and check nothing", false },
	{ "tool_input", "the hooks do not know what a call does", false },
	{ "tool_use_id", "a claim whose call failed is found late", false },
	{ "agent_id", "agents cannot be told apart", false },
	{ "agent_type", "it is not known for which type of agents a task is", false },
	{ "teammate_name", "teammates cannot be told apart", false },
	{ "task_id", "a completion is refused, as its task is not known", false },
	{ "stop_hook_active", "a stop hook may send an agent back more often", false },
	/* its answer */
	{ "hookSpecificOutput", "a refusal has only its text, and an owner is not added", false },
	{ "permissionDecision", "a refusal has only its text and exit status", false },
	{ "updatedInput", "a claim does not write its owner", false },
	{ "additionalContext", "an agent does not get its messages", false },
	{ "systemMessage", "the person does not see what the hooks did", false },
	/* settings */
	{ "onFailure", "calls pass when a program is missing, is killed or takes too long", false },
	{ "disableAllHooks", "hooks may be switched off in another way", false },
	{ "enabledPlugins", "it is not known whether the plugin is enabled", false },
	/* environment */
	{ "CLAUDE_CONFIG_DIR", "another configuration directory is not found", false },
	{ "CLAUDE_CODE_TASK_LIST_ID", "sessions cannot share a list", false },
	{ "CLAUDE_CODE_SESSION_ID", "claude-tasks does not find the list of the session", false },
	{ "CLAUDE_PROJECT_DIR", "the gates of a project may not be found", false },
	{ "CLAUDE_CODE_ENABLE_TODO_TOOLS", "install --todo-tools has no effect", false },
	{ "CLAUDE_PLUGIN_ROOT", "the plugin cannot start its programs", false },
	/* files */
	{ ".highwatermark", "the id of a deleted task may be given again", false },
	{ ".lock", "the client may not take our locks: a change can be lost", false },
	{ "blockedBy", "dependencies may be kept in another form", false },
};

#define WORDS (sizeof(words) / sizeof(words[0]))

/* Report each name that the program does not have. */
static void
report_words(struct doctor *d, const char *newer, const struct client_word *word)
{
	size_t lost = 0;

	for (size_t i = 0; i < WORDS; i++)
		lost += !word[i].found;
	if (lost == 0 || lost > WORDS / 2) {
		doctor_add(d, "hooks.tested", LEVEL_NOTE, mem_string(newer),
		    lost == 0 ? "everything that the hooks look for is still there"
			      : "its names were not found: the program is compressed, or starts "
				"another one",
		    lost == 0 ? NULL : mem_string("claude-tasks doctor --client FILE"));
		return;
	}
	for (size_t i = 0; i < WORDS; i++)
		if (!word[i].found)
			doctor_add(d, "hooks.tested", LEVEL_WARNING,
			    mem_printf("%s, and no longer has %s", newer, word[i].word),
			    word[i].lost,
			    mem_string(
				"install a newer claude-task-hooks, or client " CLIENT_TESTED));
}

void
doctor_client(struct doctor *d)
{
	const char *name = cli_value(d->c, "client");
	struct client_word word[WORDS];
	char *path, *newer;
	struct error err;

	doctor_checked(d, "hooks.tested");
	if (d->client == NULL || version_compare(d->client, CLIENT_TESTED) <= 0)
		return;
	newer =
	    mem_printf("client %s is newer than %s, the newest tested", d->client, CLIENT_TESTED);
	path = doctor_program(name != NULL ? name : "claude");
	memcpy(word, words, sizeof(words));
	if (path == NULL || client_words_find(path, word, WORDS, &err) == -1)
		doctor_add(d, "hooks.tested", LEVEL_NOTE, mem_string(newer),
		    path == NULL ? "its program was not found" : err.text,
		    mem_string("claude-tasks doctor --client FILE"));
	else
		report_words(d, newer, word);
	free(path);
	free(newer);
}
