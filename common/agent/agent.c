/*
 * agent: who acts in an event, and in which client process.
 *
 * A subagent has an agent_id; an in-process teammate has an agent_id and its
 * name as agent_type; a teammate in a terminal of its own has only its
 * session, except in the three events that carry teammate_name.  The names
 * these reveal are kept in agents.json, so that its tool calls can be told
 * from the lead's.
 */
#include "agent/agent.h"

#include <sys/types.h>

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "agent/event.h"
#include "base/mem.h"
#include "base/text.h"
#include "base/utf8.h"
#include "list/team.h"
#include "os/os.h"
#include "json/out.h"

#define AGENTS "agents.json"
#define VERSIONS "/claude/versions/"
#define AGENTS_MAX 64 /* sessions remembered; the oldest are removed */
#define LABEL_MAX 200 /* bytes */

const char *
agent_owner(const struct agent *a)
{
	return a->name != NULL ? a->name : a->id;
}

/* The first characters of the ids of two sessions may be the same: more are shown. */
static void
describe_caller(struct buf *out, const struct agent *a)
{
	if (a->name != NULL && !text_equal(a->name, a->client)) {
		text_show(out, a->name, strlen(a->name), TEXT_LINE, 80);
		buf_puts(out, " in ");
	}
	text_show(out, a->client, strlen(a->client), TEXT_LINE, 80);
	if (a->session != NULL) {
		buf_puts(out, " (session ");
		text_show(out, a->session, strlen(a->session), TEXT_LINE, 40);
		buf_putc(out, ')');
	} else if (a->pid > 0)
		buf_printf(out, " (process %lld)", (long long)a->pid);
}

void
agent_describe(struct buf *out, const struct agent *a)
{
	if (a->client != NULL) {
		describe_caller(out, a);
		return;
	}
	if (a->name != NULL) {
		buf_puts(out, a->session == NULL && a->id == NULL ? "" : "teammate ");
		text_show(out, a->name, strlen(a->name), TEXT_LINE, 80);
	} else if (a->id != NULL) {
		buf_puts(out, "subagent ");
		text_show(out, a->id, strlen(a->id), TEXT_LINE, 40);
	} else if (a->session != NULL) {
		buf_puts(out, "session ");
		text_show(
		    out, a->session, strlen(a->session) < 8 ? strlen(a->session) : 8, TEXT_LINE, 8);
	} else
		buf_puts(out, "somebody at a shell");
	if (a->type != NULL && a->id != NULL) {
		buf_puts(out, " (");
		text_show(out, a->type, strlen(a->type), TEXT_LINE, 40);
		buf_putc(out, ')');
	}
}

/* The name may be that of the file behind a link called claude, which is its version ("2.1.207"):
 * on macOS, and where the client starts itself. */
static bool
is_named_claude(pid_t pid, const struct os_process *p)
{
	char path[PATH_MAX], *real = NULL;
	bool is = strcmp(p->name, "claude") == 0;

	if (!is && isdigit((unsigned char)p->name[0]) && os_process_program(pid, path))
		is = strstr(path, VERSIONS) != NULL ||
		     ((real = realpath(path, NULL)) != NULL && strstr(real, VERSIONS) != NULL);
	free(real);
	return is;
}

static bool
looks_like_client(pid_t pid, const struct os_process *p)
{
	return is_named_claude(pid, p) || strcmp(p->name, "node") == 0 ||
	       strcmp(p->name, "bun") == 0 || strncmp(p->name, "MainThread", 10) == 0;
}

/*
 * The oldest client sets no variable and runs the hook in its own session:
 * look for the nearest process above us that is called claude.
 */
static void
client_above(struct agent *a)
{
	struct os_process p;
	int64_t pid = getppid();

	for (int hops = 0; hops < 16 && pid > 1 && os_process_read((pid_t)pid, &p) == 1; hops++) {
		if (is_named_claude((pid_t)pid, &p)) {
			a->pid = pid;
			a->pid_start = p.start;
			return;
		}
		pid = p.parent;
	}
}

/*
 * Every other client makes the hook the leader of a session of its own, so the
 * leader's parent is the client, whatever shells and wrappers are in between.
 * A wrong guess would make a live claim look dead, so the name must match too.
 */
void
agent_client(struct agent *a)
{
	const char *said = getenv("CLAUDE_PID");
	struct os_process p, q;
	int64_t pid;

	a->pid = 0;
	a->pid_start = 0;
	if (said != NULL && (pid = strtoll(said, NULL, 10)) > 1 &&
	    os_process_read((pid_t)pid, &p) == 1) {
		a->pid = pid;
		a->pid_start = p.start;
		return;
	}
	if (getenv("CLAUDE_CODE_SESSION_ID") == NULL) {
		client_above(a);
		return;
	}
	pid = getsid(0);
	if (pid <= 0 || os_process_read((pid_t)pid, &q) != 1 || q.parent <= 1)
		return;
	if (os_process_read(q.parent, &p) == 1 && looks_like_client(q.parent, &p)) {
		a->pid = q.parent;
		a->pid_start = p.start;
	}
}

