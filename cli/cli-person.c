/*
 * What only a person may do: is it one, and the record of each use.
 *
 * A variable can be removed from the environment, so the processes above are looked at too.  If
 * they cannot be seen, it is not known to be a person.  A process that was cut loose from them on
 * purpose still passes: it is found later, in the record.
 */
#include <sys/types.h>

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "commands.h"
#include "list/journal.h"
#include "os/os.h"
#include "sys/dir.h"

#define ABOVE 256 /* processes; whoever has more above is not taken for a person */
#define NAMED 8   /* of them are recorded */
#define TRIES 3   /* a process may end while those above are read */
#define RECORD "person.jsonl"

enum above {
	ABOVE_PERSON,
	ABOVE_AGENT,
	ABOVE_HIDDEN, /* the system does not show them */
	ABOVE_NONE,   /* none in this PID namespace, and no terminal */
};

static const char *
base_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash != NULL ? slash + 1 : path;
}

static bool
named_in(const char *name, const char *const *names, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (strcmp(name, names[i]) == 0)
			return true;
	return false;
}

const char *
cli_person_script(const struct buf *words)
{
	static const char *const interpreters[] = { "node", "nodejs", "bun", "deno" };
	static const char *const with_value[] = { "-r", "--require", "--import", "--loader",
		"--experimental-loader", "-C", "--conditions", "--env-file", "--title" };
	bool value = false;
	size_t at;

	if (!named_in(base_name(words->data), interpreters,
		sizeof(interpreters) / sizeof(interpreters[0])))
		return NULL;
	for (at = strlen(words->data) + 1; at < words->len; at += strlen(words->data + at) + 1) {
		const char *word = words->data + at;

		if (value || *word == '-' || strcmp(word, "run") == 0)
			value = !value && named_in(word, with_value,
					      sizeof(with_value) / sizeof(with_value[0]));
		else
			return word;
	}
	return NULL;
}

/* Is this file of the client's package, or does it have the client's name? */
static bool
is_claude_path(const char *path)
{
	return strstr(path, "/@anthropic-ai/claude-code") != NULL ||
	       strstr(path, "/claude/versions/") != NULL || strcmp(base_name(path), "claude") == 0;
}

static bool
is_claude_link(const char *path)
{
	char *real = realpath(path, NULL);
	bool is = real != NULL && is_claude_path(real);

	free(real);
	return is;
}

/* Is it Claude Code?  By its name, its program, or the script that it runs. */
static bool
is_claude(pid_t pid, const struct os_process *p)
{
	char path[PATH_MAX], *script = NULL;
	struct buf words = { 0 };
	const char *name;
	bool is = strcmp(p->name, "claude") == 0 ||
		  (os_process_program(pid, path) && is_claude_link(path));

	if (!is && os_process_words(pid, &words)) {
		is = strcmp(base_name(words.data), "claude") == 0;
		if (!is && (name = cli_person_script(&words)) != NULL) {
			if (*name == '/')
				script = mem_string(name);
			else if (os_process_cwd(pid, path))
				script = mem_printf("%s/%s", path, name);
			/* Where it is not known which file that is, it may be the client. */
			is = script == NULL || is_claude_path(name) || is_claude_link(script);
		}
	}
	buf_free(&words);
	free(script);
	return is;
}

static bool
has_terminal(void)
{
	int fd = open("/dev/tty", O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);

	if (fd != -1)
		close(fd);
	return fd != -1;
}

static enum above
look_up(void)
{
	pid_t pid = getppid();
	struct os_process p;

	if (pid == 0)
		return has_terminal() ? ABOVE_PERSON : ABOVE_NONE;
	for (int n = 0; pid > 0; n++) {
		if (os_process_read(pid, &p) != 1)
			return pid == 1 ? ABOVE_PERSON : ABOVE_HIDDEN;
		if (n == ABOVE || is_claude(pid, &p))
			return ABOVE_AGENT;
		pid = p.parent;
	}
	return ABOVE_PERSON;
}

