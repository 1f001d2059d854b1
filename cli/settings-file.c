#include "settings-file.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "os/os.h"
#include "sys/dir.h"
#include "sys/file.h"

#define SETTINGS_MAX (8u << 20)
#define TRIES 20

static bool
has_entry(const char *dir, const char *name)
{
	char *path = mem_printf("%s/%s", dir, name);
	bool is = access(path, F_OK) == 0;

	free(path);
	return is;
}

char *
project_dir(void)
{
	char *cwd = getcwd(NULL, 0), *path, *slash;
	const char *home = getenv("HOME");

	if (cwd == NULL)
		return mem_string(".");
	path = mem_string(cwd);
	for (;;) {
		/* ~/.claude belongs to the user, not to a project. */
		bool at_home = home != NULL && strcmp(path, home) == 0;

		if ((!at_home && has_entry(path, ".claude")) || has_entry(path, ".git")) {
			free(cwd);
			return path;
		}
		slash = strrchr(path, '/');
		if (slash == NULL || slash == path || at_home)
			break;
		*slash = '\0';
	}
	free(path);
	return cwd;
}

int
settings_read(const char *path, struct buf *text, struct error *err)
{
	return file_read_path(path, SETTINGS_MAX, text, err);
}

/* The directory that really holds the file, and its name there, through symbolic links. */
static int
open_settings_dir(const char *path, char name[NAME_MAX + 1], struct error *err)
{
	char real[PATH_MAX], *slash;

	if (realpath(path, real) == NULL) {
		if (errno != ENOENT)
			return error_sys(err, "cannot find '%s'", path);
		if (strlen(path) >= sizeof(real))
			return error_set(
			    err, ERROR_INPUT, "the path of '%.60s...' is too long", path);
		memcpy(real, path, strlen(path) + 1);
	}
	slash = strrchr(real, '/');
	if (slash == NULL || strlen(slash + 1) > NAME_MAX)
		return error_set(err, ERROR_INPUT, "'%s' is not the path of a file", path);
	memcpy(name, slash + 1, strlen(slash + 1) + 1);
	*slash = '\0';
	return dir_make(*real != '\0' ? real : "/", 0777, err);
}

/* Does the file still hold these bytes?  1, 0, -1. */
static int
has_bytes(int dirfd, const char *name, const struct buf *old, struct error *err)
{
	struct buf now = { 0 };
	int rc = file_read(dirfd, name, 0, SETTINGS_MAX, &now, err);

	if (rc == 1 &&
	    (now.len != old->len || memcmp(buf_text(&now), buf_text(old), old->len) != 0))
		rc = 0;
	buf_free(&now);
	return rc;
}

/*
 * Put the staged file in the place of one that must still hold `old`.
 * 1 done; 0 another process wrote meanwhile; -1.
 */
static int
exchange(int dirfd, const char *temp, const char *name, const struct buf *old, bool existed,
    struct error *err)
{
	int rc;

	if (!existed) {
		if (linkat(dirfd, temp, dirfd, name, 0) == 0)
			return 1;
		return errno == EEXIST ? 0 : error_sys(err, "cannot make '%s'", name);
	}
	if ((rc = has_bytes(dirfd, name, old, err)) != 1)
		return rc;
	if (os_exchange(dirfd, temp, name) == 0) {
		rc = has_bytes(dirfd, temp, old, err);
		/* Not the file that was read: exchange them again. */
		if (rc == 0 && os_exchange(dirfd, temp, name) == -1)
			rc = error_sys(err, "cannot restore '%s'", name);
		return rc;
	}
	if (errno == ENOENT)
		return 0;
	/* A file system that cannot exchange: rely on the check above. */
	if ((errno != EINVAL && errno != ENOSYS) || renameat(dirfd, temp, dirfd, name) == -1)
		return error_sys(err, "cannot replace '%s'", name);
	return 1;
}

static int
write_temp(int dirfd, const char *temp, const struct buf *text, mode_t mode, struct error *err)
{
	int fd = openat(dirfd, temp, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, mode);
	int rc;

	if (fd == -1)
		return error_sys(err, "cannot create a file beside the settings");
	(void)fchmod(fd, mode);
	rc = file_write_all(fd, text->data, text->len, err);
	if (rc == 0 && fsync(fd) == -1)
		rc = error_sys(err, "cannot write a file beside the settings");
	close(fd);
	if (rc == -1)
		unlinkat(dirfd, temp, 0);
	return rc;
}

int
settings_edit(const char *path, struct settings_edit *e, struct error *err)
{
	char name[NAME_MAX + 1], temp[64];
	struct buf out = { 0 };
	struct stat st;
	mode_t mode = 0;
	int dirfd = open_settings_dir(path, name, err), rc = 0;

	if (dirfd == -1)
		return -1;
	snprintf(temp, sizeof(temp), ".claude-tasks-%d.tmp", (int)getpid());
	for (int i = 0; i < TRIES; i++) {
		bool remove = false;

		rc = file_read(dirfd, name, 0, SETTINGS_MAX, &e->before, err);
		if (rc == -1)
			break;
		e->existed = rc == 1;
		buf_reset(&out);
		rc = e->fn(
		    e->arg, buf_text(&e->before), e->before.len, e->existed, &out, &remove, err);
		if (rc == -1)
			break;
		if (remove) {
			rc = e->existed && unlinkat(dirfd, name, 0) == -1
				 ? error_sys(err, "cannot remove '%s'", path)
				 : 1;
			break;
		}
		if (e->existed && out.len == e->before.len &&
		    memcmp(buf_text(&out), buf_text(&e->before), out.len) == 0) {
			rc = 0;
			break;
		}
		/* A new file gets the mode that the client would give it. */
		if (e->existed && fstatat(dirfd, name, &st, 0) == 0) {
			mode = st.st_mode & 07777;
		} else {
			mode = umask(0);
			umask(mode);
			mode = 0644 & ~mode;
		}
		(void)unlinkat(dirfd, temp, 0);
		if ((rc = write_temp(dirfd, temp, &out, mode, err)) == -1)
			break;
		rc = exchange(dirfd, temp, name, &e->before, e->existed, err);
		(void)unlinkat(dirfd, temp, 0);
		if (rc != 0)
			break;
		rc = error_set(
		    err, ERROR_BUSY, "another process keeps writing '%s'; try again", path);
	}
	buf_free(&out);
	close(dirfd);
	return rc;
}
