/*
 * hook: from an event to an answer.
 *
 * The event is read first, since no rule is about most events; then the list,
 * then the settings, each only when a rule asks for it.  All faults are
 * handled in hook_fault().
 */
#include "hook/hook.h"

#include <err.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "agent/agent.h"
#include "agent/claims.h"
#include "base/mem.h"
#include "base/text.h"
#include "list/journal.h"
#include "sys/lock.h"
#include "sys/supervise.h"
#include "json/out.h"

#if defined(__SANITIZE_ADDRESS__)
#define LEAKS_ARE_CHECKED true
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define LEAKS_ARE_CHECKED true
#endif
#endif
#ifndef LEAKS_ARE_CHECKED
#define LEAKS_ARE_CHECKED false
#endif

#define MARGIN_MS 2000 /* the supervisor answers this long after the deadline */

/* For memory_gone() and fault_plainly(), which are called without an argument: when memory runs
 * out, and by the supervisor, in another process, when the hook has died.  hook_fault() reads
 * the same. */
static struct {
	const struct hook_spec *spec;
	enum config_fault fault;
} answer;

/* A fault may stay, so a stop is refused once at most: when the client says that this agent was
 * not sent back already. */
static enum config_fault
fault_of(const struct hook *h)
{
	const struct config *c = &h->in.config;
	const struct event *ev = &h->in.event;

	switch (h->spec->hook) {
	case HOOK_VERIFY:
		return c->on_fault.verify;
	case HOOK_PRETOOLUSE:
		return h->judges ? c->on_fault.verify : c->on_fault.pretooluse;
	default:
		return ev->name != NULL && json_kind(&ev->json, ev->stop_active) == JSON_FALSE
			   ? c->on_fault.stop
			   : FAULT_ALLOW;
	}
}

/*
 * Answer a fault as on_fault says: a refusal that says how to go on, or a pass
 * that tells the person that nothing was checked.
 */
static void
hook_fault(struct hook *h, const struct error *e)
{
	struct decision *d = &h->out.decision;
	struct error ignored;
	bool refuse;

	if (!h->in.have_config && h->in.event.cwd != NULL)
		(void)hook_config(h, &ignored); /* what it says about faults */
	refuse = answer.fault == FAULT_REFUSE;
	decision_free(d);
	d->verdict = refuse ? VERDICT_REFUSE : VERDICT_PASS;
	d->rule = "fault";
	d->task = h->in.event.task_id;
	if (refuse) {
		buf_printf(&d->reason,
		    "This could not be checked, so it is refused: %s. "
		    "This is a fault of the check, not of the work: tell the "
		    "person, who can run `claude-tasks doctor`.",
		    e->text);
		buf_printf(&d->message, "%s: %s", h->spec->name, e->text);
	} else
		buf_printf(&d->message,
		    "%s could not check this and let it pass: %s. "
		    "To find the cause, run `claude-tasks doctor`.",
		    h->spec->name, e->text);
}

/* The same without allocation. */
static int
fault_plainly(const char *why)
{
	static char text[600];

	if (answer.fault == FAULT_REFUSE) {
		snprintf(text, sizeof(text),
		    "This could not be checked, so it is refused: %s. "
		    "Tell the person, who can run claude-tasks doctor.",
		    why);
		return decision_refuse_plainly(
		    answer.spec->dialect, text, STDOUT_FILENO, STDERR_FILENO);
	}
	snprintf(text, sizeof(text), "{\"systemMessage\":\"%s let this pass unchecked: %s\"}\n",
	    answer.spec->name, why);
	if (write(STDOUT_FILENO, text, strlen(text)) == -1)
		return 0; /* the exit status is the same */
	return 0;
}

static void
memory_gone(void)
{
	lock_release_all();
	_exit(fault_plainly("out of memory"));
}

static bool input_closed; /* when we were started */

