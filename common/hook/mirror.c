/*
 * mirror: run the configured sync commands on the list.
 *
 * A detached process does it, with none of our descriptors: the client waits
 * until the pipes of a hook or of its shell tool are closed.  Under a lock the
 * commands run one after the other; the list is read when the turn comes.  So
 * one process that waits is enough: it will read what all others have written.
 *
 * The state directory has a file for each command, with the digest of what it
 * was last given, or of the reason why it was not run.
 */
#include "hook/mirror.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/hash.h"
#include "base/text.h"
#include "config/trust.h"
#include "form/convert.h"
#include "list/journal.h"
#include "os/os.h"
#include "sys/child.h"
#include "sys/lock.h"
#include "json/out.h"

#define EVENT "TASK_HOOKS_EVENT" /* in the environment of a command */

static void
mirror_failed(const struct mirror *m, const struct config_mirror *s, const char *why)
{
	struct json_object *extra = out_object();
	struct journal_entry entry = { .event = MIRROR_FAILED,
		.light = true,
		.session = m->session,
		.why = why,
		.extra = extra };
	struct error ignored;

	out_string(extra, "command", s->name);
	(void)journal_append(m->list, m->config->durability, &entry,
	    deadline_in(m->config->lock_timeout_ms), &ignored);
}

/* The name of a command's file. */
static void
mark_name(const struct config_mirror *s, char out[32])
{
	struct buf all = { 0 };
	char hash[HASH_HEX];

	for (size_t i = 0; i < s->argv.count; i++)
		buf_add(&all, s->argv.item[i], strlen(s->argv.item[i]) + 1);
	hash_text(buf_text(&all), all.len, hash);
	snprintf(out, 32, "sync-%.16s", hash);
	buf_free(&all);
}

int64_t
mirror_succeeded_ms(int state, const struct config_mirror *s)
{
	char name[32];
	struct stat st;

	mark_name(s, name);
	if (fstatat(state, name, &st, AT_SYMLINK_NOFOLLOW) == -1)
		return 0;
	return (int64_t)st.st_mtim.tv_sec * 1000 + st.st_mtim.tv_nsec / 1000000;
}

/* Was the mark written for this text? */
static bool
mark_is(int state, const struct config_mirror *s, const struct buf *text)
{
	struct buf before = { 0 };
	struct error ignored;
	char digest[HASH_HEX], name[32];
	bool same;

	mark_name(s, name);
	hash_text(buf_text(text), text->len, digest);
	same = file_read(state, name, 0, 128, &before, &ignored) == 1 &&
	       strcmp(buf_text(&before), digest) == 0;
	buf_free(&before);
	return same;
}

static void
mark_set(const struct mirror *m, int state, const struct config_mirror *s, const struct buf *text)
{
	char digest[HASH_HEX], name[32];
	struct error e;

	mark_name(s, name);
	hash_text(buf_text(text), text->len, digest);
	if (file_replace(state, name, digest, strlen(digest), 0600, DURABILITY_OFF, &e) == -1)
		mirror_failed(m, s, e.text);
}

static void
mirror_run_one(
    const struct mirror *m, int state, const struct config_mirror *s, const struct buf *text)
{
	const char *root = m->config->project.root;
	struct child c = CHILD_INIT;
	struct child_spec spec = { .cwd = s->project && root != NULL ? root : m->cwd,
		.deadline = deadline_in(s->timeout_ms),
		.input = text->data,
		.input_len = text->len };
	struct strings env = { 0 };
	struct buf why = { 0 };
	struct error e;
	char **argv;

	spec.argv = argv = strings_argv(&s->argv);
	strings_take(&env, mem_printf("TASK_HOOKS_LIST=%s", m->list->name));
	strings_take(&env, mem_printf(EVENT "=%s", m->event));
	spec.env = &env;
	if (child_run(&c, &spec, &e) == -1)
		mirror_failed(m, s, e.text);
	else if (c.end != CHILD_EXITED || c.status != 0) {
		child_describe(&why, &c);
		if (c.tail.len > 0) {
			buf_puts(&why, ": ");
			text_show(&why, c.tail.data, c.tail.len, TEXT_LINE, 300);
		}
		mirror_failed(m, s, buf_text(&why));
	} else
		mark_set(m, state, s, text);
	child_free(&c);
	free(argv);
	strings_free(&env);
	buf_free(&why);
}

