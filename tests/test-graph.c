/*
 * The graph of dependencies.
 */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "list/graph.h"

/* "1:p 2:p<1 3:i<1,2@me 4:c<9 5:p^1": id, status, blockers, owner, parent. */
static void
load(struct task_set *set, const char *spec)
{
	char *copy = strdup(spec), *word, *save;

	for (word = strtok_r(copy, " ", &save); word != NULL; word = strtok_r(NULL, " ", &save)) {
		char id[32], by[128] = "", owner[32] = "", parent[32] = "", *p = strchr(word, ':');
		struct buf text = { 0 };
		struct error err;
		const char *status = p[1] == 'i'   ? "in_progress"
				     : p[1] == 'c' ? "completed"
						   : "pending";
		char *q, *s2;

		snprintf(id, sizeof(id), "%.*s", (int)(p - word), word);
		if ((q = strchr(p, '<')) != NULL)
			snprintf(by, sizeof(by), "%.*s", (int)strcspn(q + 1, "@^"), q + 1);
		if ((q = strchr(p, '@')) != NULL)
			snprintf(owner, sizeof(owner), "%.*s", (int)strcspn(q + 1, "<^"), q + 1);
		if ((q = strchr(p, '^')) != NULL)
			snprintf(parent, sizeof(parent), "%.*s", (int)strcspn(q + 1, "<@"), q + 1);
		buf_printf(&text,
		    "{\"id\":\"%s\",\"subject\":\"T%s\",\"description\":\"\",\"status\":\"%s\","
		    "\"blocks\":[],"
		    "\"metadata\":{\"parent_id\":\"%s\"},\"owner\":\"%s\",\"blockedBy\":[",
		    id, id, status, parent, owner);
		for (q = strtok_r(by, ",", &s2); q != NULL; q = strtok_r(NULL, ",", &s2))
			buf_printf(&text, "%s\"%s\"", text.data[text.len - 1] == '[' ? "" : ",", q);
		buf_puts(&text, "]}");
		cr_assert_eq(
		    task_read(task_set_add(set), TASK_NATIVE, id, buf_text(&text), text.len, &err),
		    0, "%s: %s", buf_text(&text), err.text);
		buf_free(&text);
	}
	free(copy);
	task_set_sort(set);
}

static const char *
joined(struct strings *ids)
{
	static char text[1024];

	text[0] = '\0';
	for (size_t i = 0; i < ids->count; i++)
		strcat(strcat(text, i > 0 ? " " : ""), ids->item[i]);
	strings_free(ids);
	return text;
}

Test(graph, unblocked_tasks_without_owner_are_ready)
{
	static const struct {
		const char *name, *list, *want;
	} rows[] = {
		{ "an empty list", "", "" },
		{ "two pending tasks", "1:p 2:p", "1 2" },
		{ "an open blocker blocks", "1:p 2:p<1 3:c 4:p<3", "1 4" },
		{ "an owned or started task is not ready", "1:p@me 2:i 3:p", "3" },
		{ "a missing blocker blocks", "1:p<9", "" },
		{ "a task that waits for itself", "1:p<1", "" },
		{ "ids are sorted as numbers", "10:p 9:p", "9 10" },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct task_set set = { 0 };
		struct strings ids = { 0 };

		load(&set, rows[i].list);
		graph_ready(&set, &ids);
		cr_expect_str_eq(joined(&ids), rows[i].want, "%s", rows[i].name);
		task_set_free(&set);
	}
}

Test(graph, a_completion_unblocks_tasks)
{
	static const struct {
		const char *list, *id, *want;
	} rows[] = {
		{ "1:i 2:p<1 3:p<1,2 4:p<1,9 5:c<1 6:p<1@me 7:i<1", "1", "2 6" },
		{ "1:c 2:p<1", "1", "2" },
		{ "1:i 2:p", "1", "" },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct task_set set = { 0 };
		struct strings ids = { 0 };

		load(&set, rows[i].list);
		graph_unblocked(&set, rows[i].id, &ids);
		cr_expect_str_eq(joined(&ids), rows[i].want, "%s", rows[i].list);
		task_set_free(&set);
	}
}

static int
waits_in_set(void *arg, const char *id, struct graph_task *g, struct error *err)
{
	const struct task *t = task_set_find(arg, id);

	(void)err;
	if (t != NULL)
		graph_task_fill(g, t);
	return t != NULL;
}

