/*
 * Claims, locks, the journal, permissions.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "agent/agent.h"
#include "agent/claims.h"
#include "agent/release.h"
#include "base/clock.h"
#include "change.h"
#include "doctor.h"
#include "list/journal.h"
#include "list/receipt.h"
#include "sys/dir.h"

#define RECEIPTS_NAMED 10
#define LOCK_AGE 30 /* seconds; the holder of a lock touches it more often */

static void
check_claims(struct doctor *d)
{
	struct cli *c = d->c;
	struct claims all = { 0 };
	struct released back = { 0 };
	struct agent self;
	struct error err;
	struct finding *f;
	bool dead = false;

	doctor_checked(d, "store.claims");
	if (claims_load(&c->list, &all, &err) == -1) {
		doctor_add(d, "store.claims", LEVEL_PROBLEM, mem_string(err.text),
		    "the holders of tasks are unknown, so nothing is released", NULL);
		return;
	}
	if (d->fix) {
		cli_agent(c, &self);
		if (release_dead(
			&c->list, &c->store, NULL, &self, NULL, &back, cli_deadline(), &err) == -1)
			cli_note(c, "claude-tasks: %s", err.text);
	}
	for (size_t i = 0; i < all.count; i++) {
		const struct claim *k = &all.item[i];
		const struct task *t = view_find(&d->view, k->task);

		dead = !claims_alive(k);
		if (t != NULL && !dead)
			continue;
		f = doctor_add(d, "store.claims", LEVEL_WARNING,
		    t == NULL
			? mem_printf("task #%s, which does not exist, is claimed", k->task)
			: mem_printf("#%s is claimed by an agent whose client is gone", k->task),
		    t == NULL ? NULL : "the task stays in progress until it is released",
		    mem_string("claude-tasks release --dead"));
		if (d->fix && t == NULL) {
			struct strings id = { .item = (char *[]){ k->task }, .count = 1 };

			if (claims_forget(&c->list, &id, cli_deadline(), &err) != -1)
				f->did = mem_string("removed the claim");
		} else if (d->fix && task_set_find(&back.tasks, k->task) != NULL) {
			f->did = mem_string("released the task: pending, no owner");
		}
	}
	released_free(&back);
	claims_free(&all);
}

