#ifndef OS_OS_H
#define OS_OS_H

#include <sys/types.h>

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"

/*
 * What differs between operating systems; no other file asks which one it is.
 *
 * os-linux.c and os-darwin.c are complete.  os-posix.c uses POSIX and the functions that all BSDs
 * have; docs/claude-task-hooks.7, SYSTEMS, lists what cannot be done with these.  os-portable.c is
 * what the last two have in common.  The Makefile chooses by OS=.
 *
 * A function that fails returns -1 (or false) and sets errno, unless said otherwise.
 */

/* --- Processes --- */

struct os_process {
	char name[64]; /* may be cut, to 15 bytes */
	bool ended;    /* and its parent has not waited for it yet */
	pid_t parent;
	uint64_t start; /* with the pid it names one process; the unit is the system's */
};

/* 1 read, 0 there is no such process, -1.  Does not allocate. */
int os_process_read(pid_t, struct os_process *);
/* Are these starts, of one pid, of the same process?  0 is an unknown start. */
bool os_process_same(uint64_t start, uint64_t other);
/* Its command line, each word ended by NUL; false if it cannot be read or is empty. */
bool os_process_words(pid_t, struct buf *);
/* Was it started with this in its environment ("NAME=value")?  1, 0, -1 unknown. */
int os_process_has_env(pid_t, const char *assignment);
/* Its executable, as something that can be opened and run; false if that is unknown. */
bool os_process_program(pid_t, char path[PATH_MAX]);
/* Its working directory, likewise. */
bool os_process_cwd(pid_t, char path[PATH_MAX]);
/* Can the processes above this one be read?  *error: 0, or why that cannot be found out. */
bool os_processes_shown(int *error);

/* This program's own file. */
bool os_self(char path[PATH_MAX]);

/* When the machine was started, in seconds since 1970. */
int64_t os_boot_s(void);
/* A name of the machine that it keeps, "" if the system knows none but /etc/machine-id. */
void os_machine_name(char *, size_t);
/* The name of this start of the machine, "" if it has none; of the space in which a pid is one
 * process (on systems without such spaces 0). */
void os_boot_name(char *, size_t);
int os_pid_space(uint64_t *);

/* --- Children --- */

/* Become the parent of all orphans among our descendants, where that is possible. */
void os_adopt_orphans(void);
/* Where it is not: with what the name of the environment variable begins by which a command's
 * processes are found (os_kill_children()); else NULL. */
const char *os_mark_name(void);
/* This process gets the signal when its parent dies.  The caller then looks whether it has one. */
void os_die_with_parent(int sig);
/* The same for a process that will execute a command, with SIGKILL, where that is possible. */
void os_command_dies_with_parent(void);
/* Send the signal to all our children, and to the processes that were started with this mark
 * ("NAME=value"; NULL: none is sought); how many there were, not counting `leader`.  With leader -1
 * only to those with the mark. */
unsigned os_kill_children(pid_t leader, const char *mark, int sig);
/* waitpid(-1, NULL, WNOHANG), for every kind of child. */
pid_t os_reap(void);
/* That of this process. */
char **os_environment(void);
/* execvp() with this environment. */
void os_execute(char *const argv[], char *const env[]);

/* --- Descriptors --- */

int os_pipe(int ends[2]);        /* closed on exec */
int os_socket_pair(int ends[2]); /* a stream, closed on exec */
/* send() that never raises SIGPIPE. */
ssize_t os_send(int fd, const void *, size_t, bool wait);
void os_pipe_enlarge(int fd);
void os_close_from(int fd); /* this descriptor and all above it */
int os_memory_file(void);   /* a file without a name, closed on exec */
int os_flush(int fd);       /* its data to the disk */
/* Take this room for the file without changing its length.  Only a -1 with ENOSPC, EDQUOT, EFBIG
 * counts: otherwise the file system cannot say. */
int os_reserve(int fd, off_t len);

/* --- Files --- */

/* The path of what is open; 0 if it is unknown, else its length. */
size_t os_fd_path(int fd, char path[PATH_MAX]);
/* Keeps the inode of what has this name from being given to another file; a link is not followed.
 * (Where that needs the right to read, ELOOP or EACCES is possible.) */
int os_pin(int dirfd, const char *name);
/* A directory, for names below it. */
int os_open_dir(const char *path);
/* Through links: something to fstat() and to os_reopen(); *path is what was opened. */
int os_open_target(int dirfd, const char *name, char path[PATH_MAX]);
/* To read what os_open_target() has opened. */
int os_reopen(int fd);
/* Exchange two files; ENOSYS or EINVAL where that cannot be done. */
int os_exchange(int dirfd, const char *a, const char *b);
/* Does mkdir() give the directory the sticky bit of its mode?  (POSIX leaves that open.) */
bool os_mkdir_sticky(void);
/* Is a flock on it known to all who can reach the file system?  dev: its device. */
bool os_fs_local(int fd, dev_t dev);
/* When a file was written and made, in ms since 1970; 0 if it is not there.  Where the second is
 * not kept, it is the first. */
void os_file_times(int dirfd, const char *name, int64_t *written, int64_t *made);

/* --- Watching a directory --- */

struct os_watch {
	int fd;        /* to poll; -1 */
	int period_ms; /* ask os_watch_changed() this often; -1: only when fd is ready */
	int id;
	uint64_t seen;
	char *dir;
};

int os_watch_open(struct os_watch *);
/* This directory from now on, or the nearest above it that exists.  What was seen before is
 * forgotten: look at the directory after this call. */
int os_watch_dir(struct os_watch *, const char *dir);
/* 1 a change was seen, all that is known of it is taken; 0; -1. */
int os_watch_changed(struct os_watch *);
void os_watch_close(struct os_watch *);

/* --- A file as a constant --- */

/* OS_EMBED(name, "path"): const char name[], the text of the file, ended by NUL. */
#ifdef __APPLE__
#define OS_EMBED_BEGIN(name) ".pushsection __TEXT,__const\n_" #name ":\n"
#else
#define OS_EMBED_BEGIN(name) ".pushsection .rodata." #name ",\"a\",%progbits\n" #name ":\n"
#endif
#define OS_EMBED(name, path)                                                          \
	__asm__(OS_EMBED_BEGIN(name) ".incbin \"" path "\"\n.byte 0\n.popsection\n"); \
	extern const char name[]

#endif
