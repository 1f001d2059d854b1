/*
 * spawn: measure and compare whole runs of programs.
 *
 *	spawn [-b MS] [-m MIN] [-n MAX] [-s SEED] <cases >results
 *
 * A case is a line of tab-separated fields:
 *
 *	name  status  input  reset  [VARIABLE=value...]  program  argument...
 *
 * `status` is the expected exit status; `input` is the file for standard
 * input; `reset`, unless "-", is a shell command that is run before each run
 * and not measured.  A result is a line of tab-separated fields:
 *
 *	name  runs  median ns  lower quartile ns  peak RSS kB  minor page faults
 *
 * Runs of all cases are shuffled, so that load on the machine affects all of
 * them: use only ratios of medians within one run.  Each case gets as many runs
 * as fit in MS milliseconds, at least MIN, at most MAX.
 */
#include <err.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

extern char **environ;

struct job {
	char *name, *input, *reset, **argv, **env;
	int status;
	int64_t *ns;
	size_t runs, done;
	long rss, faults;
};

static int64_t
now(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec * INT64_C(1000000000) + ts.tv_nsec;
}

static void *
checked(void *p)
{
	if (p == NULL)
		err(1, NULL);
	return p;
}

/* Add "VARIABLE=value" to the job's environment, which starts as a copy of ours. */
static void
job_setenv(struct job *j, char *setting)
{
	size_t len = (size_t)(strchr(setting, '=') - setting) + 1, n = 0;

	while (j->env[n] != NULL && strncmp(j->env[n], setting, len) != 0)
		n++;
	if (j->env[n] == NULL) {
		j->env = checked(reallocarray(j->env, n + 2, sizeof(*j->env)));
		j->env[n + 1] = NULL;
	}
	j->env[n] = setting;
}

static char **
copy_environ(void)
{
	size_t n = 0;
	char **copy;

	while (environ[n] != NULL)
		n++;
	copy = checked(calloc(n + 1, sizeof(*copy)));
	memcpy(copy, environ, n * sizeof(*copy));
	return copy;
}

/* Split a line in place; false if it has too few fields. */
static bool
job_read(struct job *j, char *line)
{
	size_t count = 1, i = 0;
	char *field;

	for (const char *c = line; *c != '\0'; c++)
		count += *c == '\t';
	if (count < 5)
		return false;
	j->name = strsep(&line, "\t");
	j->status = atoi(strsep(&line, "\t"));
	j->input = strsep(&line, "\t");
	j->reset = strsep(&line, "\t");
	j->env = copy_environ();
	j->argv = checked(calloc(count, sizeof(*j->argv)));
	while ((field = strsep(&line, "\t")) != NULL) {
		if (i == 0 && strchr(field, '=') != NULL)
			job_setenv(j, field);
		else
			j->argv[i++] = field;
	}
	return i > 0;
}

static pid_t
start(char **argv, char **env, const char *input)
{
	posix_spawn_file_actions_t fa;
	pid_t pid;
	int rc;

	posix_spawn_file_actions_init(&fa);
	posix_spawn_file_actions_addopen(&fa, 0, input, O_RDONLY, 0);
	posix_spawn_file_actions_addopen(&fa, 1, "/dev/null", O_WRONLY, 0);
	posix_spawn_file_actions_addopen(&fa, 2, "/dev/null", O_WRONLY, 0);
	rc = posix_spawnp(&pid, argv[0], &fa, NULL, argv, env);
	posix_spawn_file_actions_destroy(&fa);
	if (rc != 0)
		errc(1, rc, "cannot start %s", argv[0]);
	return pid;
}

/* The same, slower, with a memory of its own: after posix_spawn(), which shares ours until the
 * exec, ru_maxrss would be ours if that is larger. */
static pid_t
start_apart(char **argv, char **env, const char *input)
{
	pid_t pid = fork();

	if (pid == -1)
		err(1, "fork");
	if (pid == 0) {
		int in = open(input, O_RDONLY), null = open("/dev/null", O_WRONLY);

		if (dup2(in, 0) != -1 && dup2(null, 1) != -1 && dup2(null, 2) != -1)
			execvpe(argv[0], argv, env);
		_exit(127);
	}
	return pid;
}

