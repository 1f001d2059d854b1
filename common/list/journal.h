#ifndef LIST_JOURNAL_H
#define LIST_JOURNAL_H

#include <json-c/json.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/clock.h"
#include "base/error.h"
#include "base/hash.h"
#include "list/list.h"
#include "sys/file.h"

/*
 * What the suite did to a list: one JSON line each, chained by hashes.
 *
 * journal.jsonl in the list's state directory, append-only.  A line is
 *
 *	{"seq":7,"time":"2026-02-06T20:41:00.123Z","event":"claim",
 *	 "task":"3","agent":"a1b2","session":"...","from":{...},"to":{...},
 *	 "why":"...", ... ,"prev":"<hash>","hash":"<hash>"}
 *
 * where hash is SHA-256 (hex) over the line's bytes up to `,"hash"`, and
 * prev is the hash of the line before (64 zeros for the first, which is an
 * event "begin" that names the list).  Changing, removing or inserting a
 * line breaks the chain there.  (Cutting off the end does not: keep the
 * head's hash elsewhere if that matters.)
 *
 * Lines are appended under a lock, with one write, whole or not at all.  An
 * incomplete last line (a power cut) is moved to journal.torn-<n>, and
 * the next line is an event "torn" that says so.  Texts are bounded, and
 * characters that are unsafe to show (text_safe()) are written as \u escapes.
 */
#define JOURNAL_FILE "journal.jsonl"
#define JOURNAL_LINE_MAX (16u << 20) /* from, to and extra are left out of a longer line */

struct journal_entry {
	/* claim release complete refuse report sync repair create update delete receipt ...  In old
	 * journals "sync" with a task is a report, and "outward" a sync command that failed. */
	const char *event;
	bool light; /* may be lost in a power cut: it proves and restores nothing */
	const char *task, *agent, *session, *why; /* NULL: not there */
	struct json_object *from, *to;            /* taken; may be NULL */
	/* taken; its members are added (receipt, snapshot); may be NULL */
	struct json_object *extra;
};

/* With DURABILITY_OFF the last lines may be lost in a power cut; else they are synced unless all
 * of them are light.  Frees the entries' objects, also on error. */
int journal_append(
    const struct list *, enum durability, struct journal_entry *, struct deadline, struct error *);
/* Several lines in one write. */
int journal_append_all(const struct list *, enum durability, struct journal_entry *, size_t count,
    struct deadline, struct error *);

/* A new group: lines that have it (extra: "group") are undone together. */
#define JOURNAL_GROUP 48
void journal_group(char group[JOURNAL_GROUP]);

/* Is the chain intact?  0 and the number of lines, or -1 (ERROR_INPUT) and which line is
 * wrong and how (changed, missing, out of order, of another list, torn).  No journal: 0 lines.
 * list may be NULL: any. */
struct journal_check {
	uint64_t lines;      /* good ones, before the bad one */
	uint64_t bad_line;   /* 1-based; 0: none */
	bool torn;           /* an incomplete last line, nothing else wrong */
	char head[HASH_HEX]; /* hash of the last good line; "" before the first */
};
int journal_verify(int statefd, const char *list, struct journal_check *, struct error *);
int journal_verify_text(
    const char *, size_t, const char *list, struct journal_check *, struct error *);

/* Every line, oldest first: fn gets the line's parsed text; non-zero stops
 * and is returned.  A line that is not a JSON object is skipped. */
struct json;
int journal_read(int statefd, int (*fn)(void *, const struct json *, const char *line, size_t len),
    void *, struct error *);

#endif
