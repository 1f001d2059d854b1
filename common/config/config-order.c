/*
 * What is stricter: by the order of each key in its table.
 */
#include <stdlib.h>
#include <string.h>

#include "config/config-part.h"

static int64_t
value_at(const struct config_key *k, const char *at)
{
	switch (k->kind) {
	case KEY_BOOL:
		return *(const bool *)at;
	case KEY_CHOICE:
		return *(const int *)at;
	default:
		return *(const int64_t *)at;
	}
}

static size_t
value_size(const struct config_key *k)
{
	return k->kind == KEY_BOOL     ? sizeof(bool)
	       : k->kind == KEY_CHOICE ? sizeof(int)
				       : sizeof(int64_t);
}

static bool
value_looser(const struct config_key *k, const char *now, const char *base)
{
	int64_t a = value_at(k, now), b = value_at(k, base);

	switch (k->order) {
	case ORDER_MORE:
		return a < b;
	case ORDER_LESS:
		return a > b;
	default: /* ORDER_LIMIT */
		return b != 0 && (a == 0 || a > b);
	}
}

/* The words of `base` that are missing; added with `apply`. */
static bool
words_looser(struct strings *now, const struct strings *base, bool apply)
{
	bool looser = false;

	for (size_t i = 0; i < base->count; i++) {
		if (strings_has(now, base->item[i]))
			continue;
		looser = true;
		if (apply)
			strings_add(now, base->item[i]);
	}
	return looser;
}

void
config_order_keep(const struct config_key *keys, void *kept, const void *from)
{
	for (const struct config_key *k = keys; k->name[0] != '\0'; k++) {
		const char *at = (const char *)from + k->offset;
		char *to = (char *)kept + k->offset;

		if (k->kind == KEY_OBJECT)
			config_order_keep(k->keys, kept, from);
		else if (k->order == ORDER_ALL)
			strings_add_all((struct strings *)to, (const struct strings *)at);
		else if (k->order != ORDER_NONE)
			memcpy(to, at, value_size(k));
	}
}

void
config_order_limit(const struct config_key *keys, const char *prefix, void *now, const void *base,
    bool apply, struct strings *loosened)
{
	for (const struct config_key *k = keys; k->name[0] != '\0'; k++) {
		const char *b = (const char *)base + k->offset;
		char *at = (char *)now + k->offset;
		char *name = mem_join(prefix, k->name, NULL), *inner = mem_join(name, ".", NULL);
		bool looser = false;

		if (k->kind == KEY_OBJECT)
			config_order_limit(k->keys, inner, now, base, apply, loosened);
		else if (k->order == ORDER_ALL)
			looser =
			    words_looser((struct strings *)at, (const struct strings *)b, apply);
		else if (k->order != ORDER_NONE && (looser = value_looser(k, at, b)) && apply)
			memcpy(at, b, value_size(k));
		if (looser)
			strings_add(loosened, name);
		free(name);
		free(inner);
	}
}
