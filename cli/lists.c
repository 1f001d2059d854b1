/*
 * lists: every list below {config}/tasks, its progress and its session.
 *
 * A list is named after a session (its id), a team (session- and the first
 * eight hex digits of the lead's session), or by a person.  The working directory
 * of a session is in its transcript, {config}/projects/<dir>/<session>.jsonl.
 */
#include <dirent.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/text.h"
#include "lists.h"
#include "registration.h"
#include "sys/dir.h"
#include "view.h"

struct row {
	char *name;
	struct view view;
	enum store_layout layout;
	int64_t changed_ms;
	char *cwd; /* of its session; NULL: unknown */
	const char *kind;
};

static bool
is_session_name(const char *s)
{
	static const char form[] = "xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx";

	for (size_t i = 0; i < sizeof(form); i++) {
		if (form[i] == 'x' ? strchr("0123456789abcdef", s[i]) == NULL || s[i] == '\0'
				   : s[i] != form[i])
			return false;
	}
	return true;
}

static bool
is_team_name(const char *s)
{
	return strncmp(s, "session-", 8) == 0 && strlen(s) == 16 &&
	       strspn(s + 8, "0123456789abcdef") == 8;
}

/* The first "cwd" in the beginning of a transcript. */
static char *
transcript_cwd(int dirfd, const char *name)
{
	char head[65536];
	const char *p, *end;
	struct json j = { 0 };
	struct error err;
	char *cwd = NULL;
	ssize_t n;
	int fd = openat(dirfd, name, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOFOLLOW);

	if (fd == -1)
		return NULL;
	n = read(fd, head, sizeof(head) - 1);
	close(fd);
	if (n <= 0)
		return NULL;
	head[n] = '\0';
	for (p = head; cwd == NULL && (end = strchr(p, '\n')) != NULL; p = end + 1)
		if (json_parse(&j, p, (size_t)(end - p), &err) == 0)
			cwd = json_member_string(&j, JSON_ROOT, "cwd");
	json_free(&j);
	return cwd;
}

/* The working directory of a session; prefix: only its first eight digits are known (a team). */
static char *
session_cwd(const char *config, const char *session, bool prefix)
{
	char *path = mem_printf("%s/projects", config), *cwd = NULL;
	char *name = mem_printf("%s.jsonl", session);
	struct dirent *project, *file;
	DIR *projects = opendir(path), *sub;

	while (projects != NULL && cwd == NULL && (project = readdir(projects)) != NULL) {
		if (project->d_name[0] == '.' ||
		    (sub = dir_read(dirfd(projects), project->d_name)) == NULL)
			continue;
		if (!prefix)
			cwd = transcript_cwd(dirfd(sub), name);
		while (prefix && cwd == NULL && (file = readdir(sub)) != NULL)
			if (strncmp(file->d_name, session, 8) == 0 &&
			    strstr(file->d_name, ".jsonl") != NULL)
				cwd = transcript_cwd(dirfd(sub), file->d_name);
		closedir(sub);
	}
	if (projects != NULL)
		closedir(projects);
	free(path);
	free(name);
	return cwd;
}

static int64_t
last_change(int dirfd)
{
	struct dirent *e;
	struct stat st;
	int64_t last = 0, ms;
	DIR *d = dir_read(dirfd, ".");

	if (d == NULL)
		return 0;
	while ((e = readdir(d)) != NULL) {
		if (strstr(e->d_name, ".json") == NULL ||
		    fstatat(dirfd, e->d_name, &st, AT_SYMLINK_NOFOLLOW) == -1)
			continue;
		ms = (int64_t)st.st_mtim.tv_sec * 1000 + st.st_mtim.tv_nsec / 1000000;
		if (ms > last)
			last = ms;
	}
	closedir(d);
	return last;
}

