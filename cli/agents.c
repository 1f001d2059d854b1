/*
 * agents: find out who is there.
 */
#include "agents.h"

#include <search.h>
#include <stdlib.h>
#include <string.h>

#include "agent/agent.h"
#include "agent/claims.h"
#include "list/journal.h"
#include "list/team.h"

struct agents_key {
	char *key;
	size_t at; /* in agents.item */
};

static int
agents_by_key(const void *a, const void *b)
{
	return strcmp(((const struct agents_key *)a)->key, ((const struct agents_key *)b)->key);
}

/* The agent with this key, until the next one is made; NULL unless it is known or to be made. */
static struct agents_one *
find(struct agents *all, const char *key, bool make)
{
	struct agents_key wanted = { .key = (char *)key }, *made, **found;

	if ((found = tfind(&wanted, &all->keys, agents_by_key)) != NULL || !make)
		return found != NULL ? &all->item[(*found)->at] : NULL;
	all->item = mem_more(all->item, all->count, sizeof(*all->item));
	all->item[all->count] = (struct agents_one){ .key = mem_string(key) };
	made = mem_alloc(sizeof(*made));
	*made = (struct agents_key){ all->item[all->count].key, all->count };
	if (tsearch(made, &all->keys, agents_by_key) == NULL)
		mem_exhausted();
	return &all->item[all->count++];
}

static void
learn(char **field, const char *value)
{
	if (*field == NULL)
		*field = mem_string(value);
}

static void
see(struct agents_one *a, int64_t ms)
{
	if (ms > a->seen_ms)
		a->seen_ms = ms;
}

static void
add_hold(struct agents_one *a, const struct task *t, int64_t since_ms)
{
	a->hold = mem_more(a->hold, a->holds, sizeof(*a->hold));
	a->hold[a->holds++] =
	    (struct agents_hold){ .task = mem_string(t->id), .since_ms = since_ms };
	a->working |= t->status == TASK_IN_PROGRESS;
}

/* A claim stays on record for a while after its task was completed or given back. */
static void
add_claims(struct agents *all, const struct claims *claims, const struct view *v)
{
	for (size_t i = 0; i < claims->count; i++) {
		const struct claim *c = &claims->item[i];
		const struct task *t = view_find(v, c->task);
		const char *key = c->name != NULL ? c->name : c->agent_id;
		struct agents_one *a;

		if (key == NULL && c->session == NULL)
			continue;
		a = find(all, key != NULL ? key : c->session, true);
		a->main |= key == NULL;
		learn(&a->id, c->agent_id);
		learn(&a->type, c->agent_type);
		learn(&a->session, c->session);
		see(a, c->time_ms);
		if (t == NULL || !task_open(t) || (c->settled && t->status != TASK_IN_PROGRESS))
			continue;
		add_hold(a, t, c->time_ms);
		a->working = true; /* even if its call has not reached the file yet */
		if (c->pid > 0 && a->life != LIFE_ALIVE)
			a->life = claims_alive(c) ? LIFE_ALIVE : LIFE_GONE;
	}
}

static void
add_owners(struct agents *all, const struct claims *claims, const struct view *v)
{
	for (size_t i = 0; i < v->tasks.count; i++) {
		const struct task *t = &v->tasks.item[i];

		if (t->owner != NULL && *t->owner != '\0' && task_open(t) && !t->internal &&
		    claims_find(claims, t->id) == NULL)
			add_hold(find(all, t->owner, true), t, 0);
	}
}

static void
add_team(struct agents *all, const struct list *list)
{
	struct team team;

	(void)team_find(&team, list->config, list->name, getenv("CLAUDE_CODE_SESSION_ID"));
	for (size_t i = 0; i < team.count; i++) {
		const struct team_member *m = &team.item[i];
		bool main = m->lead && team.lead_session != NULL;
		struct agents_one *a = find(all, main ? team.lead_session : m->name, true);

		a->member = true;
		a->main |= main;
		a->lead = m->lead;
		a->active = m->active && !team.over;
		learn(&a->color, m->color);
		if (!m->lead)
			learn(&a->type, m->type);
		if (team.over && a->life == LIFE_UNKNOWN)
			a->life = LIFE_GONE;
	}
	team_free(&team);
}

/* --- the journal ------------------------------------------------------------ */

