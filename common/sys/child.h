#ifndef SYS_CHILD_H
#define SYS_CHILD_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/buf.h"
#include "base/clock.h"
#include "base/error.h"
#include "base/hash.h"
#include "base/mem.h"

/*
 * A command run under a deadline; nothing that it started outlives it.
 *
 *	struct child c = CHILD_INIT;
 *	child_start(&c, &spec, &err)	-1 only if no process could be made
 *	child_wait(&c, 1, deadline)	until it has ended (c.done)
 *	child_free(&c)			stops it if it still runs
 *
 * Each child has a monitor process of its own: a session leader and
 * subreaper that outlives us just long enough to kill whatever the command
 * left, also when we are killed with SIGKILL.  The end is the death of the
 * command itself, not end-of-file on its output: a daemon that keeps the
 * pipe cannot hold us up, and is killed.
 *
 * The command gets its arguments without a shell, the null device (or
 * `input`) as standard input, one pipe as output and error, and our
 * environment without what changes the meaning of a command (child_env()).
 */
#define CHILD_TAIL (64u << 10)  /* bytes of output kept: the last ones */
#define CHILD_DIGEST (8u << 20) /* bytes of output the digest covers: the first ones */
#define CHILD_LIVE 512          /* bytes of output shown while it runs */
#define CHILD_MARK 64
#define CHILD_GRACE_MS 300 /* between SIGTERM and SIGKILL at the deadline */

struct child_spec {
	char *const *argv;          /* NULL-terminated */
	const char *cwd;            /* NULL: ours */
	const struct strings *env;  /* NAME=value, added; NULL */
	const struct strings *pass; /* names not to be scrubbed; NULL */
	bool sessionless;           /* leave out the variables of the client's session too */
	struct deadline deadline;
	const void *input; /* standard input; NULL: the null device */
	size_t input_len;
	int *output; /* standard output goes to this descriptor instead, and the tail holds standard
			error alone; NULL */
	/* Memory shared with our children (MAP_SHARED), CHILD_LIVE bytes: gets the end of
	 * the output as it comes, for a progress display.  NULL: none. */
	char *live;
};

enum child_end {
	CHILD_RUNNING,
	CHILD_EXITED,    /* status: its exit status */
	CHILD_SIGNALED,  /* status: the signal */
	CHILD_TIMED_OUT, /* killed at its deadline */
	CHILD_STOPPED,   /* killed by child_stop_all() */
	CHILD_NOT_RUN,   /* status: errno; problem says which step */
};

struct child {
	int fd;    /* to the monitor; -1 */
	pid_t pid; /* of the monitor */
	bool done;
	enum child_end end;
	int status;
	int64_t ms;            /* how long it ran */
	uint64_t total;        /* bytes of output */
	struct buf tail;       /* the last CHILD_TAIL of them */
	char digest[HASH_HEX]; /* SHA-256 of the first CHILD_DIGEST of them */
	unsigned strays;       /* processes killed after the command had ended */
	unsigned survivors;    /* processes that could not be killed */
	char problem[200];     /* CHILD_NOT_RUN: "no such program: 'frobnicate'" */
	struct buf in;         /* what the monitor has sent so far */
	char mark[CHILD_MARK]; /* by which its processes are found; "": by their parent */
};

#define CHILD_INIT       \
	{                \
		.fd = -1 \
	}

int child_start(struct child *, const struct child_spec *, struct error *);

/* Until one of them has ended or the deadline is past; the number of those
 * that are done.  A child keeps its own deadline: DEADLINE_NEVER is fine here. */
int child_wait(struct child **, size_t count, struct deadline);
void child_free(struct child *);

/* Start and wait. 0, also if the command failed: see end. */
int child_run(struct child *, const struct child_spec *, struct error *);

/* Stop every child of this process (async-signal-safe: for a SIGTERM handler). */
void child_stop_all(void);

/* The environment a command gets; owned strings, NAME=value.  sessionless: without what describes
 * the client's session (CLAUDE*, the terminal, ssh). */
void child_env(
    struct strings *out, const struct strings *env, const struct strings *pass, bool sessionless);
bool child_env_scrubbed(const char *name);

/* "exit 1", "killed by SIGSEGV", "timed out after 60 s", the problem. */
void child_describe(struct buf *, const struct child *);

#endif
