#ifndef GATE_CACHE_H
#define GATE_CACHE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "config/gate.h"

/*
 * Passes of gates that need not run again.
 *
 * A pass is a small file in cache/ of the list's state, named by the hash of
 * everything the verdict depends on.  Only passes are kept; a file that cannot be
 * read, is too old or is dated in the future is ignored.  The number of files is
 * bounded; the oldest are removed first.
 */
#define CACHE_MAX 500

struct cache_entry {
	int64_t time_ms, ms;
	uint64_t output_total;
	char digest[HASH_HEX];
	bool flaky;
};

/* tree: hash of what the gate reads; cwd: where it runs; env: all of its environment, which is
 * sorted. */
void cache_key(const struct gate *, const char *tree, const char *cwd, struct strings *env,
    char out[HASH_HEX]);

/* Remove the oldest files of a directory beyond CACHE_MAX. */
void cache_prune(int dirfd);

bool cache_find(int statefd, const char *key, int64_t ttl_ms, struct cache_entry *);
int cache_put(
    int statefd, const char *key, const char *gate, const struct cache_entry *, struct error *);

#endif
