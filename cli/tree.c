/*
 * tree, graph: draw which tasks are parts of which, and which wait for which.
 *
 * A subtask is drawn below its parent.  Any other task is drawn below the first task it waits for;
 * below others it is shown again as a reference.
 * A cycle is drawn from its first task in the list, and the edge back is marked.
 */
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "view.h"

#define INDENT_MAX 120 /* bytes */
#define PARENTS_MAX 64 /* levels of subtasks that are looked at */

struct forest {
	struct cli *c;
	const struct view *v;
	bool *drawn, *path; /* by index into v->tasks */
	/* What is drawn below a task, by its index: the first edge, and from each edge the next
	 * one; edge + 1, 0 ends. In the order of the list. */
	size_t *first, *next, *below;
	struct buf indent;
	bool all;
};

static size_t
index_of(const struct forest *f, const struct task *t)
{
	return (size_t)(t - f->v->tasks.item);
}

static bool
shows(const struct forest *f, const struct task *t)
{
	return !t->internal && (f->all || task_open(t));
}

/* The parent, if it is shown; NULL. */
static const struct task *
parent_of(const struct forest *f, const struct task *t)
{
	const struct task *p = t->parent != NULL ? view_find(f->v, t->parent) : NULL;

	return p != NULL && p != t && shows(f, p) ? p : NULL;
}

/* The n-th task that `t` is drawn below; *count of them. NULL: not that one. */
static const struct task *
above(const struct forest *f, const struct task *t, size_t n, size_t *count)
{
	const struct task *b = parent_of(f, t), *up;

	*count = b != NULL ? 1 : t->blocked_by.count;
	if (b != NULL || n >= *count || (b = view_find(f->v, t->blocked_by.item[n])) == NULL)
		return b;
	/* Not below a part of itself: the line of the task says that it waits for that. */
	up = b;
	for (int level = 0; level < PARENTS_MAX && (up = parent_of(f, up)) != NULL; level++)
		if (up == t)
			return NULL;
	return b;
}

static void
collect_edges(struct forest *f)
{
	size_t count = 0, e = 0, n;

	for (size_t i = 0; i < f->v->tasks.count; i++)
		count += f->v->tasks.item[i].blocked_by.count + 1;
	f->first = mem_alloc((f->v->tasks.count + 1) * sizeof(size_t));
	f->next = mem_alloc((count + 1) * sizeof(size_t));
	f->below = mem_alloc((count + 1) * sizeof(size_t));
	/* From the end, so that the edges of a task are in the order of the list. */
	for (size_t i = f->v->tasks.count; i > 0; i--) {
		const struct task *t = &f->v->tasks.item[i - 1], *b;

		if (!shows(f, t))
			continue;
		n = 1;
		for (size_t k = 0; k < n; k++) {
			if ((b = above(f, t, k, &n)) == NULL)
				continue;
			f->below[e] = i - 1;
			f->next[e] = f->first[index_of(f, b)];
			f->first[index_of(f, b)] = ++e;
		}
	}
}

/* Is it drawn below any task that is shown? */
static bool
has_shown_blocker(const struct forest *f, const struct task *t)
{
	const struct task *b;
	size_t n = 1;

	for (size_t i = 0; i < n; i++)
		if ((b = above(f, t, i, &n)) != NULL && b != t && shows(f, b))
			return true;
	return false;
}