/* The event a line records for its agent; other events prove only that it was active. */
static const struct deed {
	char event[12];
	enum { DEED_CLAIM, DEED_COMPLETION, DEED_RELEASE } what;
} deeds[] = {
	{ "claim", DEED_CLAIM },
	{ "receipt", DEED_COMPLETION },
	{ "forced", DEED_COMPLETION },
	{ "release", DEED_RELEASE },
};

static const struct deed *
deed_of(const struct json *j)
{
	json_ref event = json_member(j, JSON_ROOT, "event");

	for (size_t i = 0; i < sizeof(deeds) / sizeof(deeds[0]); i++)
		if (json_equals(j, event, deeds[i].event))
			return &deeds[i];
	return NULL;
}

static int
count_line(void *arg, const struct json *j, const char *line, size_t len)
{
	struct agents *all = arg;
	const struct deed *deed = deed_of(j);
	bool release = deed != NULL && deed->what == DEED_RELEASE;
	char *agent = json_member_string(j, JSON_ROOT, "agent");
	char *session = json_member_string(j, JSON_ROOT, "session");
	char *time = json_member_string(j, JSON_ROOT, "time");
	/* A release names who had the task, and the session that gave it back. */
	const char *key = agent != NULL ? agent : release ? NULL : session;
	struct agents_one *a = key != NULL ? find(all, key, deed != NULL) : NULL;
	int64_t ms;

	(void)line;
	(void)len;
	if (a != NULL && release) {
		a->ended = json_true(j, json_member(j, JSON_ROOT, "ended"));
	} else if (a != NULL) {
		a->main |= agent == NULL;
		a->ended = false;
		a->completed += deed != NULL && deed->what == DEED_COMPLETION;
		learn(&a->session, session);
		if (time != NULL && clock_parse_iso(time, &ms) == 0)
			see(a, ms);
	}
	free(agent);
	free(session);
	free(time);
	return 0;
}

static int
add_journal(struct cli *c, struct agents *all)
{
	struct error err;
	int fd = list_state(&c->list, false, &err);

	if (fd == -1 && err.kind == ERROR_NOT_FOUND)
		return 0;
	if (fd == -1 || journal_read(fd, count_line, all, &err) == -1) {
		cli_error(c, &err);
		return -1;
	}
	return 0;
}

/* --- all of them ------------------------------------------------------------- */

enum agents_state
agents_state(const struct agents_one *a)
{
	if (a->life == LIFE_GONE)
		return AGENTS_GONE;
	if (a->working || a->active)
		return AGENTS_RUNNING;
	if (a->ended && a->holds == 0)
		return AGENTS_GONE;
	return a->holds > 0 || a->member || a->completed == 0 ? AGENTS_IDLE : AGENTS_DONE;
}

/* Those that matter now, then the last seen. */
static int
by_interest(const void *a, const void *b)
{
	const struct agents_one *x = a, *y = b;
	int i = (x->holds > 0) - (y->holds > 0), k = x->member - y->member;

	if (i != 0)
		return -i;
	if (k != 0)
		return -k;
	if (x->seen_ms != y->seen_ms)
		return x->seen_ms < y->seen_ms ? 1 : -1;
	return strcmp(x->key, y->key);
}

int
agents_load(struct cli *c, struct agents *all, const struct view *v, bool journal)
{
	struct claims claims = { 0 };
	int rc;

	*all = (struct agents){ .journal = journal };
	view_claims(c, &claims);
	add_claims(all, &claims, v);
	add_owners(all, &claims, v);
	claims_free(&claims);
	add_team(all, &c->list);
	if ((rc = journal ? add_journal(c, all) : 0) == -1)
		agents_free(all);
	else if (all->count > 1)
		qsort(all->item, all->count, sizeof(*all->item), by_interest);
	return rc;
}

void
agents_free(struct agents *all)
{
	for (size_t i = 0; i < all->count; i++) {
		struct agents_one *a = &all->item[i];

		for (size_t k = 0; k < a->holds; k++)
			free(a->hold[k].task);
		free(a->hold);
		free(a->key);
		free(a->id);
		free(a->type);
		free(a->session);
		free(a->color);
	}
	free(all->item);
	tdestroy(all->keys, free);
	*all = (struct agents){ 0 };
}