Test(graph, a_new_edge_that_closes_a_cycle_is_found)
{
	static const struct {
		const char *list, *blocked, *blocker, *want;
	} rows[] = {
		{ "1:p 2:p<1", "1", "2", "1 2 1" },
		{ "1:p 2:p<1 3:p<2", "1", "3", "1 3 2 1" },
		{ "1:p 2:p<1 3:p<2,1", "1", "3", "1 3 1" },
		{ "1:p 2:p<1", "2", "1", "" },
		{ "1:p", "1", "1", "" },
		{ "1:p", "1", "9", "" },
		{ "1:p<2 2:p<1 3:p", "3", "1", "" },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct task_set set = { 0 };
		struct graph_edge edge = { .blocked = rows[i].blocked, .blocker = rows[i].blocker };
		struct error err;

		load(&set, rows[i].list);
		cr_assert_eq(
		    graph_check_edges(waits_in_set, &set, edge.blocked, &edge, 1, &err), 0);
		cr_expect_eq(edge.unknown, strcmp(edge.blocker, "9") == 0, "%s", rows[i].list);
		cr_expect_str_eq(joined(&edge.cycle), rows[i].want, "%s", rows[i].list);
		task_set_free(&set);
	}
}

/* The refusal of each change; "" if it is accepted. */
Test(graph, invalid_edges_of_a_change_are_refused)
{
	static const struct {
		const char *list, *id, *by, *blocks, *want;
	} rows[] = {
		{ "1:p 2:p", "1", "2", NULL, "" },
		{ "1:p 2:p", "", "2", "1", "" },
		{ "1:p", "1", "1", NULL, "task #1 cannot wait for itself" },
		{ "1:p", "1", NULL, "9",
		    "there is no task #9; create it first, or leave that dependency out" },
		{ "1:p 2:p<1", "1", "2", NULL,
		    "task #1 cannot wait for #2: that would close the cycle #1 -> #2 -> #1" },
		{ "1:p 2:p<1", "2", NULL, "1",
		    "task #1 cannot wait for #2: that would close the cycle #1 -> #2 -> #1" },
		{ "1:p 2:p 3:p<2", "1", "3", "2",
		    "task #1 cannot wait for #3: that would close the cycle #1 -> #3 -> #2 -> "
		    "#1" },
		{ "1:p 2:p", "1", "2", "2",
		    "task #1 cannot wait for #2: that would close the cycle #1 -> #2 -> #1" },
		{ "2:p 3:p<2", "", "3", "2",
		    "the new task cannot wait for #3: that would close the cycle the new task -> "
		    "#3 -> #2 -> the new task" },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct strings fresh = { (char *[]){ "" }, 1 };
		struct graph_edge edge[2] = { 0 };
		struct task_set set = { 0 };
		struct error err = { 0 };
		size_t count = 0;
		int rc;

		load(&set, rows[i].list);
		if (rows[i].by != NULL)
			edge[count++] =
			    (struct graph_edge){ .blocked = rows[i].id, .blocker = rows[i].by };
		if (rows[i].blocks != NULL)
			edge[count++] =
			    (struct graph_edge){ .blocked = rows[i].blocks, .blocker = rows[i].id };
		rc = graph_check_edges(waits_in_set, &set, rows[i].id, edge, count, &err);
		for (size_t k = 0; rc == 0 && k < count; k++)
			rc = graph_edge_refuse(&edge[k], rows[i].id, &fresh, &err);
		cr_expect_eq(rc, *rows[i].want != '\0' ? -1 : 0, "%zu", i);
		cr_expect_str_eq(rc == -1 ? err.text : "", rows[i].want, "%zu: %s", i, err.text);
		strings_free(&edge[0].cycle);
		strings_free(&edge[1].cycle);
		task_set_free(&set);
	}
}

/* The cycle is reported at the first of the two new edges. */
Test(graph, a_cycle_of_two_new_edges_is_reported_once)
{
	struct graph_edge edge[] = { { .blocked = "1", .blocker = "3" },
		{ .blocked = "2", .blocker = "1" } };
	struct task_set set = { 0 };
	struct error err;

	load(&set, "1:p 2:p 3:p<2");
	cr_assert_eq(graph_check_edges(waits_in_set, &set, "1", edge, 2, &err), 0);
	cr_expect_str_eq(joined(&edge[0].cycle), "1 3 2 1");
	cr_expect_eq(edge[1].cycle.count, 0);
	task_set_free(&set);
}

