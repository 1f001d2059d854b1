#ifndef CONFIG_PAUSE_H
#define CONFIG_PAUSE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/clock.h"
#include "base/error.h"

/*
 * The emergency switch of a person: until a time, every refusal of the hooks is a warning.
 *
 * It is {config}/task-hooks/pause.json, beside trust.json.  One that is damaged, that others can
 * write to, or that ends in more than PAUSE_MAX_MS counts as absent.  A hook must never call
 * pause_begin().
 */
#define PAUSE_MAX_MS (INT64_C(24) * 3600 * 1000)

struct pause {
	char *until; /* as clock_iso_seconds() */
	char *reason;
};

bool pause_now(struct pause *, const char *config_dir);
void pause_free(struct pause *);
int pause_begin(const char *config_dir, int64_t ms, const char *reason, struct error *);
int pause_end(const char *config_dir, struct error *); /* 1, 0 there was none */

#endif