/* The Task[] in the order of the client: 1, 0 the list is gone, -1. */
static int
mirror_text(const struct mirror *m, struct buf *out, struct error *e)
{
	struct store store = STORE_INIT;
	int rc = store_open(&store, m->list->dir, false, e);

	if (rc == 1 && convert_export(&store, true, false, out, e) == -1)
		rc = -1;
	store_close(&store);
	return rc;
}

/* Wait until no other process runs commands: 1, 0 another process with the same settings waits
 * already, -1.
 */
static int
mirror_turn(const struct mirror *m, int state, struct lock *turn, struct error *e)
{
	struct lock next = LOCK_INIT;
	char name[32];
	int rc;

	snprintf(name, sizeof(name), "sync-next-%.8s-%.8s", m->config->user.hash,
	    m->config->project.hash);
	if (lock_own(&next, state, name, deadline_in(0), e) == -1)
		return e->kind == ERROR_BUSY ? 0 : -1;
	rc = lock_own(turn, state, "sync.lock", DEADLINE_NEVER, e) == -1 ? -1 : 1;
	lock_release(&next);
	return rc;
}

/* Run those that were not given this text.  untrusted: why those of the project may not run; NULL:
 * they may. */
static void
mirror_round(const struct mirror *m, int state, const struct buf *text, const struct buf *untrusted)
{
	for (size_t i = 0; i < m->config->mirror_count; i++) {
		const struct config_mirror *s = &m->config->mirror[i];
		bool refused = s->project && untrusted != NULL;

		if (mark_is(state, s, refused ? untrusted : text))
			continue;
		if (refused) {
			mirror_failed(m, s, buf_text(untrusted));
			mark_set(m, state, s, untrusted);
		} else
			mirror_run_one(m, state, s, text);
	}
}

/* A second round if the commands themselves, or others meanwhile, have changed the list. */
static int
mirror_rounds(const struct mirror *m, int state, struct error *e)
{
	struct buf text = { 0 }, again = { 0 }, why = { 0 };
	const struct buf *untrusted;
	enum trust trust;
	int rc;

	if ((rc = mirror_text(m, &text, e)) != 1)
		goto out;
	if (trust_check(m->list->config, m->config, m->cwd, &trust, &why, e) == -1) {
		trust = TRUST_UNKNOWN;
		buf_puts(&why, e->text);
	}
	untrusted = trust >= TRUST_UNKNOWN ? &why : NULL;
	mirror_round(m, state, &text, untrusted);
	if ((rc = mirror_text(m, &again, e)) == 1 && strcmp(buf_text(&text), buf_text(&again)) != 0)
		mirror_round(m, state, &again, untrusted);
out:
	buf_free(&text);
	buf_free(&again);
	buf_free(&why);
	return rc;
}

static void
mirror_run_all(const struct mirror *m)
{
	struct lock turn = LOCK_INIT;
	struct error e;
	int state = list_state(m->list, true, &e), rc;

	if (state == -1 || (rc = mirror_turn(m, state, &turn, &e)) == -1 ||
	    (rc == 1 && mirror_rounds(m, state, &e) == -1))
		mirror_failed(m, &m->config->mirror[0], e.text);
	lock_release(&turn);
}

/* In the detached process: no terminal, and no descriptor of the process that made the change. */
static void
mirror_detached(const struct mirror *m)
{
	struct list list = *m->list;
	struct mirror own = *m;
	int null = open("/dev/null", O_RDWR);

	if (null == -1)
		return;
	for (int fd = 0; fd < 3; fd++)
		dup2(null, fd);
	os_close_from(3);
	list.has_state = false;
	own.list = &list;
	mirror_run_all(&own);
}

/* Fork twice, so that init reaps the process and a server has no child to wait for. */
void
mirror_start(const struct mirror *m)
{
	pid_t pid;

	/* A sync command does not start sync commands for its own changes. */
	if (m->config->mirror_count == 0 || getenv(EVENT) != NULL)
		return;
	pid = fork();
	if (pid == -1)
		return; /* the next change tries again */
	if (pid > 0) {
		while (waitpid(pid, NULL, 0) == -1 && errno == EINTR)
			;
		return;
	}
	setsid();
	if (fork() == 0)
		mirror_detached(m);
	_exit(0);
}
