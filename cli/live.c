/*
 * statusline and watch.
 *
 * watch redraws when the list's directory changes; a burst of changes is drawn
 * once.  While the directory does not exist its nearest existing parent is watched.
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/select.h>
#include <termios.h>
#include <unistd.h>

#include "agent/event.h"
#include "agents.h"
#include "config/pause.h"
#include "os/os.h"
#include "sys/file.h"

#define TICK_MS 10000
#define LINE_COLUMNS 1000 /* width of the agents line if standard output is not a terminal */

/* Take the session, which determines the list, from the client's JSON on standard input. */
static void
use_piped_session(const struct cli *c)
{
	struct buf text = { 0 };
	struct json j = { 0 };
	struct error err;
	char *session = NULL;

	if (c->list_name != NULL || c->list_dir != NULL || isatty(STDIN_FILENO))
		return;
	if (file_read_fd(STDIN_FILENO, EVENT_MAX, &text, &err) != -1 && text.len > 0 &&
	    json_parse(&j, text.data, text.len, &err) == 0)
		session = json_member_string(&j, JSON_ROOT, "session_id");
	if (session != NULL)
		setenv("CLAUDE_CODE_SESSION_ID", session, 1);
	free(session);
	json_free(&j);
	buf_free(&text);
}

static void
progress_bar(struct cli *c, const struct view *v)
{
	size_t cells = 10, all = v->shown - v->cancelled;
	size_t full = all > 0 ? v->completed * cells / all : 0;

	buf_printf(&c->out, "%s", cli_paint(c, PAINT_GREEN));
	for (size_t i = 0; i < cells; i++)
		buf_puts(&c->out, c->ascii ? i < full ? "=" : "-" : i < full ? "▰" : "▱");
	buf_printf(&c->out, "%s %zu/%zu", cli_paint(c, PAINT_OFF), v->completed, all);
}

/* The first tasks in progress: active form and owner. */
static void
active_tasks(struct cli *c, const struct view *v, size_t max)
{
	size_t n = 0;

	for (size_t i = 0; i < v->tasks.count; i++) {
		const struct task *t = &v->tasks.item[i];

		if (t->internal || t->status != TASK_IN_PROGRESS || n++ >= max)
			continue;
		cli_print(c, " %s #%.32s %.40s", c->ascii ? "|" : "·", t->id,
		    t->active_form != NULL ? t->active_form : t->subject);
		if (t->owner != NULL)
			cli_print(c, " @%.20s", t->owner);
	}
	if (n > max)
		buf_printf(&c->out, " +%zu", n - max);
}

/* While a person has paused refusals, the line says so first. */
static void
pause_text(struct cli *c)
{
	struct pause p;

	if (pause_now(&p, c->list.config))
		cli_print(c, "%srefusals paused until %s%s ", cli_paint(c, PAINT_YELLOW), p.until,
		    cli_paint(c, PAINT_OFF));
	pause_free(&p);
}

static void
statusline_json(struct cli *c, const struct view *v)
{
	struct json_object *o = out_object(), *now;
	struct pause p;

	out_string(o, "list", c->list.name);
	out_int(o, "completed", (int64_t)v->completed);
	out_int(o, "cancelled", (int64_t)v->cancelled);
	out_int(o, "tasks", (int64_t)v->shown);
	out_int(o, "ready", (int64_t)v->ready.count);
	out_int(o, "blocked", (int64_t)v->blocked);
	if (pause_now(&p, c->list.config))
		out_string(o, "paused_until", p.until);
	pause_free(&p);
	now = out_add(o, "in_progress", out_array());
	for (size_t i = 0; i < v->tasks.count; i++)
		if (v->tasks.item[i].status == TASK_IN_PROGRESS && !v->tasks.item[i].internal)
			out_push(now, view_json(v, &v->tasks.item[i]));
	cli_json(c, o);
}

static void
statusline_text(struct cli *c, const struct view *v)
{
	pause_text(c);
	if (v->shown == 0) {
		if (c->out.len > 0)
			buf_putc(&c->out, '\n');
		return;
	}
	progress_bar(c, v);
	active_tasks(c, v, 2);
	if (v->in_progress == 0 && v->ready.count > 0)
		buf_printf(&c->out, " %s %zu ready", c->ascii ? "|" : "·", v->ready.count);
	if (v->blocked > 0)
		buf_printf(&c->out, " %s%s %zu%s", cli_paint(c, PAINT_DIM),
		    c->ascii ? "blocked" : "⊘", v->blocked, cli_paint(c, PAINT_OFF));
	if (v->cancelled > 0)
		buf_printf(&c->out, " %s%s %zu%s", cli_paint(c, PAINT_DIM),
		    c->ascii ? "cancelled" : "✖", v->cancelled, cli_paint(c, PAINT_OFF));
	buf_putc(&c->out, '\n');
}

