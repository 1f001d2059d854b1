/*
 * A wrapper of libmd.
 */
#include "base/hash.h"

#include <stdint.h>
#include <string.h>

void
hash_begin(struct hash *h)
{
	SHA256Init(&h->context);
}

void
hash_add(struct hash *h, const void *data, size_t len)
{
	if (len > 0)
		SHA256Update(&h->context, data, len);
}

void
hash_field(struct hash *h, const char *text)
{
	uint64_t len = text == NULL ? UINT64_MAX : strlen(text);

	hash_add(h, &len, sizeof(len));
	if (text != NULL)
		hash_add(h, text, (size_t)len);
}

void
hash_end(struct hash *h, char out[HASH_HEX])
{
	static const char digit[] = "0123456789abcdef";
	uint8_t sum[SHA256_DIGEST_LENGTH];

	SHA256Final(sum, &h->context);
	for (size_t i = 0; i < sizeof(sum); i++) {
		out[2 * i] = digit[sum[i] >> 4];
		out[2 * i + 1] = digit[sum[i] & 15];
	}
	out[2 * sizeof(sum)] = '\0';
}

void
hash_text(const void *data, size_t len, char out[HASH_HEX])
{
	struct hash h;

	hash_begin(&h);
	hash_add(&h, data, len);
	hash_end(&h, out);
}

uint32_t
hash_short(const char *text)
{
	uint32_t h = 2166136261u;

	for (; *text != '\0'; text++)
		h = (h ^ (unsigned char)*text) * 16777619u;
	return h;
}
