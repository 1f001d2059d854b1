/*
 * The schemas are the client's (TaskCreate ...), with members that other descriptions
 * of the same tools add: `dependencies` when creating, `notes` when updating.
 */
#include <string.h>

#include "tool.h"

#define STRING "{\"type\":\"string\"}"
#define STRINGS "{\"type\":\"array\",\"items\":{\"type\":\"string\"}}"
#define MEMBER(name, schema) "\"" name "\":" schema
#define DESCRIBED(type, text) "{\"type\":\"" type "\",\"description\":\"" text "\"}"
#define FILLED(text) "{\"type\":\"string\",\"minLength\":1,\"description\":\"" text "\"}"
#define IDS(text) \
	"{\"type\":\"array\",\"items\":{\"type\":\"string\"},\"description\":\"" text "\"}"
#define OBJECT(properties, required)                                                   \
	"{\"type\":\"object\",\"properties\":{" properties "},\"required\":[" required \
	"],\"additionalProperties\":false}"
#define OPEN_OBJECT(properties, required) \
	"{\"type\":\"object\",\"properties\":{" properties "},\"required\":[" required "]}"

/* What change_outcome() adds. */
#define OUTCOME                                                                                    \
	MEMBER("success", "{\"type\":\"boolean\"}")                                                \
	"," MEMBER("reason", STRING) "," MEMBER("task", "{\"type\":\"object\"}") "," MEMBER(       \
	    "blockedByTasks", STRINGS) "," MEMBER("busyWithTasks", STRINGS) "," MEMBER("warnings", \
	    STRINGS)

#define STATUSES "\"pending\",\"in_progress\",\"completed\",\"blocked\",\"cancelled\""
#define METADATA                                                                                   \
	MEMBER("metadata",                                                                         \
	    "{\"type\":\"object\",\"description\":\"Metadata keys to merge; null deletes one\",\"" \
	    "properties\":{\"priority\":{\"enum\":[\"low\",\"medium\",\"high\",null]}}}")
#define TODOS_MAX "200"
#define TODO_STATUSES "\"pending\",\"in_progress\",\"completed\""
#define TODO                                                                                      \
	OBJECT(MEMBER("content", FILLED("What is to be done")) "," MEMBER("status",               \
		   "{\"type\":\"string\",\"enum\":[" TODO_STATUSES "]}") "," MEMBER("activeForm", \
		   FILLED("The same in the present continuous, such as 'Running tests'")),        \
	    "\"content\",\"status\",\"activeForm\"")
#define TODOS(text)                                                                              \
	MEMBER("todos", "{\"type\":\"array\",\"maxItems\":" TODOS_MAX ",\"description\":\"" text \
			"\",\"items\":" TODO "}")
#define ACTIVE_FORM                                                                              \
	MEMBER("activeForm", DESCRIBED("string", "Shown while the task is in progress, such as " \
						 "'Running tests'"))

static const char *const create_aliases[] = { "title", "subject", "active_form", "activeForm",
	NULL };
static const char *const update_aliases[] = { "id", "taskId", "task_id", "taskId", "active_form",
	"activeForm", NULL };
static const char *const plain_aliases[] = { "id", "task_id", "taskId", "task_id", NULL };

