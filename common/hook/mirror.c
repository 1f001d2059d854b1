/*
 * mirror: run the configured mirror commands on the list.
 *
 * A detached process does it after the answer is out, with none of our
 * descriptors: the client waits until the hook's pipes are closed.  Under a
 * lock the commands run one after the other; each reads the list when its turn
 * comes and is skipped if nothing has changed.  So commands see states in
 * order, and the last state they see is the latest.
 */
#include "hook/mirror.h"

#include "hook/stop.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/hash.h"
#include "base/text.h"
#include "config/trust.h"
#include "sys/child.h"
#include "sys/lock.h"
#include "json/out.h"

#define TURN_MS 120000 /* to wait for those before us */

/* The Task[]: every task as it is on disk, in the client's order. */
static int
mirror_text(struct hook *h, struct buf *out, struct error *e)
{
	struct task_set all = { 0 };
	struct json_object *array;

	if (store_load(&h->in.store, &all, e) == -1)
		return -1;
	array = out_array();
	for (size_t i = 0; i < all.count; i++)
		out_push(array, out_raw(&all.item[i].json, JSON_ROOT));
	out_text(out, array);
	task_set_free(&all);
	return 0;
}

static void
mirror_failed(struct hook *h, const struct config_mirror *s, const char *why)
{
	struct json_object *extra = out_object();

	out_string(extra, "command", s->name);
	hook_journal(h, "outward", NULL, why, extra);
}

/* The file with the digest of what a command was last given; its name is made of the command. */
static void
mirror_mark(const struct config_mirror *s, char out[32])
{
	struct buf all = { 0 };
	char hash[65];

	for (size_t i = 0; i < s->argv.count; i++)
		buf_add(&all, s->argv.item[i], strlen(s->argv.item[i]) + 1);
	hash_text(buf_text(&all), all.len, hash);
	snprintf(out, 32, "sync-%.16s", hash);
	buf_free(&all);
}

static void
mirror_run_one(struct hook *h, int state, const struct config_mirror *s, const struct buf *text)
{
	struct child c = CHILD_INIT;
	struct child_spec spec = { .cwd = h->in.event.cwd,
		.deadline = deadline_in(s->timeout_ms),
		.input = text->data,
		.input_len = text->len };
	struct strings env = { 0 };
	struct buf before = { 0 }, why = { 0 };
	struct error e;
	char digest[65], mark[32];
	char **argv;

	hash_text(buf_text(text), text->len, digest);
	mirror_mark(s, mark);
	if (file_read(state, mark, 0, 128, &before, &e) == 1 &&
	    strcmp(buf_text(&before), digest) == 0)
		goto out;
	spec.argv = argv = strings_argv(&s->argv);
	strings_take(&env, mem_printf("TASK_HOOKS_LIST=%s", h->in.list.name));
	strings_take(&env, mem_printf("TASK_HOOKS_EVENT=%s", event_kind_name(h->in.event.kind)));
	spec.env = &env;
	if (child_run(&c, &spec, &e) == -1)
		mirror_failed(h, s, e.text);
	else if (c.end != CHILD_EXITED || c.status != 0) {
		child_describe(&why, &c);
		if (c.tail.len > 0) {
			buf_puts(&why, ": ");
			text_show(&why, c.tail.data, c.tail.len, TEXT_LINE, 300);
		}
		mirror_failed(h, s, buf_text(&why));
	} else if (file_replace(state, mark, digest, strlen(digest), 0600, DURABILITY_OFF, &e) ==
		   -1)
		mirror_failed(h, s, e.text);
	child_free(&c);
	free(argv);
out:
	strings_free(&env);
	buf_free(&before);
	buf_free(&why);
}

static void
mirror_run_all(struct hook *h)
{
	struct lock lock = LOCK_INIT;
	struct buf text = { 0 }, why = { 0 };
	enum trust trust = TRUST_UNKNOWN;
	struct error e;
	int state;

	if ((state = list_state(&h->in.list, true, &e)) == -1 ||
	    lock_own(&lock, state, "sync.lock", deadline_in(TURN_MS), &e) == -1 ||
	    mirror_text(h, &text, &e) == -1) {
		mirror_failed(h, &h->in.config.mirror[0], e.text);
		return;
	}
	if (trust_check(h->in.list.config, &h->in.config, h->in.event.cwd, &trust, &why, &e) ==
	    -1) {
		trust = TRUST_UNKNOWN;
		buf_puts(&why, e.text);
	}
	for (size_t i = 0; i < h->in.config.mirror_count; i++) {
		if (h->in.config.mirror[i].project && trust >= TRUST_UNKNOWN)
			mirror_failed(h, &h->in.config.mirror[i], buf_text(&why));
		else
			mirror_run_one(h, state, &h->in.config.mirror[i], &text);
	}
	lock_release(&lock);
}

void
mirror_after(struct hook *h)
{
	int null;

	if (h->in.config.mirror_count == 0 || !hook_list_open(h))
		return;
	if (fork() != 0)
		return; /* also if it fails: the next change tries again */
	setsid();
	if ((null = open("/dev/null", O_RDWR)) == -1)
		_exit(1);
	for (int fd = 0; fd < 3; fd++)
		dup2(null, fd);
	mirror_run_all(h);
	_exit(0);
}
