/*
 * The tasks: files that the client does not show, dependencies on missing tasks, on one side only,
 * or in a cycle.
 */
#include <stdlib.h>
#include <string.h>

#include "doctor.h"
#include "undo.h"

struct bad {
	struct strings files, reasons;
};

static void
add_bad(void *arg, const char *file, const char *reason)
{
	struct bad *b = arg;

	strings_add(&b->files, file);
	strings_add(&b->reasons, reason);
}

static void
check_invisible(struct doctor *d)
{
	struct bad bad = { 0 };
	struct error err;
	struct finding *f;
	int rc;

	doctor_checked(d, "store.invisible");
	if (store_bad(&d->c->store, add_bad, &bad, &err) == -1)
		doctor_find(d, "store.invisible", LEVEL_BAD, mem_string(err.text),
		    "the list cannot be read", mem_printf("look at %s", d->c->list.dir));
	for (size_t i = 0; i < bad.files.count; i++) {
		f = doctor_find(d, "store.invisible", LEVEL_BAD,
		    mem_printf("%s: %s", bad.files.item[i], bad.reasons.item[i]),
		    "the client does not show such a file, as if the task did not exist",
		    mem_printf("fix or remove %s/%s, or: claude-tasks doctor --fix", d->c->list.dir,
			bad.files.item[i]));
		if (!d->fix)
			continue;
		rc = doctor_repair(d, bad.files.item[i], &err);
		if (rc == 1) {
			f->did = mem_string("rewrote it as the client would");
			continue;
		}
		free(f->fix);
		f->fix = rc == -1 ? mem_string(err.text)
				  : mem_printf("fix or remove %s/%s by hand", d->c->list.dir,
					bad.files.item[i]);
	}
	strings_free(&bad.files);
	strings_free(&bad.reasons);
}

static bool
drop_blocker(struct doctor *d, const char *id, const char *blocker)
{
	struct strings one = { (char *[]){ (char *)blocker }, 1 };
	struct change change = { .status = TASK_NO_STATUS, .remove_blocked_by = &one };
	struct store_op op = { STORE_UPDATE, id, .change = &change };
	struct buf ignored = { 0 };
	int status = change_one(d->c, &op, &ignored);

	store_ops_free(&op, 1);
	buf_free(&ignored);
	return status == EXIT_DONE;
}

static void
check_dangling(struct doctor *d)
{
	struct history h = { 0 };
	struct finding *f;

	doctor_checked(d, "store.dangling");
	if (history_load(d->c, &h) == -1)
		return;
	for (size_t i = 0; i < d->view.tasks.count; i++) {
		const struct task *t = &d->view.tasks.item[i];

		for (size_t k = 0; k < t->blocked_by.count; k++) {
			const char *id = t->blocked_by.item[k];
			bool back;

			if (view_find(&d->view, id) != NULL)
				continue;
			back = undo_last_text(&h, id) != NULL;
			f = doctor_find(d, "store.dangling", LEVEL_BAD,
			    mem_printf("#%s waits for #%s, which does not exist", t->id, id),
			    "it can never start",
			    back ? mem_printf("claude-tasks restore %s", id)
				 : mem_printf("claude-tasks depend %s --drop %s", t->id, id));
			if (d->fix && !back && drop_blocker(d, t->id, id))
				f->did = mem_printf("#%s no longer waits for #%s", t->id, id);
		}
	}
	history_free(&h);
}

static void
check_one_sided(struct doctor *d)
{
	struct error err;
	struct finding *f;

	doctor_checked(d, "store.one-sided");
	if (d->c->store.layout != STORE_NATIVE)
		return; /* the other layouts have one side only */
	for (size_t i = 0; i < d->view.tasks.count; i++) {
		const struct task *t = &d->view.tasks.item[i];

		for (size_t k = 0; k < t->blocked_by.count + t->blocks.count; k++) {
			bool down = k < t->blocked_by.count;
			const char *id =
			    down ? t->blocked_by.item[k] : t->blocks.item[k - t->blocked_by.count];
			const char *blocked = down ? t->id : id, *blocker = down ? id : t->id;
			const struct task *o = view_find(&d->view, id);

			if (o == NULL || o == t ||
			    strings_has(down ? &o->blocks : &o->blocked_by, t->id))
				continue;
			f = doctor_find(d, "store.one-sided", LEVEL_ODD,
			    mem_printf("#%s %s #%s, but #%s does not list it", t->id,
				down ? "waits for" : "blocks", id, id),
			    "the other task looks unblocked",
			    mem_printf("claude-tasks depend %s --on %s", blocked, blocker));
			if (d->fix && store_depend(&d->c->store, blocked, blocker, false,
					  cli_patience(), &err) != -1)
				f->did = mem_string("wrote the missing side");
		}
	}
}

static void
check_cycle(struct doctor *d)
{
	struct strings path = { 0 };
	struct buf text = { 0 };

	doctor_checked(d, "store.cycle");
	if (!graph_any_cycle(&d->view.tasks, &path))
		return;
	for (size_t i = 0; i < path.count; i++)
		buf_printf(&text, "%s#%s", i > 0 ? " waits for " : "", path.item[i]);
	doctor_find(d, "store.cycle", LEVEL_BAD, mem_string(buf_text(&text)),
	    "none of them can ever start; a person must decide which link is wrong",
	    mem_printf("claude-tasks depend %s --drop %s", path.item[0],
		path.count > 1 ? path.item[1] : path.item[0]));
	buf_free(&text);
	strings_free(&path);
}

void
doctor_store(struct doctor *d)
{
	doctor_checked(d, "store.list");
	if (d->c->store.dirfd == -1) {
		doctor_find(d, "store.list", LEVEL_NOTE,
		    mem_printf("there is no list '%s' yet (%s)", d->c->list.name, d->c->list.why),
		    "a list begins with its first task; a session's has another name",
		    mem_string("claude-tasks lists"));
		return;
	}
	check_invisible(d);
	check_dangling(d);
	check_one_sided(d);
	check_cycle(d);
}
