#include "doctor.h"

#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "base/clock.h"
#include "settings/programs.h"
#include "sys/dir.h"
#include "sys/file.h"
#include "version.h"

void
doctor_checked(struct doctor *d, const char *check)
{
	strings_add(&d->checked, check);
}

struct finding *
doctor_add(
    struct doctor *d, const char *check, enum level level, char *what, const char *why, char *fix)
{
	struct finding *f;

	d->finding = mem_grow(d->finding, d->count + 1, sizeof(*d->finding));
	f = &d->finding[d->count++];
	*f = (struct finding){ check, level, what, mem_string(why), fix, NULL };
	return f;
}

int
doctor_backup(struct doctor *d, const char *name, const void *data, size_t len, struct error *err)
{
	char stamp[CLOCK_ISO];
	int fd, rc;

	if (d->backup == NULL) {
		clock_iso_seconds(stamp, clock_wall_ms());
		for (char *p = stamp; *p != '\0'; p++)
			if (*p == ':')
				*p = '-';
		d->backup = mem_printf(
		    "%s/task-hooks/%s/backup-%s", d->c->list.config, d->c->list.name, stamp);
		/* Make the state directory first: this checks its mode and owner. */
		if (list_state(&d->c->list, true, err) == -1)
			return -1;
	}
	fd = dir_make(d->backup, 0700, err);
	if (fd == -1)
		return -1;
	rc = file_replace(fd, name, data, len, 0600, DURABILITY_FILE, err);
	close(fd);
	return rc;
}

static const char *
level_name(enum level l)
{
	return l == LEVEL_PROBLEM ? "problem" : l == LEVEL_WARNING ? "warning" : "note";
}

static int
worst_level(const struct doctor *d)
{
	int w = -1;

	for (size_t i = 0; i < d->count; i++)
		if (d->finding[i].did == NULL && (int)d->finding[i].level > w)
			w = (int)d->finding[i].level;
	return w;
}

static void
report_json(struct doctor *d)
{
	struct json_object *o = out_object(), *all, *f, *list;
	struct cli *c = d->c;
	struct utsname u;

	version_describe(o);
	out_string(o, "client", d->client);
	if (uname(&u) == 0) {
		char *system = mem_printf("%s %s %s", u.sysname, u.release, u.machine);

		out_string(o, "system", system);
		free(system);
	}
	list = out_add(o, "list", out_object());
	out_string(list, "name", c->list.name);
	out_string(list, "why", c->list.why);
	out_string(list, "dir", c->list.dir);
	out_int(list, "tasks", (int64_t)d->view.shown);
	out_bool(o, "healthy", worst_level(d) < (int)LEVEL_WARNING);
	out_strings(o, "checked", &d->checked);
	all = out_add(o, "findings", out_array());
	for (size_t i = 0; i < d->count; i++) {
		f = out_push(all, out_object());
		out_string(f, "check", d->finding[i].check);
		out_string(f, "level", level_name(d->finding[i].level));
		out_string(f, "what", d->finding[i].what);
		out_string(f, "why", d->finding[i].why);
		out_string(f, "fix", d->finding[i].fix);
		out_string(f, "did", d->finding[i].did);
	}
	out_string(o, "backup", d->backup);
	cli_json(c, o);
}

static void
finding_line(struct cli *c, const char *label, const char *text)
{
	if (text != NULL)
		cli_print(c, "    %s%s\n", label, text);
}

static void
report_text(struct doctor *d)
{
	struct cli *c = d->c;
	char *list = cli_list_shown(c), *bin = programs_bin(d->registration.config);
	size_t left = 0, repaired = 0;

	for (size_t i = 0; i < d->count; i++) {
		const struct finding *f = &d->finding[i];
		enum paint colour = f->did != NULL              ? PAINT_GREEN
				    : f->level == LEVEL_PROBLEM ? PAINT_RED
				    : f->level == LEVEL_WARNING ? PAINT_YELLOW
								: PAINT_DIM;

		buf_printf(&c->out, "%s%s%s", cli_paint(c, colour),
		    f->did != NULL ? "fixed" : level_name(f->level), cli_paint(c, PAINT_OFF));
		cli_print(c, " %s: %s\n", f->check, f->what);
		finding_line(c, "", f->why);
		if (f->did != NULL)
			finding_line(c, "did: ", f->did);
		else
			finding_line(c, "fix: ", f->fix);
		repaired += f->did != NULL;
		left += f->did == NULL && f->level != LEVEL_NOTE;
	}
	if (d->backup != NULL)
		buf_printf(&c->out, "backup of the changed files: %s\n", d->backup);
	buf_printf(
	    &c->out, "%zu checks, %zu problem%s", d->checked.count, left, left == 1 ? "" : "s");
	if (repaired > 0)
		buf_printf(&c->out, ", %zu fixed", repaired);
	cli_print(c, " (%s: %s)\n", list, c->list.why);
	if (programs_there(d->registration.config))
		cli_print(c, "to remove everything: %s/claude-tasks uninstall --purge\n", bin);
	free(bin);
	free(list);
}

/* No message if the tasks cannot be read: that is a finding of store.invisible. */
static int
open_list(struct doctor *d)
{
	struct task_set all = { 0 };
	struct error ignored;

	if (cli_open(d->c, false) == -1 && d->c->list.name == NULL)
		return -1;
	if (d->c->store.dirfd != -1 && store_load(&d->c->store, &all, &ignored) == -1)
		task_set_free(&all);
	view_of(&d->view, &all);
	return 0;
}

int
doctor_main(struct cli *c)
{
	struct doctor d = { .c = c, .fix = cli_flag(c, "fix") };
	struct error err;
	int status;

	if (open_list(&d) == -1)
		return c->status;
	if (registration_load(&d.registration, &err) == -1)
		return cli_error(c, &err);
	d.client = client_version(cli_value(c, "client"));
	doctor_store(&d);
	doctor_state(&d);
	doctor_registration(&d);
	doctor_client(&d);
	doctor_gates(&d);
	if (!cli_flag(c, "no-selftest"))
		doctor_selftest(&d);
	(c->json ? report_json : report_text)(&d);
	status = worst_level(&d) >= (int)LEVEL_WARNING ? EXIT_FINDINGS : EXIT_DONE;
	for (size_t i = 0; i < d.count; i++) {
		free(d.finding[i].what);
		free(d.finding[i].why);
		free(d.finding[i].fix);
		free(d.finding[i].did);
	}
	free(d.finding);
	free(d.client);
	free(d.backup);
	strings_free(&d.checked);
	view_free(&d.view);
	registration_free(&d.registration);
	return status;
}
