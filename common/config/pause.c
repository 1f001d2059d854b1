/*
 * Read and write the mark that refusals are paused.
 */
#include "config/pause.h"

#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#include "config/trust.h"
#include "sys/file.h"
#include "json/json-fields.h"

#define NAME "pause.json"

static const struct json_field fields[] = {
	JSON_FIELD("until", FIELD_NAME, struct pause, until),
	JSON_FIELD("reason", FIELD_NAME, struct pause, reason),
	JSON_FIELDS_END,
};

static void
pause_read(struct pause *p, const struct buf *text)
{
	struct error ignored;
	struct json j = { 0 };

	if (json_parse(&j, buf_text(text), text->len, &ignored) == 0 &&
	    json_kind(&j, JSON_ROOT) == JSON_OBJECT)
		json_fields_read(p, fields, &j, JSON_ROOT);
	json_free(&j);
}

bool
pause_now(struct pause *p, const char *config_dir)
{
	struct buf text = { 0 };
	struct error ignored;
	int64_t until, now = clock_wall_ms();
	int fd = trust_dir(config_dir, false, &ignored);

	*p = (struct pause){ 0 };
	if (fd == -1)
		return false;
	if (trust_read(fd, NAME, &text, &ignored) == 1)
		pause_read(p, &text);
	buf_free(&text);
	close(fd);
	if (p->until != NULL && p->reason != NULL && clock_parse_iso(p->until, &until) == 0 &&
	    until > now && until - now <= PAUSE_MAX_MS)
		return true;
	pause_free(p);
	return false;
}

void
pause_free(struct pause *p)
{
	json_fields_free(p, fields);
}

int
pause_begin(const char *config_dir, int64_t ms, const char *reason, struct error *e)
{
	struct json_object *o = out_object();
	struct buf b = { 0 };
	char until[CLOCK_ISO];
	int fd = trust_dir(config_dir, true, e), rc = -1;

	clock_iso_seconds(until, clock_wall_ms() + ms);
	out_string(o, "until", until);
	out_string(o, "reason", reason);
	out_pretty(&b, o);
	buf_putc(&b, '\n');
	if (fd != -1) {
		rc = file_replace(fd, NAME, b.data, b.len, 0600, DURABILITY_FILE, e);
		close(fd);
	}
	buf_free(&b);
	return rc == -1 ? -1 : 0;
}

int
pause_end(const char *config_dir, struct error *e)
{
	int fd = trust_dir(config_dir, false, e), rc = 1;

	if (fd == -1)
		return e->kind == ERROR_NOT_FOUND ? 0 : -1;
	if (unlinkat(fd, NAME, 0) == -1)
		rc = errno == ENOENT ? 0 : error_sys(e, "cannot remove 'task-hooks/" NAME "'");
	close(fd);
	return rc;
}
