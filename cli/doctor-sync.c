/*
 * The sync commands: the last failure of each, unless it has succeeded since.
 */
#include <stdlib.h>
#include <string.h>

#include "doctor.h"
#include "hook/mirror.h"
#include "list/journal.h"

struct sync_failure {
	char *time, *why;
};

struct failures {
	const struct config *config;
	struct sync_failure *of; /* the last one of each command; why NULL: none */
};

static int
keep_failure(void *arg, const struct json *j, const char *line, size_t len)
{
	struct failures *all = arg;
	json_ref command = json_member(j, JSON_ROOT, "command");

	(void)line;
	(void)len;
	if (!json_equals(j, json_member(j, JSON_ROOT, "event"), MIRROR_FAILED))
		return 0;
	for (size_t i = 0; i < all->config->mirror_count; i++) {
		if (!json_equals(j, command, all->config->mirror[i].name))
			continue;
		free(all->of[i].time);
		free(all->of[i].why);
		all->of[i].time = json_member_string(j, JSON_ROOT, "time");
		all->of[i].why = json_member_string(j, JSON_ROOT, "why");
	}
	return 0;
}

/* How to run it as the hooks do. */
static char *
sync_fix(const struct doctor *d, const struct config_mirror *s)
{
	char *option = cli_list_option(d->c);
	struct buf b = { 0 };

	buf_printf(&b, "correct it, and try: claude-tasks%s export |", option);
	for (size_t i = 0; i < s->argv.count; i++) {
		buf_putc(&b, ' ');
		settings_shell_word(&b, s->argv.item[i]);
	}
	free(option);
	return buf_take(&b);
}

static void
report(struct doctor *d, int state, const struct config_mirror *s, const struct sync_failure *f)
{
	int64_t failed = 0;

	if (f->why == NULL || f->time == NULL || clock_parse_iso(f->time, &failed) == -1 ||
	    mirror_succeeded_ms(state, s) >= failed)
		return;
	doctor_add(d, "hooks.sync-failed", LEVEL_WARNING,
	    mem_printf("sync command '%s' failed at %s: %s", s->name, f->time, f->why),
	    "it has not seen the latest state of the list; the next change runs it again",
	    sync_fix(d, s));
}

void
doctor_sync(struct doctor *d, const struct config *config)
{
	struct failures all = { .config = config };
	struct error err;
	int state = list_state(&d->c->list, false, &err);

	doctor_checked(d, "hooks.sync-failed");
	if (config->mirror_count == 0 || state == -1)
		return;
	all.of = mem_alloc(config->mirror_count * sizeof(*all.of));
	memset(all.of, 0, config->mirror_count * sizeof(*all.of));
	(void)journal_read(state, keep_failure, &all, &err);
	for (size_t i = 0; i < config->mirror_count; i++) {
		report(d, state, &config->mirror[i], &all.of[i]);
		free(all.of[i].time);
		free(all.of[i].why);
	}
	free(all.of);
}
