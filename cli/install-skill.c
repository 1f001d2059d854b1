/*
 * The skill: SKILL.md, a part of this program, copied to where the client finds it.
 *
 * The record of the copy has its hash: a file that was changed since, or that is not ours, is
 * neither replaced nor removed.
 */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/hash.h"
#include "install.h"
#include "os/os.h"
#include "settings/install-record.h"

OS_EMBED(skill_text, "settings-examples/skills/task-manager/SKILL.md");

struct skill_edit {
	struct install_record record;
	bool changed; /* made by someone else: keep it */
};

char *
install_skill_path(const struct registration *r, enum scope scope)
{
	return mem_join(scope == SCOPE_USER ? r->config : r->project,
	    scope == SCOPE_USER ? "" : "/.claude", "/skills/task-manager/SKILL.md", NULL);
}

/* Is this text what install wrote? */
static bool
is_recorded(const struct install_record *record, const char *text, size_t len)
{
	char hex[HASH_HEX];

	hash_text(text, len, hex);
	return strcmp(hex, record->after) == 0;
}

static int
edit_skill(void *arg, const char *text, size_t len, bool existed, struct buf *out, bool *remove,
    struct error *err)
{
	const struct skill_edit *e = arg;

	(void)remove;
	if (existed && strcmp(text, skill_text) != 0 && !is_recorded(&e->record, text, len))
		return error_set(err, ERROR_REFUSED,
		    "it has another text (remove it, then: claude-tasks install --skill)");
	buf_puts(out, skill_text);
	return 0;
}

static int
edit_no_skill(void *arg, const char *text, size_t len, bool existed, struct buf *out, bool *remove,
    struct error *err)
{
	struct skill_edit *e = arg;

	(void)err;
	e->changed = existed && !is_recorded(&e->record, text, len);
	*remove = existed && !e->changed;
	buf_add(out, text, len);
	return 0;
}

/* 1 changed, 0 not, -1. */
static int
run_edit(const struct registration *r, const char *path, bool install, struct skill_edit *e,
    struct error *err)
{
	struct settings_edit edit = { .fn = install ? edit_skill : edit_no_skill, .arg = e };
	struct install_record made = { 0 };
	struct lock lock = LOCK_INIT;
	int dirfd = -1, rc = install_record_lock(r->config, &lock, &dirfd, err), found = 0;

	if (rc != -1)
		found = install_record_load(r->config, path, &e->record, err);
	if (rc != -1)
		rc = install || found == 1 ? settings_edit(path, &edit, err) : 0;
	if (rc == 1 && install) {
		hash_text(skill_text, strlen(skill_text), made.after);
		rc = install_record_save(r->config, path, &made, err) == -1 ? -1 : 1;
	} else if (rc != -1 && !install && found == 1 &&
		   install_record_save(r->config, path, NULL, err) == -1) {
		rc = -1;
	}
	lock_release(&lock);
	if (dirfd != -1)
		close(dirfd);
	buf_free(&edit.before);
	install_record_free(&e->record);
	return rc;
}

/* Would run_edit() write it?  As run_edit(), but nothing is written. */
static int
preview(const struct registration *r, const char *path, struct skill_edit *e, struct error *err)
{
	struct buf text = { 0 }, out = { 0 };
	bool remove;
	int rc = settings_read(path, &text, err);

	if (rc != -1) {
		(void)install_record_load(r->config, path, &e->record, &(struct error){ 0 });
		rc = edit_skill(e, buf_text(&text), text.len, rc == 1, &out, &remove, err);
	}
	if (rc == 0)
		rc = strcmp(buf_text(&text), skill_text) != 0;
	install_record_free(&e->record);
	buf_free(&text);
	buf_free(&out);
	return rc;
}

int
install_skill(struct cli *c, const struct registration *r, enum scope scope, bool dry)
{
	char *path = install_skill_path(r, scope);
	struct skill_edit e = { 0 };
	struct error err;
	int rc = dry ? preview(r, path, &e, &err) : run_edit(r, path, true, &e, &err);

	if (rc == -1)
		cli_fail(c, cli_status(err.kind), "%s is unchanged: %s", path, err.text);
	else if (!c->json)
		cli_print(c, "%s%s: %s\n", dry && rc == 1 ? "would change " : "", path,
		    rc == 1 ? "skill installed" : "nothing to do");
	free(path);
	return rc == -1 ? c->status : EXIT_DONE;
}

int
install_skill_remove(struct cli *c, const struct registration *r, enum scope scope, bool dry)
{
	char *path = install_skill_path(r, scope), *slash;
	enum skill_state state = install_skill_state(r, scope);
	struct skill_edit e = { 0 };
	struct error err;
	int rc = dry ? 0 : run_edit(r, path, false, &e, &err);

	if (dry && !c->json && (state == SKILL_CURRENT || state == SKILL_OLD))
		cli_print(c, "would change %s: skill removed\n", path);
	if (rc == -1)
		cli_fail(c, cli_status(err.kind), "%s is unchanged: %s", path, err.text);
	else if (e.changed)
		cli_note(c,
		    "claude-tasks: %s was changed since install, and is kept (remove it if you do "
		    "not want it)",
		    path);
	if (rc == 1 && !c->json)
		cli_print(c, "%s: skill removed\n", path);
	/* The directories that are empty now: task-manager and skills. */
	for (int i = 0; i < 2 && rc == 1 && (slash = strrchr(path, '/')) != NULL; i++) {
		*slash = '\0';
		if (rmdir(path) == -1)
			break;
	}
	free(path);
	return rc == -1 ? c->status : EXIT_DONE;
}

enum skill_state
install_skill_state(const struct registration *r, enum scope scope)
{
	char *path = install_skill_path(r, scope);
	struct install_record record;
	struct buf text = { 0 };
	struct error err;
	enum skill_state state = SKILL_NONE;

	if (install_record_load(r->config, path, &record, &err) == 1) {
		if (settings_read(path, &text, &err) != 1)
			state = SKILL_MISSING;
		else if (strcmp(buf_text(&text), skill_text) == 0)
			state = SKILL_CURRENT;
		else if (is_recorded(&record, text.data, text.len))
			state = SKILL_OLD;
	}
	install_record_free(&record);
	buf_free(&text);
	free(path);
	return state;
}