/* first: measure the memory too. */
static int64_t
job_run(struct job *j, bool first)
{
	char *reset[] = { "sh", "-c", j->reset, NULL };
	struct rusage usage;
	int64_t began, ended;
	int status;
	pid_t pid;

	if (strcmp(j->reset, "-") != 0) {
		pid = start(reset, j->env, "/dev/null");
		if (waitpid(pid, &status, 0) == -1 || status != 0)
			errx(1, "%s: reset failed: %s", j->name, j->reset);
	}
	began = now();
	pid = (first ? start_apart : start)(j->argv, j->env, j->input);
	if (wait4(pid, &status, 0, &usage) == -1)
		err(1, "wait");
	ended = now();
	if (!WIFEXITED(status) || WEXITSTATUS(status) != j->status)
		errx(1, "%s: exited with %d, not with %d", j->name,
		    WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status), j->status);
	if (first)
		j->rss = usage.ru_maxrss;
	j->faults = usage.ru_minflt;
	return ended - began;
}

static int
by_value(const void *a, const void *b)
{
	const int64_t *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

int
main(int argc, char **argv)
{
	struct job *jobs = NULL;
	size_t count = 0, total = 0, *order, at = 0;
	long budget_ms = 300, least = 5, most = 1000, seed = 1;
	char *line = NULL;
	size_t room = 0;
	ssize_t len;
	int c;

	while ((c = getopt(argc, argv, "b:m:n:s:")) != -1) {
		switch (c) {
		case 'b':
			budget_ms = atol(optarg);
			break;
		case 'm':
			least = atol(optarg);
			break;
		case 'n':
			most = atol(optarg);
			break;
		case 's':
			seed = atol(optarg);
			break;
		default:
			errx(64, "usage: spawn [-b MS] [-m MIN] [-n MAX] [-s SEED] <cases");
		}
	}
	while ((len = getline(&line, &room, stdin)) > 0) {
		line[strcspn(line, "\n")] = '\0';
		if (*line == '\0' || *line == '#')
			continue;
		jobs = checked(reallocarray(jobs, count + 1, sizeof(*jobs)));
		memset(&jobs[count], 0, sizeof(jobs[count]));
		if (!job_read(&jobs[count], checked(strdup(line))))
			errx(64, "too few fields: %s", line);
		count++;
	}

	/* The first run fills the caches, the second determines the number of runs. */
	for (size_t i = 0; i < count; i++) {
		int64_t ns;
		long runs;

		job_run(&jobs[i], true);
		ns = job_run(&jobs[i], false);
		runs = (long)(budget_ms * INT64_C(1000000) / (ns + 1));
		runs = runs < least ? least : runs > most ? most : runs;
		jobs[i].runs = (size_t)runs;
		jobs[i].ns = checked(calloc(jobs[i].runs, sizeof(int64_t)));
		total += jobs[i].runs;
	}
	order = checked(calloc(total + 1, sizeof(*order)));
	for (size_t i = 0; i < count; i++)
		for (size_t k = 0; k < jobs[i].runs; k++)
			order[at++] = i;
	srandom((unsigned int)seed);
	for (size_t i = total; i > 1; i--) {
		size_t k = (size_t)random() % i, held = order[i - 1];

		order[i - 1] = order[k];
		order[k] = held;
	}
	for (size_t i = 0; i < total; i++) {
		struct job *j = &jobs[order[i]];

		j->ns[j->done++] = job_run(j, false);
	}
	for (size_t i = 0; i < count; i++) {
		struct job *j = &jobs[i];

		qsort(j->ns, j->runs, sizeof(*j->ns), by_value);
		printf("%s\t%zu\t%lld\t%lld\t%ld\t%ld\n", j->name, j->runs,
		    (long long)j->ns[j->runs / 2], (long long)j->ns[j->runs / 4], j->rss,
		    j->faults);
	}
	return 0;
}
