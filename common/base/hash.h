#ifndef BASE_HASH_H
#define BASE_HASH_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include <sha2.h>

/*
 * SHA-256, in hexadecimal.
 *
 *	struct hash h;
 *	hash_begin(&h);
 *	hash_add(&h, data, len);	bytes as they are
 *	hash_field(&h, text);		a text and its end, so that ("ab","c") and
 *					("a","bc") differ; NULL differs from ""
 *	hash_end(&h, out);
 */
#define HASH_HEX 65

struct hash {
	SHA2_CTX context;
};

void hash_begin(struct hash *);
void hash_add(struct hash *, const void *, size_t);
void hash_field(struct hash *, const char *text);
void hash_end(struct hash *, char out[HASH_HEX]);
void hash_text(const void *, size_t, char out[HASH_HEX]);

/* FNV-1a: short, for tables and names; anyone can make two texts with the same one. */
uint32_t hash_short(const char *text);

#endif