/* The name that the process or the team's file gives this session. */
static char *
name_in_team(const struct list *list, const char *session)
{
	struct team_seat seat = { 0 };
	char *name = NULL;

	team_seat_find(&seat, list->config, session);
	if (seat.name != NULL && team_name_ok(seat.name))
		name = mem_string(seat.name);
	team_seat_free(&seat);
	return name;
}

static char *
name_learnt(const struct list *list, const char *session)
{
	struct buf text = { 0 };
	struct json j = { 0 };
	struct error e;
	char *name = NULL;

	if (session != NULL && list_state_read(list, AGENTS, &text, &e) == 1 &&
	    json_parse(&j, buf_text(&text), text.len, &e) == 0)
		name = json_member_string(&j, JSON_ROOT, session);
	if (name != NULL && !team_name_ok(name)) {
		free(name);
		name = NULL;
	}
	json_free(&j);
	buf_free(&text);
	return name;
}

void
agent_from_event(const struct event *ev, const struct list *list, struct agent *a, char **name)
{
	memset(a, 0, sizeof(*a));
	*name = NULL;
	a->id = ev->agent_id;
	a->session = ev->session_id;
	if (ev->teammate_name != NULL)
		a->name = ev->teammate_name;
	else if (ev->agent_id != NULL && event_in_process_teammate(ev))
		a->name = ev->agent_type;
	else if (event_tmux_teammate(ev)) {
		if ((*name = name_learnt(list, ev->session_id)) == NULL)
			*name = name_in_team(list, ev->session_id);
		a->name = *name;
	}
	if (ev->agent_type != NULL && !event_in_process_teammate(ev))
		a->type = ev->agent_type;
}

bool
agent_has_teammate(const struct agent *a, const struct list *list, const char *name, char **type)
{
	char team[32];

	snprintf(team, sizeof(team), "session-%.8s", a->session != NULL ? a->session : "");
	return team_has_member(list->config, list->name, name, type) ||
	       team_has_member(list->config, team, name, type);
}

char *
agent_find_type(const struct agent *a, const struct list *list)
{
	char *type = mem_string(a->type);

	if (type == NULL && a->name != NULL)
		(void)agent_has_teammate(a, list, a->name, &type);
	return type;
}

/* Adds the event's name under its session; removes the oldest if there are too many. */
static int
agents_add(void *arg, struct buf *text, struct error *e)
{
	const struct event *ev = arg;
	struct json_object *out = out_object();
	struct json j = { 0 };
	size_t skip = 0;
	char *key, *value;

	if (json_parse(&j, buf_text(text), text->len, e) == -1 ||
	    json_kind(&j, JSON_ROOT) != JSON_OBJECT)
		(void)json_parse(&j, "{}", 2, e);
	if (json_count(&j, JSON_ROOT) >= AGENTS_MAX)
		skip = json_count(&j, JSON_ROOT) - AGENTS_MAX + 1;
	JSON_EACH (&j, JSON_ROOT, m) {
		if (skip > 0) {
			skip--;
			continue;
		}
		key = json_key(&j, m);
		value = json_string(&j, m);
		if (strcmp(key, ev->session_id) != 0)
			out_string(out, key, value);
		free(key);
		free(value);
	}
	out_string(out, ev->session_id, ev->teammate_name);
	json_free(&j);
	buf_reset(text);
	out_text(text, out);
	buf_putc(text, '\n');
	return 1;
}

int
agent_learn(
    const struct event *ev, const struct list *list, struct deadline deadline, struct error *e)
{
	char *known;
	int rc = 0;

	if (ev->teammate_name == NULL || ev->session_id == NULL || !event_tmux_teammate(ev) ||
	    !team_name_ok(ev->teammate_name))
		return 0;
	if (list_state(list, true, e) == -1)
		return -1;
	(void)list_learn(list, ev->session_id, e);
	known = name_learnt(list, ev->session_id);
	if (!text_equal(known, ev->teammate_name))
		rc = list_state_edit(list, AGENTS, agents_add, (void *)ev, deadline, e);
	free(known);
	return rc == -1 ? -1 : 0;
}

bool
agent_label_ok(const char *s)
{
	const char *end = s + strlen(s);
	int32_t c;

	if (s == end || end - s > LABEL_MAX)
		return false;
	while (s < end)
		if ((c = utf8_next(&s, end)) == -1 || !text_safe(c))
			return false;
	return true;
}
