/*
 * Dependencies and parents that name no task.
 *
 * A task that waits for one that does not exist would wait for ever.  So what
 * names a task that is neither imported nor in the list is removed, and
 * reported for each task.
 */
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/text.h"
#include "form/convert-part.h"

struct settling {
	struct task_index set, list;
	struct convert_report *report;
	bool quiet; /* about dependencies */
};

static bool
is_known(const struct settling *s, const char *id)
{
	if (task_index_find(&s->set, id) != TASK_NOWHERE)
		return true;
	/* A task of the list with the id of a skipped entry is a different task. */
	return !strings_has(&s->report->skipped_ids, id) &&
	       task_index_find(&s->list, id) != TASK_NOWHERE;
}

static void
report_unknown(
    struct settling *s, const struct task *t, const char *before, const char *id, const char *after)
{
	struct buf line = { 0 };

	task_name(&line, t);
	buf_printf(&line, ": %s#", before);
	text_show(&line, id, strlen(id), TEXT_LINE, 60);
	buf_printf(&line, "%s is lost: there is no such task", after);
	strings_add(&s->report->lost, buf_text(&line));
	buf_free(&line);
}

static void
collect_unknown(struct settling *s, const struct task *t, const struct strings *ids, bool blocks,
    struct strings *unknown)
{
	for (size_t i = 0; i < ids->count; i++) {
		if (is_known(s, ids->item[i]))
			continue;
		strings_add(unknown, ids->item[i]);
		if (!s->quiet)
			report_unknown(s, t, blocks ? "that " : "its dependency on ", ids->item[i],
			    blocks ? " waits for it" : "");
	}
}

static int
settle_task(struct settling *s, struct task *t, struct error *err)
{
	struct strings by = { 0 }, blocks = { 0 };
	struct change c = {
		.status = TASK_NO_STATUS, .remove_blocked_by = &by, .remove_blocks = &blocks
	};
	struct buf text = { 0 };
	char *id;
	int rc = 0;

	collect_unknown(s, t, &t->blocked_by, false, &by);
	collect_unknown(s, t, &t->blocks, true, &blocks);
	if (t->parent != NULL && !is_known(s, t->parent)) {
		c.parent = "";
		report_unknown(s, t, "its parent ", t->parent, "");
	}
	/* Otherwise blocked would count as set by the user. */
	if (by.count > 0 && t->status == TASK_BLOCKED && !task_held(t))
		c.status = TASK_PENDING;
	if (by.count + blocks.count > 0 || c.parent != NULL)
		rc = task_edit(t, &c, clock_wall_ms(), &text, err);
	if (rc == 1) {
		buf_free(&t->text);
		t->text = text;
		text = (struct buf){ 0 };
		id = mem_string(t->id);
		rc = task_reread(t, t->dialect, id, err);
		free(id);
	}
	buf_free(&text);
	strings_free(&by);
	strings_free(&blocks);
	return rc == -1 ? -1 : 0;
}

int
convert_settle(struct task_set *set, struct store *to, bool quiet, struct convert_report *report,
    struct error *err)
{
	struct settling s = { .report = report, .quiet = quiet };
	struct task_set there = { 0 };
	int rc = to != NULL && to->dirfd != -1 ? store_load(to, &there, err) : 0;

	task_index_make(&s.set, set);
	task_index_make(&s.list, &there);
	for (size_t i = 0; rc == 0 && i < set->count; i++)
		rc = settle_task(&s, &set->item[i], err);
	task_index_free(&s.set);
	task_index_free(&s.list);
	task_set_free(&there);
	return rc;
}