static const struct tool tools[] = {
	{ .name = "TaskCreate",
	    .family = "client",
	    .description = "Create a task in the task list",
	    .input = OBJECT(
		MEMBER("subject",
		    "{\"type\":\"string\",\"minLength\":1,\"description\":\"A brief title "
		    "for the task\"}") "," MEMBER("description",
		    DESCRIBED("string",
			"What needs to be done")) "," ACTIVE_FORM "," METADATA "," MEMBER("dependen"
											  "cies",
		    IDS("Tasks that must be completed before this one")),
		"\"subject\""),
	    .output = OPEN_OBJECT(
		MEMBER("task", OPEN_OBJECT(MEMBER("id", STRING) "," MEMBER("subject", STRING),
				   "\"id\",\"subject\"")),
		"\"task\""),
	    .aliases = create_aliases,
	    .run = client_create_run },
	{ .name = "TaskGet",
	    .family = "client",
	    .description = "Get a task of the task list, with its description and dependencies",
	    .input =
		OBJECT(MEMBER("taskId", DESCRIBED("string", "The ID of the task")), "\"taskId\""),
	    .output = OPEN_OBJECT(MEMBER("task", "{\"type\":[\"object\",\"null\"]}"), "\"task\""),
	    .reads = true,
	    .run = client_get_run },
	{ .name = "TaskUpdate",
	    .family = "client",
	    .description = "Update a task: status, owner, texts, dependencies. Starting a blocked "
			   "or taken task "
			   "and completing one whose gates fail are refused, with the reason",
	    .input = OBJECT(
		MEMBER("taskId", DESCRIBED("string", "The ID of the task")) "," MEMBER(
		    "subject", FILLED("New subject")) "," MEMBER("description",
		    DESCRIBED("string", "New description")) "," ACTIVE_FORM "," MEMBER("status",
		    "{\"type\":\"string\",\"enum\":[" STATUSES
		    ",\"deleted\"],\"description\":\"New status\"}") "," MEMBER("addBlocks",
		    IDS("Tasks that wait for this one")) "," MEMBER("addBlockedBy",
		    IDS("Tasks that this one waits for")) "," MEMBER("owner",
		    DESCRIBED("string", "New owner")) "," MEMBER("notes",
		    DESCRIBED("string", "Stored as metadata.notes")) "," METADATA,
		"\"taskId\""),
	    .output = OPEN_OBJECT(OUTCOME "," MEMBER("taskId", STRING) "," MEMBER(
				      "updatedFields", STRINGS) "," MEMBER("error", STRING),
		"\"success\",\"taskId\",\"updatedFields\""),
	    .destroys = true,
	    .aliases = update_aliases,
	    .run = client_update_run },
	{ .name = "TaskList",
	    .family = "client",
	    .description = "List the tasks: id, subject, status, owner, open blockers",
	    .input = OBJECT(
		MEMBER("full",
		    DESCRIBED("boolean", "Give whole tasks, in the form of claude-tasks export")),
		""),
	    .output = OPEN_OBJECT(MEMBER("tasks", "{\"type\":\"array\"}"), "\"tasks\""),
	    .reads = true,
	    .run = client_list_run },
	{ .name = "TodoWrite",
	    .family = "todo",
	    .description =
		"With todos: replace the whole list of your own steps. With description: create a "
		"task in the shared list, or update it if the id exists",
	    .input = OBJECT(
		TODOS("Your whole list, in its order, as the only member; it is emptied when every "
		      "item is completed") "," MEMBER("id",
		    DESCRIBED("string", "Without it a task is created")) "," MEMBER("description",
		    FILLED("Markdown; the first line is the subject")) "," MEMBER("status",
		    "{\"type\":\"string\",\"enum\":[" STATUSES "]}") "," MEMBER("dependencies",
		    IDS("Tasks that must be completed first")) "," MEMBER("assignee",
		    "{\"type\":[\"string\",\"null\"]}") "," MEMBER("parent_id",
		    STRING) "," METADATA,
		""),
	    .output = OPEN_OBJECT(
		MEMBER("task", "{\"type\":\"object\"}") "," MEMBER("oldTodos",
		    "{\"type\":\"array\"}") "," MEMBER("newTodos", "{\"type\":\"array\"}"),
		""),
	    .destroys = true,
	    .run = todo_write_run },
	{ .name = "TodoRead",
	    .family = "todo",
	    .description = "Read the tasks of the shared list, filtered, with counts by status",
	    .input = OBJECT(
		MEMBER("status", "{\"type\":\"string\",\"enum\":[" STATUSES "]}") "," MEMBER(
		    "assignee", STRING) "," MEMBER("include_completed", "{\"type\":\"boolean\"}"),
		""),
	    .output = OPEN_OBJECT(MEMBER("tasks", "{\"type\":\"array\"}") "," MEMBER(
				      "count", "{\"type\":\"number\"}"),
		"\"tasks\",\"count\",\"pending_count\",\"in_progress_count\",\"completed_count\","
		"\"blocked_count\""),
	    .reads = true,
	    .run = todo_read_run },
	{ .name = "create_task",
	    .family = "plain",
	    .description = "Create a task; blockedBy: the tasks it waits for",
	    .input = OBJECT(MEMBER("subject", "{\"type\":\"string\",\"minLength\":1}") "," MEMBER(
				"description", STRING) "," MEMBER("blockedBy",
				"{\"type\":[\"array\",\"null\"],\"items\":{\"type\":"
				"\"string\"}}"),
		"\"subject\""),
	    .output = OPEN_OBJECT(MEMBER("id", STRING) "," MEMBER("subject", STRING),
		"\"id\",\"subject\",\"status\""),
	    .run = plain_create_run },
	{ .name = "list_tasks",
	    .family = "plain",
	    .description = "List the tasks, one line each",
	    .input = OBJECT("", ""),
	    .output = OPEN_OBJECT(MEMBER("tasks", "{\"type\":\"array\"}"), "\"tasks\""),
	    .reads = true,
	    .run = plain_list_run },
	{ .name = "get_task",
	    .family = "plain",
	    .description = "Get everything about a task",
	    .input = OBJECT(MEMBER("task_id", STRING), "\"task_id\""),
	    .output = OPEN_OBJECT(MEMBER("id", STRING), "\"id\""),
	    .reads = true,
	    .aliases = plain_aliases,
	    .run = plain_get_run },
	{ .name = "claim_task",
	    .family = "plain",
	    .description = "Start a task: it gets an owner and is in progress. Refused while it is "
			   "blocked or taken",
	    .input = OBJECT(MEMBER("task_id", STRING) "," MEMBER("owner", STRING), "\"task_id\""),
	    .output = OPEN_OBJECT(MEMBER("claimed", "{\"type\":\"boolean\"}") "," MEMBER(
				      "message", STRING) "," OUTCOME,
		"\"claimed\",\"message\",\"success\""),
	    .aliases = plain_aliases,
	    .run = plain_claim_run },
	{ .name = "complete_task",
	    .family = "plain",
	    .description =
		"Complete a task, if its gates pass; the answer names the tasks that can start now",
	    .input = OBJECT(MEMBER("task_id", STRING), "\"task_id\""),
	    .output = OPEN_OBJECT(MEMBER("completed", "{\"type\":\"boolean\"}") "," MEMBER(
				      "message", STRING) "," MEMBER("unblocked", STRINGS),
		"\"completed\",\"message\""),
	    .aliases = plain_aliases,
	    .run = plain_complete_run },
};

const struct tool *
tool_table(size_t *count)
{
	*count = sizeof(tools) / sizeof(tools[0]);
	return tools;
}

const struct tool *
tool_find(const char *name)
{
	for (size_t i = 0; i < sizeof(tools) / sizeof(tools[0]); i++)
		if (strcmp(tools[i].name, name) == 0)
			return &tools[i];
	return NULL;
}
