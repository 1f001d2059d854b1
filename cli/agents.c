/*
 * agents: find out who is there.
 */
#include "agents.h"

#include <search.h>
#include <stdlib.h>
#include <string.h>

#include "agent/agent.h"
#include "agent/claims.h"
#include "agent/holder.h"
#include "base/text.h"
#include "list/journal.h"
#include "list/team.h"

struct agents_key {
	char *key;
	size_t first; /* in agents.item; the others with this key are behind it */
	size_t shown;
};

static int
agents_by_key(const void *a, const void *b)
{
	return strcmp(((const struct agents_key *)a)->key, ((const struct agents_key *)b)->key);
}

static struct agents_key *
callers_find(const struct agents *all, const char *key)
{
	struct agents_key wanted = { .key = (char *)key }, **found;

	found = tfind(&wanted, &all->keys, agents_by_key);
	return found != NULL ? *found : NULL;
}

static struct agents_one *
caller_first(const struct agents *all, const char *key)
{
	const struct agents_key *k = callers_find(all, key);

	return k != NULL ? &all->item[k->first - 1] : NULL;
}

static struct agents_one *
caller_next(const struct agents *all, const struct agents_one *a)
{
	return a->next != 0 ? &all->item[a->next - 1] : NULL;
}

/* The agent with this key that calls from there, until the next one is added.  The name of a
 * teammate is that of one agent, wherever it calls from. */
static struct agents_one *
find(const struct agents *all, const char *key, const char *from)
{
	struct agents_one *a = caller_first(all, key);

	while (a != NULL && !a->member && a->from != from && !text_equal(a->from, from))
		a = caller_next(all, a);
	return a;
}

static struct agents_one *
add(struct agents *all, const char *key, const char *from)
{
	struct agents_one *a = find(all, key, from), *same;
	struct agents_key *k = callers_find(all, key);

	if (a != NULL)
		return a;
	all->item = mem_more(all->item, all->count, sizeof(*all->item));
	a = &all->item[all->count++];
	*a = (struct agents_one){ .key = mem_string(key), .from = mem_string(from) };
	for (same = caller_first(all, key); from != NULL && same != NULL;
	     same = caller_next(all, same))
		if (same->from != NULL && strncmp(same->from, from, AGENTS_SESSION) == 0)
			same->alike = a->alike = true;
	if (k == NULL) {
		k = mem_alloc(sizeof(*k));
		*k = (struct agents_key){ .key = a->key };
		if (tsearch(k, &all->keys, agents_by_key) == NULL)
			mem_exhausted();
	}
	a->next = k->first;
	k->first = all->count;
	return a;
}

/* What tells callers of one name apart: the session, or the process of a client that has none.
 * Owned; NULL: neither, or the key is that of one agent. */
