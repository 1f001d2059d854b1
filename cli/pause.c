/*
 * pause: refusals of the hooks are warnings for a while.
 */
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "commands.h"
#include "config/pause.h"

/* "30m" in milliseconds; -1 after cli_misuse(). */
static int64_t
pause_length(struct cli *c, const char *text)
{
	static const struct {
		char unit;
		int64_t ms;
	} units[] = { { 's', 1000 }, { 'm', 60000 }, { 'h', 3600000 } };
	size_t len = strlen(text);
	int64_t n = 0, ms = 0;

	for (size_t i = 0; len > 1 && i < sizeof(units) / sizeof(units[0]); i++)
		if (text[len - 1] == units[i].unit)
			ms = units[i].ms;
	if (ms > 0) {
		char *number = mem_copy(text, len - 1);

		if (!text_number(number, 1, PAUSE_MAX_MS / ms, &n))
			n = 0;
		free(number);
	}
	if (n == 0)
		return cli_misuse(c,
			   "--for takes a time like 90s, 30m or 2h, at most 24h, not '%s'", text),
		       -1;
	return n * ms;
}

static int
pause_show(struct cli *c, const char *dir)
{
	struct json_object *o;
	struct pause p;
	bool now = pause_now(&p, dir);

	if (c->json) {
		o = out_object();
		out_bool(o, "paused", now);
		out_string(o, "until", p.until);
		out_string(o, "reason", p.reason);
		cli_json(c, o);
	} else if (now)
		cli_print(c, "refusals are paused until %s: %.500s\n", p.until, p.reason);
	else
		buf_puts(&c->out, "refusals are not paused\n");
	pause_free(&p);
	return EXIT_DONE;
}

static int
pause_start(struct cli *c, const char *dir)
{
	const char *reason = cli_value(c, "reason");
	struct error err;
	int64_t ms;

	if (reason == NULL || *reason == '\0')
		return cli_misuse(c, "'pause --for' needs --reason TEXT");
	if ((ms = pause_length(c, cli_value(c, "for"))) == -1)
		return c->status;
	if (cli_person_only(c, "pause the refusals", "'claude-tasks pause'") != EXIT_DONE)
		return c->status;
	if (pause_begin(dir, ms, reason, &err) == -1)
		return cli_error(c, &err);
	cli_person_record(c, "pause", reason);
	return pause_show(c, dir);
}

static int
pause_stop(struct cli *c, const char *dir)
{
	struct error err;
	int rc;

	if (cli_flag(c, "for") || cli_flag(c, "reason"))
		return cli_misuse(c, "'pause --end' takes no other option");
	if (cli_person_only(c, "end the pause", "'claude-tasks pause --end'") != EXIT_DONE)
		return c->status;
	if ((rc = pause_end(dir, &err)) == -1)
		return cli_error(c, &err);
	if (rc == 1)
		cli_person_record(c, "resume", "the pause was ended");
	return pause_show(c, dir);
}

int
pause_main(struct cli *c)
{
	struct error err;
	char *dir = list_config_dir(&err);
	int status;

	if (dir == NULL)
		return cli_error(c, &err);
	if (cli_flag(c, "end"))
		status = pause_stop(c, dir);
	else if (cli_flag(c, "for"))
		status = pause_start(c, dir);
	else if (cli_flag(c, "reason"))
		status = cli_misuse(c, "'--reason' is for 'pause --for TIME'");
	else
		status = pause_show(c, dir);
	free(dir);
	return status;
}