static void
draw(struct forest *f, const struct task *t, const char *elbow)
{
	struct cli *c = f->c;
	size_t me = index_of(f, t), length = f->indent.len;
	bool seen = f->drawn[me], cycle = f->path[me];
	int columns = c->columns;

	buf_printf(&c->out, "%s%s", buf_text(&f->indent), elbow);
	c->columns -= text_width(buf_text(&f->indent)) + text_width(elbow) + 8;
	view_line(c, f->v, t);
	c->columns = columns;
	buf_printf(&c->out, "%s\n", cycle ? " (a cycle)" : seen ? " (above)" : "");
	if (seen || cycle)
		return;
	f->drawn[me] = f->path[me] = true;
	/* A longer chain is not indented further. */
	if (*elbow != '\0' && f->indent.len < INDENT_MAX)
		buf_puts(&f->indent, strcmp(elbow, c->ascii ? "`- " : "└─ ") == 0 ? "   "
				     : c->ascii                                   ? "|  "
										  : "│  ");
	for (size_t e = f->first[me]; e != 0; e = f->next[e - 1]) {
		const struct task *below = &f->v->tasks.item[f->below[e - 1]];
		bool last = f->next[e - 1] == 0;

		if (c->ascii)
			draw(f, below, last ? "`- " : "|- ");
		else
			draw(f, below, last ? "└─ " : "├─ ");
	}
	f->path[me] = false;
	f->indent.len = length;
	if (f->indent.data != NULL)
		f->indent.data[length] = '\0';
}

static void
no_tasks(struct cli *c, bool all)
{
	char *list = cli_list_shown(c);

	cli_print(c, "no %stasks in %s\n", all ? "" : "open ", list);
	free(list);
}

static void
draw_all(struct cli *c, const struct view *v, const char *only)
{
	struct forest f = { .c = c, .v = v, .all = cli_flag(c, "all") || only != NULL };
	size_t lines = c->out.len;

	f.drawn = mem_alloc(v->tasks.count + 1);
	f.path = mem_alloc(v->tasks.count + 1);
	collect_edges(&f);
	if (only != NULL) {
		draw(&f, view_find(v, only), "");
		goto out;
	}
	/* The roots with all below them, then the cycles, which have no root. */
	for (size_t i = 0; i < 2 * v->tasks.count; i++) {
		bool again = i >= v->tasks.count;
		const struct task *t = &v->tasks.item[i % v->tasks.count];

		if (shows(&f, t) && (again ? !f.drawn[index_of(&f, t)] : !has_shown_blocker(&f, t)))
			draw(&f, t, "");
	}
	if (c->out.len == lines)
		no_tasks(c, f.all);
out:
	free(f.drawn);
	free(f.path);
	free(f.first);
	free(f.next);
	free(f.below);
	buf_free(&f.indent);
}

/*
 * Append source text of DOT or Mermaid, then a text of a task, which is inside double quotes there:
 * quotes and backslashes, which could end it, are replaced.
 */
static void
put_label(struct buf *b, const char *before, const char *text)
{
	struct buf safe = { 0 };

	buf_puts(b, before);
	view_text(&safe, text, 60);
	for (const char *p = buf_text(&safe); *p != '\0'; p++)
		buf_putc(b, *p == '"' || *p == '\\' ? '\'' : *p);
	buf_free(&safe);
}

static void
print_dot(struct cli *c, const struct view *v)
{
	static const char *const fill[] = { [TASK_IN_PROGRESS] = "khaki",
		[TASK_COMPLETED] = "palegreen",
		[TASK_CANCELLED] = "lightgrey",
		[TASK_NO_STATUS] = NULL };

	buf_puts(&c->out, "digraph tasks {\n\trankdir=LR;\n\tnode [shape=box, style=filled, "
			  "fillcolor=white];\n");
	for (size_t i = 0; i < v->tasks.count; i++) {
		const struct task *t = &v->tasks.item[i];

		if (t->internal)
			continue;
		put_label(&c->out, "\t\"", t->id);
		put_label(&c->out, "\" [label=\"#", t->id);
		put_label(&c->out, " ", t->subject);
		if (t->owner != NULL)
			put_label(&c->out, "\\n@", t->owner);
		buf_putc(&c->out, '"');
		if (fill[t->status] != NULL)
			buf_printf(&c->out, ", fillcolor=%s", fill[t->status]);
		buf_puts(&c->out, "];\n");
	}
	for (size_t i = 0; i < v->tasks.count; i++)
		for (size_t k = 0; k < v->tasks.item[i].blocked_by.count; k++) {
			put_label(&c->out, "\t\"", v->tasks.item[i].blocked_by.item[k]);
			put_label(&c->out, "\" -> \"", v->tasks.item[i].id);
			buf_puts(&c->out, "\";\n");
		}
	buf_puts(&c->out, "}\n");
}