int
statusline_main(struct cli *c)
{
	struct view v;

	use_piped_session(c);
	/* The client shows colours and Unicode although its pipe is not a terminal. */
	if (!cli_flag(c, "ascii"))
		c->ascii = false;
	if (!cli_flag(c, "color") && getenv("NO_COLOR") == NULL)
		c->color = true;
	if (view_load(c, &v) == -1)
		return c->status;
	(c->json ? statusline_json : statusline_text)(c, &v);
	view_free(&v);
	return EXIT_DONE;
}

static struct termios saved;
static bool raw, alternate;

/* Also runs in a signal handler: only calls that are safe there. */
static void
screen_leave(void)
{
	static const char leave[] = "\033[?25h\033[?1049l";

	if (alternate)
		(void)!write(STDOUT_FILENO, leave, sizeof(leave) - 1);
	if (raw)
		tcsetattr(STDIN_FILENO, TCSANOW, &saved);
	alternate = raw = false;
}

static void
screen_enter(struct cli *c)
{
	struct termios t;

	cli_on_signal(screen_leave);
	if (isatty(STDIN_FILENO) && tcgetattr(STDIN_FILENO, &saved) == 0) {
		t = saved;
		t.c_lflag &= ~(tcflag_t)(ICANON | ECHO);
		raw = tcsetattr(STDIN_FILENO, TCSANOW, &t) == 0;
	}
	alternate = true;
	buf_puts(&c->out, "\033[?1049h\033[?25l");
}

static void
screen_draw(struct cli *c, const struct view *v, const struct agents *agents)
{
	buf_puts(&c->out, "\033[H\033[2J");
	buf_printf(
	    &c->out, "%s%s%s  ", cli_paint(c, PAINT_BOLD), c->list.name, cli_paint(c, PAINT_OFF));
	progress_bar(c, v);
	buf_puts(&c->out, raw ? "   (q to quit)\r\n\r\n" : "\r\n\r\n");
	for (size_t i = 0; i < v->tasks.count; i++) {
		if (v->tasks.item[i].internal)
			continue;
		buf_puts(&c->out, "  ");
		view_line(c, v, &v->tasks.item[i]);
		buf_puts(&c->out, "\r\n");
	}
	if (v->shown == 0)
		buf_puts(&c->out, "  no tasks yet\r\n");
	buf_puts(&c->out, "\r\n  ");
	agents_line(c, &c->out, agents, c->columns - 2, true);
	cli_flush(c);
}

/* Does the line of the task differ? */
static bool
line_changed(const struct task *old, const struct task *t)
{
	return old == NULL || old->status != t->status || strcmp(old->subject, t->subject) != 0 ||
	       strcmp(old->owner ? old->owner : "", t->owner ? t->owner : "") != 0;
}

/* Without a terminal: one line for each task that is new, changed or deleted. */
static void
print_changes(struct cli *c, const struct view *was, const struct view *is)
{
	for (size_t i = 0; i < is->tasks.count; i++) {
		const struct task *t = &is->tasks.item[i];
		const struct task *old = view_find(was, t->id);

		if (t->internal || !line_changed(old, t))
			continue;
		view_line(c, is, t);
		if (old != NULL && old->status != t->status)
			buf_printf(&c->out, " (was %s)", task_status_name(old->status));
		buf_putc(&c->out, '\n');
	}
	for (size_t i = 0; i < was->tasks.count; i++)
		if (view_find(is, was->tasks.item[i].id) == NULL)
			cli_print(c, "#%s [deleted]\n", was->tasks.item[i].id);
}

/* The same for the agents: a line if it differs from the last one. */
static void
print_agents(struct cli *c, const struct agents *agents, struct buf *last)
{
	struct buf line = { 0 };

	agents_line(c, &line, agents, LINE_COLUMNS, false);
	if (line.len > 0 && strcmp(buf_text(&line), buf_text(last)) != 0)
		buf_printf(&c->out, "agents: %s\n", buf_text(&line));
	buf_free(last);
	*last = line;
}

static void
print_counts(struct cli *c, const struct view *v, const struct agents *agents)
{
	struct json_object *o = out_object(), *array;

	out_int(o, "completed", (int64_t)v->completed);
	out_int(o, "cancelled", (int64_t)v->cancelled);
	out_int(o, "tasks", (int64_t)v->shown);
	out_int(o, "in_progress", (int64_t)v->in_progress);
	array = out_add(o, "agents", out_array());
	for (size_t i = 0; i < agents->count; i++)
		out_push(array, agents_json(agents, &agents->item[i], v));
	cli_json_line(c, o);
}

/* What --until names: a task, or every task. */
struct until {
	const char *id;
	bool all;
};

static bool
reached(const struct view *v, const struct until *u)
{
	if (u->all)
		return v->shown > 0 && v->completed + v->cancelled == v->shown;
	return u->id != NULL && !task_open(view_find(v, u->id));
}

/* As poll() for reading, for a descriptor or -1, and for the keyboard if `key` is not NULL.
 * (macOS's own poll() cannot wait for /dev/tty.) */