static char *
claim_from(const struct claim *c)
{
	if (c->name == NULL || holder_is_agent_id(c->name))
		return NULL;
	if (c->session != NULL || c->client == NULL || c->pid <= 0)
		return mem_string(c->session);
	return mem_printf("%s, process %lld", c->client, (long long)c->pid);
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
		char *from;

		if (key == NULL && c->session == NULL)
			continue;
		from = claim_from(c);
		a = add(all, key != NULL ? key : c->session, from);
		free(from);
		a->known = true;
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

/* An owner that has made no claim: the one caller of that name, if there are not several. */
static void
add_owners(struct agents *all, const struct claims *claims, const struct view *v)
{
	for (size_t i = 0; i < v->tasks.count; i++) {
		const struct task *t = &v->tasks.item[i];
		struct agents_one *a;

		if (t->owner == NULL || *t->owner == '\0' || !task_open(t) || t->internal ||
		    claims_find(claims, t->id) != NULL)
			continue;
		if ((a = caller_first(all, t->owner)) == NULL || a->next != 0)
			a = add(all, t->owner, NULL);
		a->known = true;
		add_hold(a, t, 0);
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
		struct agents_one *a = add(all, main ? team.lead_session : m->name, NULL);

		a->member = a->known = true;
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

struct journal_pass {
	struct agents *all;
	const struct claims *claims;
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

/* A line of a caller without a session does not say which client it was. */
static struct agents_one *
without_session(const struct journal_pass *p, const char *key, const char *task)
{
	const struct claim *c = task != NULL ? claims_find(p->claims, task) : NULL;
	struct agents_one *a, *one = NULL;
	char *from;

	if (c != NULL && c->session == NULL && text_equal(c->name, key)) {
		from = claim_from(c);
		one = find(p->all, key, from);
		free(from);
	}
	for (a = caller_first(p->all, key); a != NULL && one == NULL; a = caller_next(p->all, a))
		if (a->session == NULL)
			one = a;
	return one != NULL ? one : add(p->all, key, NULL);
}

/* A release names who had the task, and the session that gave it back. */
static void
count_release(const struct agents *all, const char *agent, const char *task, bool ended)
{
	struct agents_one *a = agent != NULL ? caller_first(all, agent) : NULL;

	while (a != NULL && a->next != 0 && !text_equal(a->last, task))
		a = caller_next(all, a);
	if (a != NULL)
		a->ended = ended;
}

static int
count_line(void *arg, const struct json *j, const char *line, size_t len)
{
	struct journal_pass *p = arg;
	const struct deed *deed = deed_of(j);
	char *agent = json_member_string(j, JSON_ROOT, "agent");
	char *session = json_member_string(j, JSON_ROOT, "session");
	char *task = json_member_string(j, JSON_ROOT, "task");
	char *time = json_member_string(j, JSON_ROOT, "time");
	struct agents_one *a = NULL;
	int64_t ms;

	(void)line;
	(void)len;
	if (deed != NULL && deed->what == DEED_RELEASE)
		count_release(
		    p->all, agent, task, json_true(j, json_member(j, JSON_ROOT, "ended")));
	else if (agent == NULL && session != NULL)
		a = add(p->all, session, NULL);
	else if (agent != NULL && session == NULL)
		a = without_session(p, agent, task);
	else if (agent != NULL)
		a = add(p->all, agent, holder_is_agent_id(agent) ? NULL : session);
	if (a != NULL) {
		a->main |= agent == NULL;
		a->known |= deed != NULL;
		a->ended = false;
		a->completed += deed != NULL && deed->what == DEED_COMPLETION;
		if (deed != NULL && deed->what == DEED_CLAIM) {
			free(a->last);
			a->last = mem_string(task);
		}
		learn(&a->session, session);
		if (time != NULL && clock_parse_iso(time, &ms) == 0)
			see(a, ms);
	}
	free(agent);
	free(session);
	free(task);
	free(time);
	return 0;
}

static int
add_journal(struct cli *c, struct agents *all, const struct claims *claims)
{
	struct journal_pass pass = { all, claims };
	struct error err;
	int fd = list_state(&c->list, false, &err);

	if (fd == -1 && err.kind == ERROR_NOT_FOUND)
		return 0;
	if (fd == -1 || journal_read(fd, count_line, &pass, &err) == -1) {
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
	i = strcmp(x->key, y->key);
	return i != 0 ? i : strcmp(x->from != NULL ? x->from : "", y->from != NULL ? y->from : "");
}

static void
one_free(struct agents_one *a)
{
	for (size_t k = 0; k < a->holds; k++)
		free(a->hold[k].task);
	free(a->hold);
	free(a->key);
	free(a->from);
	free(a->last);
	free(a->id);
	free(a->type);
	free(a->session);
	free(a->color);
}

/* Drop those of which the journal says only that they were there; see which names occur twice. */
static void
keep_known(struct agents *all)
{
	size_t kept = 0;

	for (size_t i = 0; i < all->count; i++) {
		if (all->item[i].known)
			callers_find(all, all->item[i].key)->shown++;
	}
	for (size_t i = 0; i < all->count; i++)
		all->item[i].twice = callers_find(all, all->item[i].key)->shown > 1;
	mem_tree_free(all->keys, free);
	all->keys = NULL;
	for (size_t i = 0; i < all->count; i++) {
		if (all->item[i].known)
			all->item[kept++] = all->item[i];
		else
			one_free(&all->item[i]);
	}
	all->count = kept;
}

int
agents_load(struct cli *c, struct agents *all, const struct view *v, bool journal)
{
	struct claims claims = { 0 };
	int rc;

	*all = (struct agents){ .journal = journal };
	view_claims(c, &claims);
	add_team(all, &c->list);
	add_claims(all, &claims, v);
	rc = journal ? add_journal(c, all, &claims) : 0;
	add_owners(all, &claims, v);
	claims_free(&claims);
	keep_known(all);
	if (rc == -1)
		agents_free(all);
	else if (all->count > 1)
		qsort(all->item, all->count, sizeof(*all->item), by_interest);
	return rc;
}

void
agents_free(struct agents *all)
{
	for (size_t i = 0; i < all->count; i++)
		one_free(&all->item[i]);
	free(all->item);
	*all = (struct agents){ 0 };
}
