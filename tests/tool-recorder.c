/*
 * tool-recorder: a hook that records every event and answers by rules, for
 * tests/e2e.
 *
 *	E2E_LOG		the log: each event, unchanged, in one line;
 *			$E2E_LOG.env has the variables of the client
 *	E2E_RULES	a JSON list of rules, read for every event. The first
 *			whose `on` is the event (and `tool` the tool, and
 *			`times` not yet used up) answers:
 *	{ on, tool, times, stdout, stderr, code, hold }
 *			`stdout` may be an object (printed as JSON);
 *			`hold` names a file: no answer until it exists.
 *
 * Without a rule the recorder passes without output.
 */
#include <ctype.h>
#include <err.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "sys/file.h"
#include "json/json-print.h"
#include "json/out.h"

#define TEXT_MAX ((size_t)64 << 20)

static const char *
variable(const char *name)
{
	const char *value = getenv(name);

	if (value == NULL)
		errx(1, "%s is not set", name);
	return value;
}

static void
write_all(int fd, const char *bytes, size_t len)
{
	ssize_t n;

	for (; len > 0; bytes += n, len -= (size_t)n)
		if ((n = write(fd, bytes, len)) == -1)
			err(1, "write");
}

/* One write, so that the lines of two events do not mix. */
static void
append(const char *path, const struct buf *line)
{
	int fd = open(path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0644);

	if (fd == -1)
		err(1, "%s", path);
	write_all(fd, line->data, line->len);
	close(fd);
}

static void
parse(struct json *j, const char *text, size_t len)
{
	struct error e;

	if (json_parse(j, text, len, &e) == -1)
		errx(1, "%s", e.text);
}

/* The variables of the client, except for its secret. */
static struct json_object *
client_variables(void)
{
	struct json_object *env = out_object();

	for (char **at = environ; *at != NULL; at++) {
		char *name = mem_string(*at);

		name[strcspn(name, "=")] = '\0';
		if (strncmp(name, "CLAUDE", 6) == 0 && strstr(name, "TOKEN") == NULL)
			out_string(env, name, getenv(name));
		free(name);
	}
	return env;
}

static void
record(const struct json *event, const struct buf *text)
{
	struct json_object *side = out_object();
	char *name = json_member_string(event, JSON_ROOT, "hook_event_name");
	char *cwd = getcwd(NULL, 0);
	struct buf path = { 0 }, line = { 0 };
	size_t len = text->len;

	out_string(side, "event", name);
	out_add(side, "env", client_variables());
	out_string(side, "cwd", cwd);
	out_bool(side, "newline", len > 0 && text->data[len - 1] == '\n');
	out_text(&line, side);
	buf_putc(&line, '\n');
	buf_printf(&path, "%s.env", variable("E2E_LOG"));
	append(path.data, &line);

	while (len > 0 && isspace((unsigned char)text->data[len - 1]))
		len--;
	buf_reset(&line);
	buf_add(&line, text->data, len);
	buf_putc(&line, '\n');
	append(variable("E2E_LOG"), &line);
	buf_free(&line);
	buf_free(&path);
	free(cwd);
	free(name);
}

static bool
fits(const struct json *rules, json_ref rule, const struct json *event)
{
	char *on = json_member_string(rules, rule, "on");
	char *tool = json_member_string(rules, rule, "tool");
	bool yes =
	    on != NULL &&
	    json_equals(event, json_member(event, JSON_ROOT, "hook_event_name"), on) &&
	    (tool == NULL || json_equals(event, json_member(event, JSON_ROOT, "tool_name"), tool));

	free(tool);
	free(on);
	return yes;
}

/* The number of events in the log, this one too, that the rule fits. */
static int64_t
seen(const struct json *rules, json_ref rule)
{
	struct buf log = { 0 };
	struct json event = { 0 };
	struct error e;
	int64_t n = 0;

	if (file_read_path(variable("E2E_LOG"), TEXT_MAX, &log, &e) != 1)
		errx(1, "%s", e.text);
	for (const char *line = log.data, *end; (end = strchr(line, '\n')) != NULL;
	     line = end + 1) {
		if (end == line)
			continue;
		parse(&event, line, (size_t)(end - line));
		n += fits(rules, rule, &event);
	}
	json_free(&event);
	buf_free(&log);
	return n;
}

static int
answer(const struct json *rules, json_ref rule)
{
	json_ref out = json_member(rules, rule, "stdout");
	char *hold = json_member_string(rules, rule, "hold");
	char *stderr_text = json_member_string(rules, rule, "stderr");
	struct buf text = { 0 };
	int64_t code = 0;

	while (hold != NULL && access(hold, F_OK) == -1)
		nanosleep(&(struct timespec){ .tv_nsec = 20000000 }, NULL);
	if (json_kind(rules, out) == JSON_STRING) {
		char *s = json_string(rules, out);

		buf_puts(&text, s);
		free(s);
	} else if (out != JSON_ABSENT)
		json_print(&text, rules, out, 0, 0);
	write_all(STDOUT_FILENO, buf_text(&text), text.len);
	if (stderr_text != NULL)
		write_all(STDERR_FILENO, stderr_text, strlen(stderr_text));
	json_int(rules, json_member(rules, rule, "code"), &code);
	buf_free(&text);
	free(stderr_text);
	free(hold);
	return (int)code;
}

int
main(void)
{
	struct buf text = { 0 }, rules_text = { 0 };
	struct json event = { 0 }, rules = { 0 };
	struct error e;
	int status = 0;

	if (file_read_fd(STDIN_FILENO, TEXT_MAX, &text, &e) == -1)
		errx(1, "%s", e.text);
	parse(&event, buf_text(&text), text.len);
	record(&event, &text);
	if (file_read_path(variable("E2E_RULES"), TEXT_MAX, &rules_text, &e) != 1)
		errx(1, "%s", e.text);
	parse(&rules, rules_text.data, rules_text.len);
	JSON_EACH (&rules, JSON_ROOT, rule) {
		int64_t times;

		if (!fits(&rules, rule, &event) ||
		    (json_int(&rules, json_member(&rules, rule, "times"), &times) == 0 &&
			seen(&rules, rule) > times))
			continue;
		status = answer(&rules, rule);
		break;
	}
	json_free(&rules);
	json_free(&event);
	buf_free(&rules_text);
	buf_free(&text);
	return status;
}