/* Put the null device in the place of each standard descriptor that is closed: the first file we
 * open would take it, and our answer would be written into it.  (poll() does not say it everywhere:
 * on macOS it knows nothing of a descriptor without events, and no devices.) */
static void
open_standard(void)
{
	for (int i = 0; i < 3; i++) {
		int fd = fcntl(i, F_GETFD) == -1 ? open("/dev/null", O_RDWR) : -1;

		if (fd == -1)
			continue;
		input_closed |= i == STDIN_FILENO;
		if (fd != i) {
			dup2(fd, i);
			close(fd);
		}
	}
}

static int
wait_for_event(struct deadline deadline, struct error *e)
{
	struct pollfd in = { STDIN_FILENO, POLLIN, 0 };
	int64_t left;
	int n, tries = 0;

	open_standard();
	if (input_closed)
		return error_set(e, ERROR_INPUT, "standard input is closed");
	/* Where os_die_with_parent() looks for the parent, a signal comes five times a second. */
	do {
		left = deadline_left(deadline);
		n = poll(&in, 1, left > 600000 ? 600000 : (int)left);
	} while (n == -1 && errno == EINTR && left > 0 && ++tries < 10000);
	if (n == 0)
		return error_set(e, ERROR_INPUT, "no event came on standard input");
	return 0;
}

int
hook_list(struct hook *h, struct error *e)
{
	struct list_query q = { .list = h->in.list_name,
		.dir = h->in.dir,
		.session_id = h->in.event.session_id,
		.team_name = h->in.event.team_name,
		.cwd = h->in.event.cwd };
	int rc;

	if (h->in.have_list)
		return hook_list_open(h);
	if (list_find(&h->in.list, &q, e) == -1)
		return -1;
	h->in.have_list = true;
	hook_fact(h, "list: %s (%s): %s", h->in.list.name, h->in.list.dir, h->in.list.why);
	if (!h->in.list.exists) {
		hook_fact(h, "the list does not exist yet");
		return 0;
	}
	if ((rc = store_open(&h->in.store, h->in.list.dir, false, e)) == -1) {
		/* The next call tries again. */
		list_free(&h->in.list);
		h->in.have_list = false;
		return -1;
	}
	return rc;
}

bool
hook_list_open(const struct hook *h)
{
	return h->in.store.dirfd != -1;
}

/* The option overrides the settings, which are the defaults until they are read. */
static int64_t
limit_ms(const struct hook *h)
{
	return h->limit_ms != 0 ? h->limit_ms : h->in.config.deadline_ms;
}

/* A main thread may have a name in the settings; they are read before or after hook_self(). */
static void
name_self(struct hook *h)
{
	struct agent *self = &h->in.self;

	if (h->in.have_self && h->in.have_config && self->name == NULL && self->id == NULL)
		self->name = h->in.config.name;
}

int
hook_config(struct hook *h, struct error *e)
{
	struct config_query q = { .file = h->in.config_file, .cwd = h->in.event.cwd };
	struct error ignored;
	int64_t limit = limit_ms(h);
	char *dir = NULL;

	if (h->in.have_config)
		return 0;
	q.config_dir = h->in.have_list ? h->in.list.config : (dir = list_config_dir(&ignored));
	config_free(&h->in.config);
	if (config_load(&h->in.config, &q, e) == -1) {
		/* A broken project file must not undo what the user's file says about faults. */
		config_free(&h->in.config);
		q.file = NULL;
		q.cwd = "/";
		(void)config_load(&h->in.config, &q, &ignored);
		answer.fault = fault_of(h);
		free(dir);
		return -1;
	}
	free(dir);
	h->in.have_config = true;
	name_self(h);
	answer.fault = fault_of(h);
	h->in.store.durability = h->in.config.durability;
	hook_fact(h, "settings: %s%s%s",
	    h->in.config.project.path != NULL ? h->in.config.project.path : "defaults",
	    h->in.config.user.path != NULL ? " over " : "",
	    h->in.config.user.path != NULL ? h->in.config.user.path : "");
	if (limit_ms(h) != limit)
		supervise_limit(limit_ms(h) + MARGIN_MS);
	return 0;
}