static int
row_load(struct cli *c, struct row *r, const char *name)
{
	char *dir = mem_printf("%s/tasks/%s", c->list.config, name);
	struct store store = STORE_INIT;
	struct task_set all = { 0 };
	struct error err;
	int rc = store_open(&store, dir, false, &err);

	free(dir);
	*r = (struct row){ .name = mem_string(name) };
	if (rc == 1 && store_load(&store, &all, &err) == 0) {
		view_of(&r->view, &all);
		r->layout = store.layout;
		r->changed_ms = last_change(store.dirfd);
		rc = 0;
	} else {
		if (rc == -1)
			cli_note(c, "claude-tasks: list '%s' cannot be read: %s", name, err.text);
		rc = -1;
	}
	store_close(&store);
	if (is_session_name(name)) {
		r->kind = "session";
		r->cwd = session_cwd(c->list.config, name, false);
	} else if (is_team_name(name)) {
		r->kind = "team";
		r->cwd = session_cwd(c->list.config, name + 8, true);
	} else {
		r->kind = "named";
	}
	return rc;
}

static void
row_free(struct row *r)
{
	view_free(&r->view);
	free(r->name);
	free(r->cwd);
}

static int
row_compare(const void *a, const void *b)
{
	const struct row *x = a, *y = b;

	return x->changed_ms < y->changed_ms   ? 1
	       : x->changed_ms > y->changed_ms ? -1
					       : strcmp(x->name, y->name);
}

static struct json_object *
row_json(const struct cli *c, const struct row *r)
{
	struct json_object *o = out_object();
	char iso[CLOCK_ISO];

	clock_iso(iso, r->changed_ms);
	out_string(o, "list", r->name);
	out_string(o, "kind", r->kind);
	out_string(o, "layout", store_layouts[r->layout]);
	out_int(o, "tasks", (int64_t)r->view.shown);
	out_int(o, "pending", (int64_t)r->view.pending);
	out_int(o, "in_progress", (int64_t)r->view.in_progress);
	out_int(o, "completed", (int64_t)r->view.completed);
	out_int(o, "cancelled", (int64_t)r->view.cancelled);
	out_string(o, "changed", r->changed_ms != 0 ? iso : NULL);
	out_string(o, "cwd", r->cwd);
	out_bool(o, "current", strcmp(r->name, c->list.name) == 0);
	if (strcmp(r->name, c->list.name) == 0)
		out_string(o, "why", c->list.why);
	return o;
}

static void
row_text(struct cli *c, const struct row *r, int name_width)
{
	struct buf name = { 0 };
	bool current = strcmp(r->name, c->list.name) == 0;
	int room;

	view_text(&name, r->name, 255);
	room = name_width - text_width(buf_text(&name)); /* negative: it is wider than the column */
	buf_printf(&c->out, "%s%s %s%*s%s  %zu/%zu done",
	    cli_paint(c, current ? PAINT_BOLD : PAINT_NONE), current ? "*" : " ", buf_text(&name),
	    room > 0 ? room : 0, "", cli_paint(c, current ? PAINT_OFF : PAINT_NONE),
	    r->view.completed, r->view.shown - r->view.cancelled);
	if (r->view.in_progress > 0)
		buf_printf(&c->out, ", %zu in progress", r->view.in_progress);
	if (r->view.cancelled > 0)
		buf_printf(&c->out, ", %zu cancelled", r->view.cancelled);
	buf_printf(&c->out, ", %s", store_layouts[r->layout]);
	if (r->changed_ms != 0) {
		buf_puts(&c->out, ", ");
		view_ago(&c->out, r->changed_ms);
	}
	if (r->cwd != NULL) {
		cli_print(c, ", %s in %.200s", r->kind, r->cwd);
	} else if (strcmp(r->kind, "named") != 0) {
		buf_printf(&c->out, ", of a %s", r->kind);
	}
	if (current)
		cli_print(c, " (%s)", c->list.why);
	buf_putc(&c->out, '\n');
	buf_free(&name);
}

