#ifndef LIST_RECEIPT_H
#define LIST_RECEIPT_H

#include <stdint.h>

#include "list/list.h"
#include "list/store.h"

/*
 * Proof that a completion was checked.
 *
 * A receipt is a line of the list's journal (journal.h), event "receipt":
 * the task and the hash of its subject and description, every gate with
 * verdict, argv, exit, duration and digest of its output, the tree before
 * and after, HEAD, agent, session, client version, time.  A completion that a
 * person forced is an event "forced", with who and why.
 *
 * An export holds the whole chain, line by line as it is on disk, plus the
 * tasks as they are now, so that it can be checked elsewhere:
 *
 *	{"format":"claude-task-hooks receipts 1","list":"lab","exported":"...",
 *	 "tasks":[...],"lines":17,"head":"<hash of the last line>",
 *	 "journal":["<line>", ...]}
 */
#define RECEIPT_FORMAT "claude-task-hooks receipts 1"

/* verify_record() writes them; here they are exported and read back. */

/* The export of a list; a task and a journal line per line of text. */
int receipt_export(const struct list *, struct store *, struct buf *out, struct error *);

/* A gate of a receipt. */
struct receipt_gate {
	char *name, *verdict, *why; /* why: of a skip */
	char *check, *severity;     /* NULL: a command; it blocks */
	char *dir;                  /* where it ran, from the root of its gate file; NULL */
	struct strings argv;
};

/* A receipt read back. */
struct receipt {
	char *task, *subject_hash, *subject, *time, *agent, *head, *base, *tree;
	char *gate_file;    /* hash; NULL: there was none */
	char *config_given; /* the same, if it was named by --config; NULL */
	char *before;       /* the task's text before it was completed; NULL */
	struct receipt_gate *gate;
	char *forced_by, *forced_why; /* NULL: a real receipt */
	struct strings gates;         /* "test: passed" */
	size_t good, bad, skipped;    /* gates by verdict; bad ones were warnings */
	struct strings checks;        /* built-in checks that could have refused */
	struct strings warnings;
	uint64_t line;
	uint64_t refused; /* line of a later refusal of its completion; 0 */
	uint64_t changed; /* line of a later event that opens, changes or deletes the task; 0 */
};
/* A completion that would have been refused, while a person had paused refusals. */
struct receipt_pause {
	char *task, *reason;
	uint64_t line;
	bool completion;
	bool changed; /* a later event opens, changes or deletes the task */
};
struct receipts {
	struct receipt *item;
	size_t count;
	struct strings named;        /* every task that a line is about */
	struct receipt_pause *pause; /* completions that a pause let pass, in their order */
	size_t pauses;
	struct strings completed; /* tasks with a line "complete" that no receipt comes before */
};
void receipts_free(struct receipts *);

/* All receipts of a list's journal; the chain is not checked here. */
int receipts_read(int statefd, struct receipts *, struct error *);
int receipts_read_text(const char *journal, size_t len, struct receipts *, struct error *);
const struct receipt_gate *receipt_gate_find(const struct receipt *, const char *name); /* NULL */
bool receipt_gate_passed(const struct receipt_gate *);
/* The last one of a task; NULL. */
const struct receipt *receipts_find(const struct receipts *, const char *task);
/* The last pause that let the task be completed, if its last receipt is older; NULL. */
const struct receipt_pause *receipts_paused(const struct receipts *, const char *task);

/* An export read back. */
struct receipt_file {
	char *list;
	struct task_set tasks;
	struct buf journal; /* the lines, as they were */
	int64_t lines;      /* as the export says */
	char *head;
};
int receipt_import(struct receipt_file *, const char *text, size_t len, struct error *);
void receipt_file_free(struct receipt_file *);

/*
 * The signature of an export, in a file beside it: its name and ".sig".  ssh-keygen -Y makes and
 * checks it, in the namespace "task-receipts".
 */
#define RECEIPT_SIGNATURE ".sig"
#define RECEIPT_NAMESPACE "task-receipts"

/* Sign with a private key, or with a public one whose private key the ssh agent has. */
int receipt_sign(
    const char *key, const char *text, size_t len, struct buf *signature, struct error *);
/* Did one of the signers in this file (ssh-keygen(1), ALLOWED SIGNERS) sign the text?  1 and
 * who; 0 and why not; both owned.  -1: it cannot be checked. */
int receipt_signed(const char *allowed, const char *signature_path, const char *text, size_t len,
    char **who_or_why, struct error *);

/* A Task[] (or {"tasks":[...]}) in any dialect; each element as a task. */
int receipt_tasks(struct task_set *, const char *text, size_t len, struct error *);

#endif