static int
wait_ready(int fd, int ms, bool *key)
{
	struct timeval limit = { ms / 1000, ms % 1000 * 1000 };
	fd_set set;
	int n;

	FD_ZERO(&set);
	if (fd != -1)
		FD_SET(fd, &set);
	if (key != NULL)
		FD_SET(STDIN_FILENO, &set);
	n = select((fd > STDIN_FILENO ? fd : STDIN_FILENO) + 1, &set, NULL, NULL, &limit);
	if (key != NULL)
		*key = n > 0 && FD_ISSET(STDIN_FILENO, &set);
	return n;
}

/* Wait for a change, or that long: 1 draw again, 0 q was pressed, -1. */
static int
wait_for_change(struct os_watch *w, int ms)
{
	struct deadline end = ms == -1 ? DEADLINE_NEVER : deadline_in(ms);
	bool pressed = false;
	int changed, n;
	char key;

	for (;;) {
		n = w->period_ms != -1 ? w->period_ms : 60000;
		n = deadline_left(end) < n ? (int)deadline_left(end) : n;
		if (wait_ready(w->fd, n, raw ? &pressed : NULL) == -1 && errno != EINTR)
			return -1;
		if (pressed) {
			if (read(STDIN_FILENO, &key, 1) <= 0 || key == 'q' || key == 4)
				return 0;
		}
		if ((changed = os_watch_changed(w)) == -1)
			return -1;
		/* One save is several events: read all of them, then draw once. */
		for (int turn = 0; changed == 1 && turn < 10 && wait_ready(w->fd, 20, NULL) == 1;
		     turn++)
			if (os_watch_changed(w) == -1)
				return -1;
		if (changed == 1 || deadline_past(end))
			return 1;
	}
}

/* Print the list at every change: 0 at the end, 2 there is no such task, -1. */
static int
watch_loop(struct cli *c, struct os_watch *w, const struct until *until)
{
	struct view v = { 0 }, next;
	struct agents agents;
	struct buf line = { 0 };
	int rc = 1, ms;

	while (rc == 1) {
		/* Watch first, then read: a change in between is printed again, not missed. */
		rc = os_watch_dir(w, c->list.dir);
		store_close(&c->store);
		if (rc == -1 || view_load(c, &next) == -1) {
			rc = -1;
			break;
		}
		if (until->id != NULL && view_find(&next, until->id) == NULL) {
			view_free(&next);
			rc = 2;
			break;
		}
		(void)agents_load(c, &agents, &next, false);
		if (alternate)
			screen_draw(c, &next, &agents);
		else if (c->json)
			print_counts(c, &next, &agents);
		else {
			print_changes(c, &v, &next);
			print_agents(c, &agents, &line);
		}
		cli_flush(c);
		/* How long they have worked changes by itself, and so does who is alive. */
		ms = alternate && agents.count > 0 ? TICK_MS : -1;
		agents_free(&agents);
		view_free(&v);
		v = next;
		rc = reached(&v, until) ? 0 : wait_for_change(w, ms);
	}
	view_free(&v);
	buf_free(&line);
	return rc;
}

/* --until: an exit status. */
static int
until_value(struct cli *c, struct until *u, struct strings *ids)
{
	const char *word = cli_value(c, "until");

	u->all = word != NULL && strcmp(word, "all") == 0;
	if (word == NULL || u->all)
		return EXIT_DONE;
	if (cli_word_ids(c, word, ids) == -1)
		return c->status;
	if (ids->count != 1)
		return cli_misuse(c, "--until takes one task or 'all', not '%s'", word);
	u->id = ids->item[0];
	return EXIT_DONE;
}

/* The client's ids are numbers: another word is more likely a misspelt "all". */
static int
no_such_task(struct cli *c, const char *id)
{
	if (c->store.layout == STORE_NATIVE && id[strspn(id, "0123456789")] != '\0')
		return cli_misuse(c, "--until takes one task or 'all', not '%s'", id);
	return cli_no_task(c, id);
}

static int
live_run(struct cli *c, const struct until *until)
{
	struct os_watch w;
	int rc;

	if (os_watch_open(&w) == -1)
		return cli_fail(c, EXIT_FAULT, "cannot watch the list: %s", strerror(errno));
	if (c->terminal && !c->json)
		screen_enter(c);
	rc = watch_loop(c, &w, until);
	screen_leave();
	cli_on_signal(NULL);
	os_watch_close(&w);
	if (rc == 2)
		return no_such_task(c, until->id);
	if (rc == -1 && c->status == 0)
		return cli_fail(
		    c, EXIT_FAULT, "cannot watch '%s': %s", c->list.dir, strerror(errno));
	return rc == -1 ? c->status : EXIT_DONE;
}

int
watch_main(struct cli *c)
{
	struct until until = { 0 };
	struct strings ids = { 0 };
	int status = until_value(c, &until, &ids);

	if (status == EXIT_DONE)
		status = cli_find(c) == -1 ? c->status : live_run(c, &until);
	strings_free(&ids);
	return status;
}