/* Remove a lock without a holder; a directory that is not empty is moved to the backup. */
static int
remove_lock(struct doctor *d, const char *name, struct error *err)
{
	int fd, rc;

	if (unlinkat(d->c->store.dirfd, name, AT_REMOVEDIR) == 0)
		return 0;
	if (doctor_backup(d, "moved-locks", name, strlen(name), err) == -1)
		return -1;
	fd = open(d->backup, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	rc = fd == -1 ? -1 : renameat(d->c->store.dirfd, name, fd, name);
	if (rc == -1)
		error_sys(err, "cannot move '%s' to the backup", name);
	if (fd != -1)
		close(fd);
	return rc;
}

/* The client can take over a lock only if it is an empty directory. */
static bool
empty_directory(int dirfd, const char *name)
{
	DIR *dir = dir_read(dirfd, name);
	struct dirent *e;
	size_t n = 0;

	if (dir == NULL)
		return false;
	while ((e = readdir(dir)) != NULL)
		n += strcmp(e->d_name, ".") != 0 && strcmp(e->d_name, "..") != 0;
	closedir(dir);
	return n == 0;
}

/*
 * A lock is a directory that its holder touches every 5 s and that the client takes over after
 * 10 s.  If it is not an empty directory the client cannot, and every change fails from then on.
 */
static void
check_locks(struct doctor *d)
{
	int fd = d->c->store.dirfd;
	DIR *dir = dir_read(fd, ".");
	struct dirent *e;
	struct stat st;
	struct error err;
	struct finding *f;
	int64_t age;
	size_t len;

	doctor_checked(d, "store.locks");
	while (dir != NULL && (e = readdir(dir)) != NULL) {
		len = strlen(e->d_name);
		if (len < 6 || strcmp(e->d_name + len - 5, ".lock") != 0 ||
		    fstatat(fd, e->d_name, &st, AT_SYMLINK_NOFOLLOW) == -1)
			continue;
		age = clock_wall_ms() / 1000 - st.st_mtim.tv_sec;
		if (age < LOCK_AGE && age > -LOCK_AGE)
			continue;
		f = doctor_add(d, "store.locks", LEVEL_PROBLEM,
		    mem_printf("%s is left over%s", e->d_name,
			age < 0 ? ", with a time in the future" : ""),
		    empty_directory(fd, e->d_name) && age > 0
			? "the next change has to wait for it once"
			: "the client cannot change what it locks",
		    mem_printf(
			"rmdir '%s/%s', if no client is running", d->c->list.dir, e->d_name));
		if (d->fix && remove_lock(d, e->d_name, &err) == 0)
			f->did = mem_string("removed it");
	}
	if (dir != NULL)
		closedir(dir);
}

static void
check_journal(struct doctor *d, int fd)
{
	struct journal_check check = { 0 };
	struct error err;

	doctor_checked(d, "store.journal");
	if (journal_verify(fd, d->c->list.name, &check, &err) == -1)
		doctor_add(d, "store.journal", LEVEL_PROBLEM, mem_string(err.text),
		    "receipts and changes after that line cannot be verified",
		    mem_printf("compare %s/task-hooks/%s/" JOURNAL_FILE " with a backup",
			d->c->list.config, d->c->list.name));
	else if (check.torn)
		doctor_add(d, "store.journal", LEVEL_WARNING,
		    mem_string("the last line of the journal is incomplete, as after a power cut"),
		    "its change may have happened without a record",
		    mem_string("nothing to do: the next change moves it to journal.torn-N"));
}

static void
check_mode(struct doctor *d, int fd, const char *what, mode_t wrong, mode_t right)
{
	struct stat st;
	struct finding *f;

	if (fstat(fd, &st) == -1)
		return;
	if (st.st_uid != geteuid() && geteuid() != 0)
		doctor_add(d, "store.permissions", LEVEL_PROBLEM,
		    mem_printf("%s belongs to user %u", what, (unsigned)st.st_uid),
		    "another user could change what agents are told to do",
		    mem_printf("chown %u %s", (unsigned)geteuid(), what));
	if ((st.st_mode & wrong) == 0)
		return;
	f = doctor_add(d, "store.permissions", LEVEL_PROBLEM,
	    mem_printf("%s has mode %04o", what, (unsigned)(st.st_mode & 07777)),
	    "other users have access to it", mem_printf("chmod %04o %s", (unsigned)right, what));
	if (d->fix && fchmod(fd, right) == 0)
		f->did = mem_printf("mode %04o", (unsigned)right);
}

static void
check_readable(struct doctor *d)
{
	int fd = d->c->store.dirfd;
	DIR *dir = dir_read(fd, ".");
	struct dirent *e;
	size_t len;

	while (dir != NULL && (e = readdir(dir)) != NULL) {
		len = strlen(e->d_name);
		if (len > 5 && strcmp(e->d_name + len - 5, ".json") == 0 &&
		    faccessat(fd, e->d_name, R_OK | W_OK, AT_EACCESS) == -1 && errno == EACCES)
			doctor_add(d, "store.permissions", LEVEL_PROBLEM,
			    mem_printf("%s is not readable and writable", e->d_name),
			    "the client cannot show or change the task",
			    mem_printf("chmod u+rw '%s/%s'", d->c->list.dir, e->d_name));
	}
	if (dir != NULL)
		closedir(dir);
}

/* Tasks that were completed past the hooks, or before there were any. */
static void
check_receipts(struct doctor *d, int statefd)
{
	struct receipts all = { 0 };
	struct buf ids = { 0 };
	struct error ignored; /* the journal has a check of its own */
	size_t n = 0;

	doctor_checked(d, "store.receipts");
	if (statefd != -1 && receipts_read(statefd, &all, &ignored) == -1)
		return;
	for (size_t i = 0; i < d->view.tasks.count; i++) {
		const struct task *t = &d->view.tasks.item[i];

		if (t->status != TASK_COMPLETED || receipts_find(&all, t->id) != NULL)
			continue;
		if (++n <= RECEIPTS_NAMED)
			cli_format(&ids, "%s#%.60s", n > 1 ? ", " : "", t->id);
	}
	if (n > 0)
		doctor_add(d, "store.receipts", LEVEL_NOTE,
		    mem_printf("completed without a receipt: %s%s", buf_text(&ids),
			n > RECEIPTS_NAMED ? ", ..." : ""),
		    "no hook has checked these completions",
		    mem_string("claude-tasks verify N; to complete one again: claude-tasks update "
			       "N --status pending"));
	receipts_free(&all);
	buf_free(&ids);
}

void
doctor_state(struct doctor *d)
{
	struct cli *c = d->c;
	struct error err;
	char *path = mem_printf("%s/task-hooks/%s", c->list.config, c->list.name);
	int fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW), state;

	doctor_checked(d, "store.permissions");
	if (fd != -1) {
		check_mode(d, fd, path, 077, 0700);
		close(fd);
	}
	if (c->store.dirfd != -1) {
		check_mode(d, c->store.dirfd, c->list.dir, 002, 0755);
		check_readable(d);
		check_locks(d);
		check_claims(d);
	}
	state = list_state(&c->list, false, &err);
	if (c->store.dirfd != -1)
		check_receipts(d, state);
	if (state != -1)
		check_journal(d, state);
	else if (err.kind != ERROR_NOT_FOUND)
		doctor_add(d, "store.permissions", LEVEL_PROBLEM, mem_string(err.text),
		    "nothing can be recorded", NULL);
	free(path);
}
