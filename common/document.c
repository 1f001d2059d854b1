#include "document.h"
bool
document_exists(int dirfd)
{
	(void)dirfd;
	return false;
}
int
document_lock(struct store *s, struct deadline d, struct error *err)
{
	(void)s;
	(void)d;
	return error_set(err, ERROR_FAULT, "no documents");
}
int
document_get(struct store *s, const char *id, struct task *t, struct error *err)
{
	(void)s;
	(void)id;
	(void)t;
	return error_set(err, ERROR_FAULT, "no documents");
}
int
document_load(struct store *s, struct task_set *t, struct error *err)
{
	(void)s;
	(void)t;
	return error_set(err, ERROR_FAULT, "no documents");
}
int
document_bad(
    struct store *s, void (*fn)(void *, const char *, const char *), void *a, struct error *err)
{
	(void)s;
	(void)fn;
	(void)a;
	return error_set(err, ERROR_FAULT, "no documents");
}
int
document_create(struct store *s, const struct change *c, store_rule *r, void *a, struct task *m,
    struct deadline d, struct error *err)
{
	(void)s;
	(void)c;
	(void)r;
	(void)a;
	(void)m;
	(void)d;
	return error_set(err, ERROR_FAULT, "no documents");
}
int
document_update(struct store *s, const char *id, const struct change *c, store_rule *r, void *a,
    struct task *b, struct task *m, struct deadline d, struct error *err)
{
	(void)s;
	(void)id;
	(void)c;
	(void)r;
	(void)a;
	(void)b;
	(void)m;
	(void)d;
	return error_set(err, ERROR_FAULT, "no documents");
}
int
document_delete(struct store *s, const char *id, store_rule *r, void *a, struct task *b,
    struct deadline d, struct error *err)
{
	(void)s;
	(void)id;
	(void)r;
	(void)a;
	(void)b;
	(void)d;
	return error_set(err, ERROR_FAULT, "no documents");
}
int
document_clear(struct store *s, struct task_set *t, struct deadline d, struct error *err)
{
	(void)s;
	(void)t;
	(void)d;
	return error_set(err, ERROR_FAULT, "no documents");
}
int
document_put(
    struct store *s, const char *id, const char *t, size_t l, struct deadline d, struct error *err)
{
	(void)s;
	(void)id;
	(void)t;
	(void)l;
	(void)d;
	return error_set(err, ERROR_FAULT, "no documents");
}
