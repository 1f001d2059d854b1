/*
 * Queries: everything that is asked of a parsed text.
 */
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "base/utf8.h"
#include "json/json-members.h"
#include "json/json-string.h"
#include "json/json.h"

static const struct json_node *
node_at(const struct json *j, json_ref ref)
{
	return ref >= 0 && (size_t)ref < j->count ? &j->node[ref] : NULL;
}

enum json_kind
json_kind(const struct json *j, json_ref ref)
{
	const struct json_node *n = node_at(j, ref);

	return n != NULL ? (enum json_kind)n->kind : JSON_NONE;
}

static bool
is_container(const struct json_node *n)
{
	return n != NULL && (n->kind == JSON_ARRAY || n->kind == JSON_OBJECT);
}

size_t
json_count(const struct json *j, json_ref ref)
{
	const struct json_node *n = node_at(j, ref);

	return is_container(n) ? n->count : 0;
}

json_ref
json_first(const struct json *j, json_ref ref)
{
	return json_count(j, ref) > 0 ? ref + 1 : JSON_ABSENT;
}

json_ref
json_next(const struct json *j, json_ref container, json_ref child)
{
	const struct json_node *n = node_at(j, child), *up = node_at(j, container);

	if (n == NULL || up == NULL || n->next >= up->next)
		return JSON_ABSENT;
	return (json_ref)n->next;
}

const char *
json_raw(const struct json *j, json_ref ref, size_t *len)
{
	const struct json_node *n = node_at(j, ref);

	*len = n != NULL ? n->end - n->start : 0;
	return n != NULL ? j->text + n->start : NULL;
}

char *
json_raw_copy(const struct json *j, json_ref ref)
{
	size_t len;
	const char *raw = json_raw(j, ref, &len);

	return raw != NULL ? mem_copy(raw, len) : NULL;
}

/* Do the quoted bytes [start, end) decode to s? */
static bool
spells(const struct json *j, uint32_t start, uint32_t end, bool plain, const char *s)
{
	const char *p = j->text + start + 1, *stop = j->text + end - 1, *send;
	size_t len = strlen(s);

	if (plain)
		return (size_t)(stop - p) == len && memcmp(p, s, len) == 0;
	send = s + len;
	/* an invalid byte in s gives -1, which differs from every character */
	while (p < stop && s < send)
		if (json_char(&p, stop) != utf8_next(&s, send))
			return false;
	return p == stop && s == send;
}

bool
json_equals(const struct json *j, json_ref ref, const char *s)
{
	const struct json_node *n = node_at(j, ref);

	return n != NULL && n->kind == JSON_STRING && spells(j, n->start, n->end, n->plain, s);
}

bool
json_key_equals(const struct json *j, json_ref ref, const char *s)
{
	const struct json_node *n = node_at(j, ref);

	return n != NULL && n->key_end > 0 && spells(j, n->key, n->key_end, n->key_plain, s);
}

const char *
json_key_plain(const struct json *j, json_ref ref, size_t *len)
{
	const struct json_node *n = node_at(j, ref);

	if (n == NULL || n->key_end == 0 || !n->key_plain)
		return NULL;
	*len = n->key_end - n->key - 2;
	return j->text + n->key + 1;
}

json_ref
json_member(const struct json *j, json_ref object, const char *key)
{
	json_ref found = JSON_ABSENT;

	if (json_kind(j, object) != JSON_OBJECT)
		return JSON_ABSENT;
	JSON_EACH (j, object, at)
		if (json_key_equals(j, at, key))
			found = at;
	return found;
}

static char *
decoded(const struct json *j, uint32_t start, uint32_t end, bool plain, size_t *len)
{
	struct buf b = { 0 };

	if (plain) {
		*len = end - start - 2;
		return mem_copy(j->text + start + 1, *len);
	}
	json_decode(&b, j->text + start + 1, end - start - 2, false);
	*len = b.len;
	return buf_take(&b);
}

char *
json_string_len(const struct json *j, json_ref ref, size_t *len)
{
	const struct json_node *n = node_at(j, ref);

	*len = 0;
	if (n == NULL || n->kind != JSON_STRING)
		return NULL;
	return decoded(j, n->start, n->end, n->plain, len);
}

char *
json_string(const struct json *j, json_ref ref)
{
	size_t len;

	return json_string_len(j, ref, &len);
}

char *
json_word(const struct json *j, json_ref ref)
{
	char *s = json_string(j, ref);

	if (s != NULL && *s == '\0') {
		free(s);
		s = NULL;
	}
	return s;
}