static enum above
look_above(int *error)
{
	enum above found = ABOVE_HIDDEN;

	if (getenv("CLAUDECODE") != NULL)
		return ABOVE_AGENT;
	for (int n = 0; found == ABOVE_HIDDEN && n < TRIES && os_processes_shown(error); n++)
		found = look_up();
	return found;
}

bool
cli_by_agent(void)
{
	int ignored;

	return look_above(&ignored) != ABOVE_PERSON;
}

int
cli_person_only(struct cli *c, const char *what, const char *command)
{
	static const char *const why[] = { [ABOVE_AGENT] = "",
		[ABOVE_HIDDEN] = ", and /proc does not show all processes above this one (",
		[ABOVE_NONE] = ", and this is the first process of its PID namespace, without a "
			       "terminal (of a container: start it with one, such as docker -t)" };
	int error = 0;
	enum above above = look_above(&error);
	bool hidden = above == ABOVE_HIDDEN;

	return above == ABOVE_PERSON
		   ? EXIT_DONE
		   : cli_fail(c, EXIT_RULE,
			 "only a person may %s%s%s%s: ask the user to run %s in a terminal outside "
			 "Claude Code%s",
			 what, why[above],
			 !hidden      ? ""
			 : error != 0 ? strerror(error)
				      : "it is hidden, or of another PID namespace",
			 hidden ? ")" : "", command, hidden ? " where /proc shows them" : "");
}

struct json_object *
cli_person(void)
{
	struct json_object *o = out_object(), *above;
	const char *terminal = NULL;
	char *cwd = getcwd(NULL, 0);
	pid_t pid = getppid();
	struct os_process p;

	for (int fd = 0; fd < 3 && terminal == NULL; fd++)
		terminal = ttyname(fd);
	out_string(o, "user", cli_login_name());
	out_int(o, "uid", (int64_t)getuid());
	out_string(o, "cwd", cwd);
	out_string(o, "terminal", terminal != NULL ? terminal : "none");
	above = out_add(o, "above", out_array());
	for (int n = 0; n < NAMED && pid > 0 && os_process_read(pid, &p) == 1; n++) {
		out_push_string(above, p.name);
		pid = p.parent;
	}
	free(cwd);
	return o;
}

/* One line of a file beside trust.json. */
static int
record_beside(const char *event, const char *why, struct json_object *person, struct error *err)
{
	char *config = list_config_dir(err), *path, time[CLOCK_ISO];
	struct json_object *o = out_object();
	struct buf line = { 0 };
	int dirfd = -1, fd, rc = -1;

	clock_iso(time, clock_wall_ms());
	out_string(o, "time", time);
	out_string(o, "event", event);
	out_string(o, "why", why);
	out_add(o, "person", person);
	out_text(&line, o);
	buf_putc(&line, '\n');
	if (config != NULL) {
		path = mem_printf("%s/task-hooks", config);
		dirfd = dir_make(path, 0700, err);
		free(path);
	}
	if (dirfd != -1) {
		fd = openat(dirfd, RECORD,
		    O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0600);
		if (fd == -1)
			error_sys(err, "cannot open 'task-hooks/" RECORD "'");
		else {
			rc = file_write_all(fd, line.data, line.len, err);
			close(fd);
		}
		close(dirfd);
	}
	buf_free(&line);
	free(config);
	return rc;
}

void
cli_person_record(struct cli *c, const char *event, const char *why)
{
	struct list_query q = { .list = c->list_name, .dir = c->list_dir, .folder = true };
	struct journal_entry entry = { .event = event, .why = why };
	struct list list = { 0 };
	struct agent self;
	struct error err;
	int rc;

	if (cli_list_find(&list, q, &err) == 0 && list.exists) {
		cli_agent(c, &self);
		entry.agent = agent_owner(&self);
		entry.session = self.session;
		entry.extra = out_object();
		out_add(entry.extra, "person", cli_person());
		rc = journal_append(&list, DURABILITY_FILE, &entry, cli_deadline(), &err);
	} else
		rc = record_beside(event, why, cli_person(), &err);
	if (rc == -1)
		cli_note(c, "claude-tasks: this could not be recorded: %s", err.text);
	list_free(&list);
}