int
lists_main(struct cli *c)
{
	struct strings names = { 0 };
	struct row *rows;
	struct json_object *all;
	struct error err;
	size_t count = 0;
	int width = 0, w;

	if (cli_find(c) == -1)
		return c->status;
	if (list_names(c->list.config, &names, &err) == -1)
		return cli_error(c, &err);
	all = c->json ? out_array() : NULL;
	rows = mem_grow(NULL, names.count + 1, sizeof(*rows));
	for (size_t i = 0; i < names.count; i++) {
		if (row_load(c, &rows[count], names.item[i]) == -1 ||
		    (rows[count].view.shown == 0 && !cli_flag(c, "all"))) {
			row_free(&rows[count]);
			continue;
		}
		w = text_width(names.item[i]);
		width = w > width && w <= 40 ? w : width;
		count++;
	}
	qsort(rows, count, sizeof(*rows), row_compare);
	for (size_t i = 0; i < count; i++) {
		if (all != NULL)
			out_push(all, row_json(c, &rows[i]));
		else
			row_text(c, &rows[i], width);
		row_free(&rows[i]);
	}
	if (all != NULL)
		cli_json(c, all);
	else if (count == 0)
		buf_printf(&c->out, "no lists with tasks in %s/tasks\n", c->list.config);
	lists_folder_hint(c);
	free(rows);
	strings_free(&names);
	return EXIT_DONE;
}

/* Do the settings or the environment name this list for sessions?  If the settings name another
 * one, `other` gets its name. */
static bool
is_shared(const struct list *list, char **other)
{
	const char *env = getenv(LIST_ID);
	char *trimmed = list_trim(env != NULL ? env : ""), *name = list_sanitise(trimmed);
	bool shared = strcmp(name, list->name) == 0;
	const struct registration_file *f;
	struct registration r;
	struct error err;

	free(trimmed);
	free(name);
	if (shared || registration_load(&r, &err) == -1)
		return true;
	if ((f = registration_list(&r)) != NULL) {
		shared = strcmp(f->list, list->name) == 0;
		*other = mem_string(f->list);
	}
	registration_free(&r);
	return shared;
}

void
lists_folder_hint(struct cli *c)
{
	struct stat st;

	if (c->list.nearby || c->list.foreign || lstat(".tasks", &st) == -1)
		return;
	if (S_ISDIR(st.st_mode))
		cli_note(
		    c, "claude-tasks: ./.tasks is another list: claude-tasks --dir .tasks list");
	else
		cli_note(c, "claude-tasks: ./.tasks is not used: it is %s",
		    S_ISLNK(st.st_mode) ? "a symbolic link (to use it: claude-tasks --dir .tasks)"
					: "not a directory");
}

/* Lists that Claude Code cannot read, whatever its settings say. */
static bool
unread_hint(struct cli *c)
{
	if (c->store.layout == STORE_NATIVE)
		return false;
	if (!list_state_has(&c->list, "sharing-told") && cli_tell_once(c, "sharing-told", "told"))
		cli_note(c,
		    "claude-tasks: no session of Claude Code sees %s.  To copy the tasks to a "
		    "list that it can use: claude-tasks --list NAME import %s",
		    c->store.layout == STORE_FOLDER ? "a .tasks folder" : "a tasks.json",
		    c->list.dir);
	return true;
}

void
lists_sharing_hint(struct cli *c)
{
	const struct list *list = &c->list;
	const char *session = getenv("CLAUDE_CODE_SESSION_ID");
	char *other = NULL;

	if ((session != NULL && *session != '\0') || unread_hint(c) || list->foreign ||
	    is_session_name(list->name) || is_team_name(list->name) ||
	    list_state_has(list, "sharing-told") || is_shared(list, &other) ||
	    !cli_tell_once(c, "sharing-told", "told"))
		goto out;
	if (other != NULL)
		cli_note(c,
		    "claude-tasks: no session sees list '%s': those of this project use '%s', as "
		    "does claude-tasks without --list",
		    list->name, other);
	else
		cli_note(c,
		    "claude-tasks: no session sees list '%s': each has its own.  To let the "
		    "sessions of this project use it: claude-tasks install --list %s",
		    list->name, list->name);
out:
	free(other);
}