char *
json_key(const struct json *j, json_ref ref)
{
	const struct json_node *n = node_at(j, ref);
	size_t len;

	if (n == NULL || n->key_end == 0)
		return NULL;
	return decoded(j, n->key, n->key_end, n->key_plain, &len);
}

char *
json_member_string(const struct json *j, json_ref object, const char *key)
{
	return json_string(j, json_member(j, object, key));
}

bool
json_true(const struct json *j, json_ref ref)
{
	return json_kind(j, ref) == JSON_TRUE;
}

double
json_number(const char *text, size_t len)
{
	char near[64], *copy = near;
	double v;

	if (len >= sizeof(near))
		copy = mem_copy(text, len);
	else {
		memcpy(near, text, len);
		near[len] = '\0';
	}
	v = strtod(copy, NULL);
	if (copy != near)
		free(copy);
	return v;
}

int
json_int(const struct json *j, json_ref ref, int64_t *value)
{
	const char *p, *end;
	bool negative;
	int64_t v = 0;
	size_t len;
	double d;

	if (json_kind(j, ref) != JSON_NUMBER)
		return -1;
	p = json_raw(j, ref, &len);
	if (memchr(p, '.', len) != NULL || memchr(p, 'e', len) != NULL ||
	    memchr(p, 'E', len) != NULL) {
		/* 1e3 and 2.0 are integers to JavaScript; past 2^53 it rounds */
		d = json_number(p, len);
		if (!(d >= -9007199254740992.0 && d <= 9007199254740992.0) ||
		    d != (double)(int64_t)d)
			return -1;
		*value = (int64_t)d;
		return 0;
	}
	end = p + len;
	negative = *p == '-';
	for (p += negative; p < end; p++)
		if (__builtin_mul_overflow(v, 10, &v) ||
		    __builtin_add_overflow(v, negative ? '0' - *p : *p - '0', &v))
			return -1;
	*value = v;
	return 0;
}

void
json_strings(const struct json *j, json_ref array, struct strings *list)
{
	if (json_kind(j, array) != JSON_ARRAY)
		return;
	JSON_EACH (j, array, at)
		if (json_kind(j, at) == JSON_STRING)
			strings_take(list, json_string(j, at));
}

void
json_keys(const struct json *j, json_ref object, struct strings *list)
{
	if (json_kind(j, object) != JSON_OBJECT)
		return;
	for (json_ref m = json_first(j, object); m != JSON_ABSENT; m = json_next(j, object, m)) {
		char *key = json_key(j, m);

		if (!strings_has(list, key))
			strings_add(list, key);
		free(key);
	}
}

static bool
same_number(const struct json *a, json_ref x, const struct json *b, json_ref y)
{
	size_t xlen, ylen;
	const char *xs = json_raw(a, x, &xlen), *ys = json_raw(b, y, &ylen);

	if (xlen == ylen && memcmp(xs, ys, xlen) == 0)
		return true;
	return json_number(xs, xlen) == json_number(ys, ylen);
}

static bool
same_string(const struct json *a, json_ref x, const struct json *b, json_ref y)
{
	size_t xlen, ylen;
	const char *p = json_raw(a, x, &xlen), *q = json_raw(b, y, &ylen);
	const char *pend = p + xlen - 1, *qend = q + ylen - 1;

	p++, q++;
	while (p < pend && q < qend)
		if (json_char(&p, pend) != json_char(&q, qend))
			return false;
	return p == pend && q == qend;
}

static bool
same_object(const struct json *a, json_ref x, const struct json *b, json_ref y)
{
	struct json_members m, n;
	bool same;

	json_members_load(&m, a, x);
	json_members_load(&n, b, y);
	same = m.count == n.count;
	for (size_t i = 0; same && i < m.count; i++)
		same = json_members_compare(&m.item[i], &n.item[i]) == 0 &&
		       json_same(a, m.item[i].value, b, n.item[i].value);
	json_members_free(&m);
	json_members_free(&n);
	return same;
}

bool
json_same(const struct json *a, json_ref x, const struct json *b, json_ref y)
{
	enum json_kind kind = json_kind(a, x);

	if (kind != json_kind(b, y))
		return false;
	switch (kind) {
	case JSON_NUMBER:
		return same_number(a, x, b, y);
	case JSON_STRING:
		return same_string(a, x, b, y);
	case JSON_OBJECT:
		return same_object(a, x, b, y);
	case JSON_ARRAY:
		break;
	default:
		return true;
	}
	if (json_count(a, x) != json_count(b, y))
		return false;
	for (json_ref i = json_first(a, x), k = json_first(b, y); i != JSON_ABSENT;
	     i = json_next(a, x, i), k = json_next(b, y, k))
		if (!json_same(a, i, b, k))
			return false;
	return true;
}
