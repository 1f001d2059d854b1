#include "json/json-members.h"

#include <stdlib.h>
#include <string.h>

#include "json/json-string.h"

int
json_members_compare(const struct json_pair *a, const struct json_pair *b)
{
	size_t len = a->len < b->len ? a->len : b->len;
	int d = memcmp(a->key, b->key, len);

	return d != 0 ? d : (a->len > b->len) - (a->len < b->len);
}

static int
by_key(const void *a, const void *b)
{
	const struct json_pair *x = a, *y = b;
	int d = json_members_compare(x, y);

	return d != 0 ? d : (x->value > y->value) - (x->value < y->value);
}

/* Keys with escapes or invalid bytes, decoded.  The buffer may move while
 * it grows, so the pointers are set once all are in it. */
static void
decode_keys(struct json_members *m, const struct json *j)
{
	const struct json_node *n;
	size_t from = 0;

	for (size_t i = 0; i < m->count; i++) {
		n = &j->node[m->item[i].value];
		if (n->key_plain)
			continue;
		json_decode(&m->keys, j->text + n->key + 1, n->key_end - n->key - 2, true);
		m->item[i].len = m->keys.len - from;
		from = m->keys.len;
	}
	from = 0;
	for (size_t i = 0; i < m->count; i++) {
		if (j->node[m->item[i].value].key_plain)
			continue;
		m->item[i].key = buf_text(&m->keys) + from;
		from += m->item[i].len;
	}
}

static void
merge_duplicates(struct json_members *m)
{
	size_t kept = 0;

	for (size_t i = 0; i < m->count; i++) {
		if (kept > 0 && json_members_compare(&m->item[kept - 1], &m->item[i]) == 0)
			m->item[kept - 1].value = m->item[i].value;
		else
			m->item[kept++] = m->item[i];
	}
	m->count = kept;
}

void
json_members_load(struct json_members *m, const struct json *j, json_ref object)
{
	const struct json_node *n;
	struct json_pair *pair;

	*m = (struct json_members){ 0 };
	m->item = mem_grow(NULL, json_count(j, object), sizeof(*m->item));
	JSON_EACH (j, object, at) {
		n = &j->node[at];
		pair = &m->item[m->count++];
		*pair = (struct json_pair){ .value = at };
		pair->key = j->text + n->key + 1;
		pair->len = n->key_end - n->key - 2;
	}
	decode_keys(m, j);
	qsort(m->item, m->count, sizeof(*m->item), by_key);
	merge_duplicates(m);
}

void
json_members_free(struct json_members *m)
{
	free(m->item);
	buf_free(&m->keys);
	*m = (struct json_members){ 0 };
}