void
hook_judges(struct hook *h)
{
	h->judges = true;
	answer.fault = fault_of(h);
}

void
hook_supervise(struct hook *h)
{
	if (h->supervised || h->explain)
		return;
	h->supervised = true;
	open_standard();
	supervise(limit_ms(h) + MARGIN_MS, fault_plainly);
}

int
hook_claims(struct hook *h, struct error *e)
{
	if (h->in.have_claims)
		return 0;
	if (claims_load(&h->in.list, &h->in.claims, e) == -1)
		return -1;
	h->in.have_claims = true;
	return 0;
}

void
hook_self(struct hook *h)
{
	if (!h->in.have_self)
		agent_from_event(&h->in.event, &h->in.list, &h->in.self, &h->in.self_name);
	h->in.have_self = true;
	name_self(h);
}

bool
hook_is_lead(const struct hook *h)
{
	const struct agent *self = &h->in.self;

	return self->id == NULL && (self->name == NULL || self->name == h->in.config.name);
}

struct deadline
hook_deadline(struct hook *h)
{
	if (h->start_ms == 0)
		h->start_ms = clock_ms();
	return (struct deadline){ h->start_ms + limit_ms(h) };
}

struct deadline
hook_patience(struct hook *h)
{
	int64_t ms = h->in.have_config ? h->in.config.lock_timeout_ms : LOCK_PATIENCE_MS;

	return deadline_first(deadline_in(ms), hook_deadline(h));
}

void
hook_line(struct hook *h, struct buf *b, const char *fmt, ...)
{
	va_list ap;
	char *s;

	if (!h->explain)
		return;
	va_start(ap, fmt);
	s = mem_vprintf(fmt, ap);
	va_end(ap);
	text_show(b, s, strlen(s), TEXT_BLOCK, TEXT_REASON);
	buf_putc(b, '\n');
	free(s);
}

/* One line in the journal; a failure to write it changes nothing else. */
static void
hook_journal(
    struct hook *h, const char *event, const char *task, const char *why, struct json_object *extra)
{
	struct journal_entry entry = { .event = event,
		.light = true,
		.task = task,
		.session = h->in.event.session_id,
		.why = why,
		.extra = extra };
	struct error e;

	/* An event that could not be read names no list; the environment may. */
	if (!h->explain && !h->in.have_list &&
	    (h->in.event.session_id != NULL || getenv("CLAUDE_CODE_TASK_LIST_ID") != NULL))
		(void)hook_list(h, &e);
	if (h->explain || !h->in.have_list) {
		json_object_put(extra);
		return;
	}
	entry.agent = h->in.have_self ? agent_owner(&h->in.self) : h->in.event.agent_id;
	(void)journal_append(&h->in.list, h->in.store.durability, &entry, hook_patience(h), &e);
}

/* Journal the decision, unless it is a silent pass. */
static void
journal_decision(struct hook *h)
{
	struct decision *d = &h->out.decision;
	struct json_object *extra;
	bool refuse = d->verdict == VERDICT_REFUSE;

	if ((d->recorded && h->out.paused == NULL) || decision_silent(d))
		return;
	extra = out_object();
	out_string(extra, "hook", h->spec->name);
	out_string(extra, "on", h->in.event.name);
	out_string(extra, "tool", h->in.event.tool_name);
	out_string(extra, "rule", d->rule);
	if (refuse) /* for CI: only a refused completion speaks against a receipt */
		out_bool(extra, "completion", h->judges);
	hook_pause_note(h, extra);
	hook_journal(h, refuse ? "refuse" : "tell", d->task,
	    buf_text(refuse               ? &d->reason
		     : d->context.len > 0 ? &d->context
		     : d->message.len > 0 ? &d->message
					  : &d->updated_input),
	    extra);
}