Test(graph, an_existing_cycle_is_found)
{
	static const struct {
		const char *list, *want;
	} rows[] = {
		{ "1:p 2:p<1 3:p<1,2 4:p<3,2,9", "" },
		{ "1:p<3 2:p<1 3:p<2 4:p", "1 3 2 1" },
		{ "1:p 2:p<2", "2 2" },
		{ "1:p<2 2:p<3 3:p<2", "2 3 2" },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct task_set set = { 0 };
		struct strings path = { 0 };

		load(&set, rows[i].list);
		cr_expect_eq(
		    graph_any_cycle(&set, &path), *rows[i].want != '\0', "%s", rows[i].list);
		cr_expect_str_eq(joined(&path), rows[i].want, "%s", rows[i].list);
		task_set_free(&set);
	}
}

Test(graph, the_order_has_each_task_after_its_blockers)
{
	struct task_set set = { 0 };
	struct strings cycle = { 0 };
	size_t order[5], place[5];

	load(&set, "1:p<4 2:p<1,3 3:p 4:p<3,9 5:p");
	cr_assert(graph_order(&set, order, &cycle));
	for (size_t i = 0; i < 5; i++)
		place[order[i]] = i;
	cr_expect(place[2] < place[3] && place[3] < place[0] && place[0] < place[1]);
	task_set_free(&set);
	load(&set, "1:p 2:p<3 3:p<2");
	cr_expect_not(graph_order(&set, order, &cycle));
	cr_expect_str_eq(joined(&cycle), "2 3 2");
	task_set_free(&set);
}

Test(graph, the_chain_of_blockers_is_found)
{
	static const struct {
		const char *list, *id, *want;
	} rows[] = {
		{ "1:p 2:p<1 3:p<2", "3", "3 2 1" },
		{ "1:p 2:p<1 3:p<2,4 4:p", "3", "3 4" },
		{ "1:p", "1", "1" },
		{ "1:p<9", "1", "1 9" },
		{ "1:c 2:p<1", "2", "2" },
		{ "1:p<2 2:p<1", "1", "" },
		{ "1:p", "7", "" },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct task_set set = { 0 };
		struct strings chain = { 0 };

		load(&set, rows[i].list);
		graph_why(&set, rows[i].id, &chain);
		cr_expect_str_eq(
		    joined(&chain), rows[i].want, "%s of %s", rows[i].id, rows[i].list);
		task_set_free(&set);
	}
}

Test(graph, blockers_and_children_are_listed)
{
	struct task_set set = { 0 };
	struct blockers b;
	struct buf out = { 0 };
	struct strings children = { 0 };

	load(&set, "1:c 2:i@backend-2 3:p 4:p<1,2,3,9 5:p^4 6:p^4");
	graph_blockers_of(&set, task_set_find(&set, "4"), &b);
	blockers_describe(&out, &b);
	cr_expect_str_eq(buf_text(&out), "#2 \"T2\" (in_progress, owner backend-2), #3 \"T3\" "
					 "(pending) and #9 (missing: there is no "
					 "such task)");
	graph_children(&set, "4", &children);
	cr_expect_str_eq(joined(&children), "5 6");
	blockers_free(&b);
	buf_free(&out);
	task_set_free(&set);
}

Test(graph, a_chain_of_10000_tasks_is_handled)
{
	struct task_set set = { 0 };
	struct strings path = { 0 };
	struct graph_edge edge = { .blocked = "1", .blocker = "10000" };
	struct buf spec = { 0 };
	struct error err;

	buf_puts(&spec, "1:p");
	for (int i = 2; i <= 10000; i++)
		buf_printf(&spec, " %d:p<%d", i, i - 1);
	load(&set, buf_text(&spec));
	cr_assert_eq(graph_check_edges(waits_in_set, &set, "1", &edge, 1, &err), 0);
	cr_expect_eq(edge.cycle.count, 10001, "%zu", edge.cycle.count);
	strings_free(&edge.cycle);
	cr_expect(!graph_any_cycle(&set, &path));
	graph_why(&set, "10000", &path);
	cr_expect_eq(path.count, 10000);
	strings_free(&path);
	task_set_free(&set);
	buf_free(&spec);
}
