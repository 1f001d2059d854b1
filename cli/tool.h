#ifndef CLI_TOOL_H
#define CLI_TOOL_H

#include "change.h"
#include "gate/verify.h"
#include "view.h"
#include "json/json.h"

/*
 * The tools that `call` and `mcp` offer: name, schemas, what it does.
 *
 *	TaskCreate TaskGet TaskUpdate TaskList	the shapes of the client's own
 *	TodoWrite TodoRead			one tool that writes, one that reads
 *	create_task list_tasks get_task claim_task complete_task	five plain ones
 *
 * A tool gets its input checked against its schema, and answers with JSON
 * (the output, an object) and with text (for a model to read).
 */
struct answer {
	struct json_object *output; /* NULL only after a fault */
	struct buf text;
	bool error; /* the tool could not do it: text says why */
	int status; /* exit status of `call` */
};

/* The members of every tool's input: a schema permits only those of its tool. */
struct tool_input {
	const struct json *json;
	char *id, *subject, *description, *active_form, *status, *owner, *parent, *notes;
	char *metadata; /* JSON */
	struct strings blocks, needs;
	bool with_completed;
};

struct tool {
	const char *name, *family; /* family: "client", "todo", "plain" */
	const char *description;
	const char *input;  /* JSON Schema */
	const char *output; /* JSON Schema */
	bool reads, destroys;
	const char *const *aliases; /* pairs: other name of a member, its name; ends with NULL */
	void (*run)(struct cli *, struct tool_input *, struct answer *);
};

const struct tool *tool_find(const char *name);
const struct tool *tool_table(size_t *count);

/* Check and run.  The list is found anew. */
void tool_call(struct cli *, const struct tool *, const char *input, size_t len, struct answer *);
void answer_free(struct answer *);

/* For the tools: a refusal or fault as the answer. */
void answer_fail(struct answer *, int status, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));
void answer_error(struct answer *, const struct error *);

/* The store, made if asked; false after answer_error(). A missing list reads as empty. */
bool tool_open(struct cli *, bool make, struct answer *);
bool tool_load(struct cli *, struct view *, struct answer *);

/* A line of a list: "3 [pending] Subject (owner)". */
void tool_line(struct buf *, const char *sign, const struct task *);

/* May the caller change this task in progress?  false after answer_fail(). */
bool tool_may_touch(struct cli *, const char *id, const char *deed, struct answer *);

void task_create_run(struct cli *, struct tool_input *, struct answer *);
void task_get_run(struct cli *, struct tool_input *, struct answer *);
void task_update_run(struct cli *, struct tool_input *, struct answer *);
void task_list_run(struct cli *, struct tool_input *, struct answer *);
void todo_write_run(struct cli *, struct tool_input *, struct answer *);
void todo_read_run(struct cli *, struct tool_input *, struct answer *);
void plain_create_run(struct cli *, struct tool_input *, struct answer *);
void plain_list_run(struct cli *, struct tool_input *, struct answer *);
void plain_get_run(struct cli *, struct tool_input *, struct answer *);
void plain_claim_run(struct cli *, struct tool_input *, struct answer *);
void plain_complete_run(struct cli *, struct tool_input *, struct answer *);

#endif
