#ifndef CLI_TOOL_H
#define CLI_TOOL_H

#include "change.h"
#include "gate/verify.h"
#include "view.h"
#include "json/json.h"

/*
 * The tools that `call` and `mcp` offer: names, schemas, functions.
 *
 *	TaskCreate TaskGet TaskUpdate TaskList	like the tools of the client
 *	TodoWrite TodoRead			one tool that writes, one that reads
 *	create_task list_tasks get_task claim_task complete_task	plain tools
 *
 * The input of a tool is checked against its schema.  The answer is JSON
 * (the output, an object) and text (for a model to read).
 */
struct tool_answer {
	struct json_object *output; /* every tool sets it, also after a failure: an object, or the
				       raw text of an array of tasks */
	struct buf text;
	bool error; /* the tool could not do it: text says why */
	bool whole; /* the output of a failure has all that the schema requires */
	int status; /* exit status of `call` */
};

/* The members of every tool's input: a schema permits only those of its tool. */
struct tool_input {
	const struct json *json;
	char *id, *subject, *description, *active_form, *status, *owner, *parent, *notes;
	char *metadata; /* JSON */
	struct strings blocks, blocked_by;
	bool with_completed, full;
};

struct tool {
	const char *name, *family; /* family: "client", "todo", "plain" */
	const char *description;
	const char *input;  /* JSON Schema */
	const char *output; /* JSON Schema */
	bool reads, destroys;
	const char *const *aliases; /* pairs: other name of a member, its name; ends with NULL */
	void (*run)(struct cli *, struct tool_input *, struct tool_answer *);
};

const struct tool *tool_find(const char *name);
const struct tool *tool_table(size_t *count);

/* Check the input and run the tool. */
void tool_call(
    struct cli *, const struct tool *, const char *input, size_t len, struct tool_answer *);
void tool_answer_free(struct tool_answer *);

/* For the tools: a refusal or fault as the answer. */
void tool_fail(struct tool_answer *, int status, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));
void tool_error(struct tool_answer *, const struct error *);

/* Open the list's store, and with `make` create it; false after tool_error().  Without a store
 * tool_load() loads an empty list. */
bool tool_open(struct cli *, bool make, struct tool_answer *);
/* The same for another list, until the next call; it is created. */
bool tool_open_named(struct cli *, const char *name, struct tool_answer *);
bool tool_load(struct cli *, struct view *, struct tool_answer *);

/* A line of a list: "3 [pending] Subject (owner)". */
void tool_line(struct buf *, const char *sign, const struct task *);

/* Act under the name that the call gives, else under that of the caller's claim on the task;
 * false: there is neither. */
bool tool_act_as(struct cli *, const char *id, const char *name);

void client_create_run(struct cli *, struct tool_input *, struct tool_answer *);
void client_get_run(struct cli *, struct tool_input *, struct tool_answer *);
void client_update_run(struct cli *, struct tool_input *, struct tool_answer *);
void client_list_run(struct cli *, struct tool_input *, struct tool_answer *);
void todo_write_run(struct cli *, struct tool_input *, struct tool_answer *);
/* TodoWrite with `todos`. */
void todos_write(struct cli *, const struct tool_input *, struct tool_answer *);
void todo_read_run(struct cli *, struct tool_input *, struct tool_answer *);
void plain_create_run(struct cli *, struct tool_input *, struct tool_answer *);
void plain_list_run(struct cli *, struct tool_input *, struct tool_answer *);
void plain_get_run(struct cli *, struct tool_input *, struct tool_answer *);
void plain_claim_run(struct cli *, struct tool_input *, struct tool_answer *);
void plain_complete_run(struct cli *, struct tool_input *, struct tool_answer *);

#endif