/* Mermaid's ids are words, but a task id may contain dots: use its position in the list. */
static void
mermaid_id(struct buf *b, const struct view *v, const char *id)
{
	const struct task *t = view_find(v, id);

	if (t != NULL)
		buf_printf(b, "t%zu", (size_t)(t - v->tasks.item) + 1);
	else
		buf_printf(b, "missing_%s", strspn(id, "0123456789") == strlen(id) ? id : "x");
}

/* Mermaid shows the HTML in a label, and #NN; is a character. */
static void
mermaid_label(struct buf *b, const char *text)
{
	struct buf label = { 0 };

	put_label(&label, "", text);
	for (const char *p = buf_text(&label); *p != '\0'; p++)
		if (strchr("#&<>", *p) != NULL)
			buf_printf(b, "#%d;", *p);
		else
			buf_putc(b, *p);
	buf_free(&label);
}

static void
print_mermaid(struct cli *c, const struct view *v)
{
	buf_puts(&c->out, "flowchart LR\n");
	for (size_t i = 0; i < v->tasks.count; i++) {
		const struct task *t = &v->tasks.item[i];

		if (t->internal)
			continue;
		buf_puts(&c->out, "    ");
		mermaid_id(&c->out, v, t->id);
		buf_puts(&c->out, "[\"#35;");
		mermaid_label(&c->out, t->id);
		buf_putc(&c->out, ' ');
		mermaid_label(&c->out, t->subject);
		buf_printf(&c->out, "\"]:::%s\n", task_status_name(t->status));
	}
	for (size_t i = 0; i < v->tasks.count; i++)
		for (size_t k = 0; k < v->tasks.item[i].blocked_by.count; k++) {
			buf_puts(&c->out, "    ");
			mermaid_id(&c->out, v, v->tasks.item[i].blocked_by.item[k]);
			buf_puts(&c->out, " --> ");
			mermaid_id(&c->out, v, v->tasks.item[i].id);
			buf_putc(&c->out, '\n');
		}
	buf_puts(&c->out, "    classDef in_progress fill:#f0e68c\n"
			  "    classDef completed fill:#98fb98\n"
			  "    classDef cancelled fill:#d3d3d3\n");
}

static void
tree_json(struct cli *c, const struct view *v)
{
	struct json_object *o = out_object(), *tasks, *edges, *e;
	struct strings cycle = { 0 };

	out_string(o, "list", c->list.name);
	tasks = out_add(o, "tasks", out_array());
	edges = out_add(o, "edges", out_array());
	for (size_t i = 0; i < v->tasks.count; i++) {
		const struct task *t = &v->tasks.item[i];

		if (!t->internal)
			out_push(tasks, view_json(v, t));
		for (size_t k = 0; k < t->blocked_by.count; k++) {
			e = out_push(edges, out_object());
			out_string(e, "task", t->id);
			out_string(e, "waits_for", t->blocked_by.item[k]);
			out_bool(e, "missing", view_find(v, t->blocked_by.item[k]) == NULL);
		}
	}
	if (graph_any_cycle(&v->tasks, &cycle))
		out_strings(o, "cycle", &cycle);
	strings_free(&cycle);
	cli_json(c, o);
}

int
tree_main(struct cli *c)
{
	struct view v;
	const char *id = NULL;

	if ((c->operands == 1 && (id = cli_id(c, 0)) == NULL) || view_load(c, &v) == -1)
		return c->status;
	if (id != NULL && view_find(&v, id) == NULL)
		cli_no_task(c, id);
	else if (c->json)
		tree_json(c, &v);
	else if (cli_flag(c, "dot"))
		print_dot(c, &v);
	else if (cli_flag(c, "mermaid"))
		print_mermaid(c, &v);
	else
		draw_all(c, &v, id);
	view_free(&v);
	return c->status;
}
