/*
 * agent: who acts in an event, and in which client process.
 *
 * The client names its agents sparingly: a subagent by agent_id, an
 * in-process teammate by agent_id and, under agent_type, its name; a teammate
 * in a terminal of its own by nothing but its session, except in the three
 * events that carry teammate_name.  What those reveal is remembered in
 * agents.json, so that its tool calls can be told from the lead's.
 */
#include "agent/agent.h"

#include <sys/types.h>

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "agent/event.h"
#include "base/mem.h"
#include "base/text.h"
#include "list/team.h"
#include "sys/file.h"
#include "sys/lock.h"
#include "json/json-edit.h"
#include "json/json-print.h"

#define AGENTS "agents.json"
#define AGENTS_MAX 64 /* sessions remembered; the oldest go */

const char *
agent_owner(const struct agent *a)
{
	return a->name != NULL ? a->name : a->id;
}

void
agent_describe(struct buf *out, const struct agent *a)
{
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

/* The client's own rule for names. */
static bool
teammate_name_ok(const char *s)
{
	size_t n;

	if (!isalnum((unsigned char)*s))
		return false;
	for (n = 0; s[n] != '\0'; n++)
		if (!isalnum((unsigned char)s[n]) && s[n] != '_' && s[n] != '-')
			return false;
	return n <= 64;
}

/* /proc/<pid>/<what>, at most `room` bytes with a NUL; the length, or -1. */
static ssize_t
proc_read(int64_t pid, const char *what, char *out, size_t room)
{
	char path[64];
	ssize_t n;
	int fd;

	snprintf(path, sizeof(path), "/proc/%lld/%s", (long long)pid, what);
	if ((fd = open(path, O_RDONLY | O_CLOEXEC)) == -1)
		return -1;
	n = read(fd, out, room - 1); /* whole, or not at all */
	close(fd);
	out[n > 0 ? n : 0] = '\0';
	return n;
}

struct process {
	char comm[64];
	int64_t parent;
	uint64_t start;
};

/* The name may hold blanks and brackets: the last ')' ends it. */
static bool
process_read(int64_t pid, struct process *p)
{
	char stat[1024], *open_bracket, *close_bracket, *s;
	unsigned long long start;
	long long parent;
	char state;

	if (pid <= 0 || proc_read(pid, "stat", stat, sizeof(stat)) <= 0)
		return false;
	open_bracket = strchr(stat, '(');
	close_bracket = strrchr(stat, ')');
	if (open_bracket == NULL || close_bracket == NULL || close_bracket < open_bracket)
		return false;
	*close_bracket = '\0';
	snprintf(p->comm, sizeof(p->comm), "%s", open_bracket + 1);
	if (sscanf(close_bracket + 1, " %c %lld", &state, &parent) != 2)
		return false;
	/* Field 22, counted from the state, which is field 3. */
	s = close_bracket + 1;
	for (int field = 2; field < 22; field++)
		if ((s = strchr(s, ' ')) == NULL)
			return false;
		else
			s++;
	if (sscanf(s, "%llu", &start) != 1)
		return false;
	p->parent = parent;
	p->start = start;
	return true;
}

static bool
looks_like_client(const struct process *p)
{
	return strcmp(p->comm, "claude") == 0 || strcmp(p->comm, "node") == 0 ||
	       strcmp(p->comm, "bun") == 0 || strncmp(p->comm, "MainThread", 10) == 0;
}

/*
 * The oldest client says nothing in the environment and runs the hook in its
 * own session.  It calls itself claude, and is the nearest of that name above us.
 */
static void
client_above(struct agent *a)
{
	struct process p;
	int64_t pid = getppid();

	for (int hops = 0; hops < 16 && pid > 1 && process_read(pid, &p); hops++) {
		if (strcmp(p.comm, "claude") == 0) {
			a->pid = pid;
			a->pid_start = p.start;
			return;
		}
		pid = p.parent;
	}
}

/*
 * Every other client makes the hook the leader of a session of its
 * own, so the leader's parent is the client whatever shells and wrappers lie
 * between.  A wrong guess would make a live claim look dead, hence the name
 * must fit as well.
 */
void
agent_client(struct agent *a)
{
	const char *said = getenv("CLAUDE_PID");
	struct process p, q;
	int64_t pid;

	a->pid = 0;
	a->pid_start = 0;
	if (said != NULL && (pid = strtoll(said, NULL, 10)) > 1 && process_read(pid, &p)) {
		a->pid = pid;
		a->pid_start = p.start;
		return;
	}
	if (getenv("CLAUDE_CODE_SESSION_ID") == NULL) {
		client_above(a);
		return;
	}
	pid = getsid(0);
	if (pid <= 0 || !process_read(pid, &q) || q.parent <= 1)
		return;
	if (process_read(q.parent, &p) && looks_like_client(&p)) {
		a->pid = q.parent;
		a->pid_start = p.start;
	}
}

/* What the process or the team's own file says about this session. */
static char *
name_in_team(const struct list *list, const char *session)
{
	struct team_seat seat = { 0 };
	char *name = NULL;

	team_seat_find(&seat, list->config, session);
	if (seat.name != NULL && teammate_name_ok(seat.name))
		name = mem_string(seat.name);
	team_seat_free(&seat);
	return name;
}

/* The file's text and index; false if there is none that makes sense. */
static bool
agents_load(int state, struct buf *text, struct json *j)
{
	struct error e;

	return file_read(state, AGENTS, 0, FILE_MAX, text, &e) == 1 &&
	       json_parse(j, buf_text(text), text->len, &e) == 0 &&
	       json_kind(j, JSON_ROOT) == JSON_OBJECT;
}

static char *
name_learnt(const struct list *list, const char *session)
{
	struct buf text = { 0 };
	struct json j = { 0 };
	struct error e;
	char *name = NULL;
	int state;

	if (session == NULL || !list_state_has(list, AGENTS) ||
	    (state = list_state(list, false, &e)) == -1)
		return NULL;
	if (agents_load(state, &text, &j))
		name = json_member_string(&j, JSON_ROOT, session);
	if (name != NULL && !teammate_name_ok(name)) {
		free(name);
		name = NULL;
	}
	close(state);
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

/* The object with the pair added, and what is too old left out. */
static void
agents_with(const struct json *j, const char *session, const char *name, struct buf *out)
{
	size_t skip = 0;
	char *key, *value;

	if (json_count(j, JSON_ROOT) >= AGENTS_MAX)
		skip = json_count(j, JSON_ROOT) - AGENTS_MAX + 1;
	buf_puts(out, "{");
	for (json_ref m = json_first(j, JSON_ROOT); m != JSON_ABSENT;
	     m = json_next(j, JSON_ROOT, m)) {
		if (skip > 0) {
			skip--;
			continue;
		}
		key = json_key(j, m);
		value = json_string(j, m);
		if (value != NULL && strcmp(key, session) != 0) {
			json_print_string(out, key, strlen(key));
			buf_puts(out, ":");
			json_print_string(out, value, strlen(value));
			buf_puts(out, ",\n");
		}
		free(key);
		free(value);
	}
	json_print_string(out, session, strlen(session));
	buf_puts(out, ":");
	json_print_string(out, name, strlen(name));
	buf_puts(out, "}\n");
}

int
agent_learn(
    const struct event *ev, const struct list *list, struct deadline deadline, struct error *e)
{
	struct buf text = { 0 }, out = { 0 };
	struct json j = { 0 };
	struct lock lock = LOCK_INIT;
	char *known = NULL;
	int state, rc = -1;

	if (ev->teammate_name == NULL || ev->session_id == NULL || !event_tmux_teammate(ev) ||
	    !teammate_name_ok(ev->teammate_name))
		return 0;
	if ((state = list_state(list, true, e)) == -1)
		return -1;
	(void)list_learn(list, ev->session_id, e);
	if (agents_load(state, &text, &j))
		known = json_member_string(&j, JSON_ROOT, ev->session_id);
	if (known != NULL && strcmp(known, ev->teammate_name) == 0) {
		rc = 0;
		goto out;
	}
	if (lock_own(&lock, state, AGENTS ".lock", deadline, e) == -1)
		goto out;
	if (!agents_load(state, &text, &j)) /* again, now that it stands still */
		json_parse(&j, "{}", 2, e);
	agents_with(&j, ev->session_id, ev->teammate_name, &out);
	rc = file_replace(state, AGENTS, buf_text(&out), out.len, 0600, FILE_SYNC_OFF, e);
out:
	lock_release(&lock);
	close(state);
	free(known);
	json_free(&j);
	buf_free(&text);
	buf_free(&out);
	return rc;
}
