#ifndef CONFIG_CONFIG_PART_H
#define CONFIG_CONFIG_PART_H

#include "base/buf.h"
#include "base/error.h"
#include "config/config.h"
#include "config/gate.h"
#include "json/json.h"

/*
 * A JSON object is read into a struct by a table of its keys.  For the files of config only.
 *
 * An error names the file, the line and the path ("gates[1].when.subject"); `path` is
 * the path of the value that is being read.
 */
struct config_reader {
	const char *file; /* to name it in errors */
	const char *root; /* where its relative paths start */
	bool project;
	struct json json;
	struct buf path;
	struct error *error;
};

enum config_kind {
	KEY_IGNORED, /* "$schema" */
	KEY_STRING,  /* char *, not empty */
	KEY_STRINGS, /* struct strings: a string, or an array of them */
	KEY_GLOBS,   /* the same, each a path pattern */
	KEY_PATTERN, /* char *, a regular expression */
	KEY_BOOL,    /* bool */
	KEY_CHOICE,  /* an enum: min + the index of one of `choices` */
	KEY_COUNT,   /* int64_t from min to max */
	KEY_SECONDS, /* int64_t milliseconds; min to max are seconds */
	KEY_OBJECT,  /* the members go into the same struct, by `keys` */
	KEY_OTHER,   /* `read` */
};

/* Which of two values is the stricter one: see config_order_limit(). */
enum config_order {
	ORDER_NONE,  /* neither: the later file wins */
	ORDER_MORE,  /* the greater one; of a choice, the one further back */
	ORDER_LESS,  /* the smaller one */
	ORDER_LIMIT, /* the smaller one; 0 means unlimited */
	ORDER_ALL,   /* KEY_STRINGS: both together */
};

/* Names are arrays, as in struct json_field: a pointer would have to be relocated at every start.
 */
struct config_key {
	char name[24];
	enum config_kind kind;
	enum config_order order;
	size_t offset;
	int64_t min, max;
	const char (*choices)[CONFIG_WORD]; /* ends with "" */
	const struct config_key *keys;
	int (*read)(struct config_reader *, json_ref, void *target);
};

/* keys ends with a zero entry; target is the struct that offsets refer to. */
int config_read_object(
    struct config_reader *, json_ref, const struct config_key *keys, void *target);
int config_read_strings(struct config_reader *, json_ref, struct strings *);
int config_read_wrong(
    struct config_reader *, json_ref, const char *wanted); /* -1: "... must be <wanted>" */
int config_read_error(struct config_reader *, json_ref, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));
/* The line of a byte of the text, from 1. */
size_t config_read_line(const struct config_reader *, size_t at);

/* Add a key or an index to `path`; the result is for config_read_leave(). */
size_t config_read_enter(struct config_reader *, const char *key);
size_t config_read_enter_index(struct config_reader *, size_t);
void config_read_leave(struct config_reader *, size_t mark);

/* Replace comments and trailing commas by blanks; positions do not change. */
void config_blank_comments(struct buf *);

/* A command: `run` is an argv array, or a string for sh -c. */
int config_read_command(struct config_reader *, json_ref, struct strings *argv, char **shell);

/* Keep the ordered values, in a struct of zeros, before a file is read. */
void config_order_keep(const struct config_key *, void *kept, const void *from);
/* Name the settings of `now` that are looser than in `base` ("rules.blocked", after the prefix),
 * and with `apply` make each as strict as it was. */
void config_order_limit(const struct config_key *, const char *prefix, void *now, const void *base,
    bool apply, struct strings *loosened);
extern const struct config_key config_keys[];

/* Read one file of the settings (config.c): 1 there and read, 0 not there, -1. */
int config_load_file(struct config *, struct config_file *, const char *path, const char *root,
    bool project, struct error *);

/* The value of the key "gates" (config-gates.c). */
int config_gates_read(struct config_reader *, json_ref, void *gates);

#endif