static void
hook_explain(struct hook *h, enum event_kind kind)
{
	struct decision *d = &h->out.decision;
	struct buf b = { 0 }, json = { 0 };

	buf_printf(&b, "event: %s%s%s\n", h->in.event.name != NULL ? h->in.event.name : "none",
	    h->in.event.tool_name != NULL ? " " : "",
	    h->in.event.tool_name != NULL ? h->in.event.tool_name : "");
	buf_add(&b, buf_text(&h->out.facts), h->out.facts.len);
	buf_printf(&b, "rule: %s\n", d->rule != NULL ? d->rule : "none");
	buf_printf(&b, "decision: %s\n",
	    d->verdict == VERDICT_REFUSE ? "refuse (exit status 2)"
	    : decision_silent(d)         ? "pass, silently"
					 : "pass (exit status 0)");
	decision_json(d, kind, &json);
	if (json.len > 0)
		buf_printf(&b, "answer: %s\n", buf_text(&json));
	buf_puts(&b, "would change:");
	buf_puts(&b, h->out.would.len > 0 ? "\n" : " nothing\n");
	buf_add(&b, buf_text(&h->out.would), h->out.would.len);
	if (write(STDOUT_FILENO, b.data, b.len) == -1)
		warn("standard output");
	buf_free(&b);
	buf_free(&json);
}

/* Only for a leak checker: the end of the process frees it faster. */
static void
hook_free(struct hook *h)
{
	if (!LEAKS_ARE_CHECKED)
		return;
	decision_free(&h->out.decision);
	event_free(&h->in.event);
	claims_free(&h->in.claims);
	store_close(&h->in.store);
	list_free(&h->in.list);
	config_free(&h->in.config);
	free(h->in.self_name);
	task_set_free(&h->out.given);
	buf_free(&h->out.facts);
	buf_free(&h->out.would);
	free(h->out.paused);
}

static int
read_event(struct hook *h, struct error *e)
{
	/* This hook runs before every tool call, so it does without poll().  Where a standard
	 * descriptor is closed, a file of ours may get its number, but none that is open for
	 * writing is still open when the answer is written. */
	if (h->spec->hook == HOOK_PRETOOLUSE)
		return event_read_first(&h->in.event, STDIN_FILENO, e);
	if (wait_for_event(hook_deadline(h), e) == -1)
		return -1;
	return event_read(&h->in.event, STDIN_FILENO, e);
}

static int
hook_serve(struct hook *h)
{
	struct error e = { 0 };
	enum event_kind kind = h->spec->dialect;
	int status;

	if (read_event(h, &e) == -1)
		hook_fault(h, &e);
	else {
		kind = h->in.event.kind;
		if (h->spec->run(h, &e) == -1)
			hook_fault(h, &e);
	}
	hook_pause(h);
	if (h->explain) {
		hook_explain(h, kind);
		hook_free(h);
		return 0;
	}
	if (!decision_silent(&h->out.decision)) {
		signal(SIGPIPE, SIG_IGN); /* a closed pipe must not change a refusal */
		journal_decision(h);
	}
	status = decision_write(&h->out.decision, kind, STDOUT_FILENO, STDERR_FILENO);
	if (h->out.after != NULL)
		h->out.after(h);
	hook_free(h);
	return status;
}

void
hook_guard(struct hook *h, const struct hook_spec *spec)
{
	memset(h, 0, sizeof(*h));
	h->spec = spec;
	h->in.store = (struct store)STORE_INIT;
	config_default(&h->in.config);
	answer.spec = spec;
	answer.fault = fault_of(h);
	mem_on_exhausted(memory_gone);
}

int
hook_run_supervised(struct hook *h)
{
	if (h->spec->supervised)
		hook_supervise(h);
	return hook_serve(h);
}
