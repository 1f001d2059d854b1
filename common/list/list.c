/*
 * The client tells its hooks the session, never the list.  Which list it uses
 * depends on its version (older ones do not trim the environment's value), on
 * its mode (a team's list in an interactive session of a team, else the
 * session's) and on an earlier /clear (.session-list), so we put the possible
 * names in order and take the first that exists.
 */
#include "list/list.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/text.h"
#include "list/list-part.h"
#include "list/team.h"
#include "os/os.h"
#include "sys/dir.h"
#include "sys/file.h"

#define REDIRECTS 8 /* .session-list files followed, one per /clear */

struct list_search {
	struct list *list;
	char *first, *first_why;
	bool refused; /* the first is there, but not a directory (a symbolic link) */
	int failed;   /* errno, if it is unknown whether a candidate is there */
};

char *
list_config_dir(struct error *err)
{
	const char *dir = getenv("CLAUDE_CONFIG_DIR"), *home = getenv("HOME");
	char *cwd, *path;

	if (dir == NULL || *dir == '\0') {
		if (home == NULL || *home == '\0') {
			error_set(err, ERROR_FAULT,
			    "neither CLAUDE_CONFIG_DIR nor HOME is set; set one to find the "
			    "task lists");
			return NULL;
		}
		return mem_join(home, "/.claude", NULL);
	}
	if (*dir == '/' || (cwd = getcwd(NULL, 0)) == NULL)
		return mem_string(dir);
	path = mem_join(cwd, "/", dir, NULL);
	free(cwd);
	return path;
}

/* Takes why.  True if the search is over. */
static bool
candidate(struct list_search *s, const char *name, char *why)
{
	struct stat st;
	bool there;
	char *path;

	if (s->list->name != NULL || s->failed != 0) {
		free(why);
		return true;
	}
	path = mem_join(s->list->config, "/tasks/", name, NULL);
	there = lstat(path, &st) == 0;
	if (!there && errno != ENOENT && errno != ENOTDIR && errno != ENAMETOOLONG)
		s->failed = errno;
	if (there && S_ISDIR(st.st_mode)) {
		s->list->exists = true;
		s->list->dir = path;
		s->list->name = mem_string(name);
		s->list->why = why;
		return true;
	}
	free(path);
	if (s->failed != 0) {
		free(why);
		return true;
	}
	if (s->first == NULL) {
		s->first = mem_string(name);
		s->first_why = why;
		s->refused = there;
	} else
		free(why);
	return false;
}

/* After a /clear in a team, the new session's directory has the name of the list. */
static char *
redirect_of(const struct list_search *s, const char *name)
{
	struct buf text = { 0 };
	struct error err;
	char *target = NULL, *clean;
	char *root = mem_printf("%s/tasks", s->list->config);
	int rootfd = os_open_dir(root), fd = -1;

	free(root);
	if (rootfd != -1) {
		fd = dir_open_at(rootfd, name, false, 0, &err);
		close(rootfd);
	}
	if (fd == -1)
		return NULL;
	if (file_read(fd, ".session-list", 0, 4096, &text, &err) == 1 && text.len > 0) {
		clean = list_trim(buf_text(&text));
		target = list_sanitise(clean);
		free(clean);
	}
	close(fd);
	buf_free(&text);
	if (target != NULL && (*target == '\0' || strcmp(target, name) == 0)) {
		free(target);
		target = NULL;
	}
	return target;
}

static bool
team_candidate(struct list_search *s, const char *raw, const char *why)
{
	char *name = list_sanitise(raw), *next;
	bool found, redirected = false;
	int hop;

	for (hop = 0; hop < REDIRECTS && (next = redirect_of(s, name)) != NULL; hop++) {
		free(name);
		name = next;
		redirected = true;
	}
	found = *name != '\0' &&
		candidate(
		    s, name, mem_printf("%s%s", why, redirected ? ", through .session-list" : ""));
	free(name);
	return found;
}

/* Interactive sessions of a team have its list from their start on; in print
 * mode the client ignores the switch. */
static bool
team_mode(void)
{
	const char *on = getenv("CLAUDE_CODE_EXPERIMENTAL_AGENT_TEAMS");
	const char *entry = getenv("CLAUDE_CODE_ENTRYPOINT");

	if (on == NULL || *on == '\0' || strcmp(on, "0") == 0 || strcasecmp(on, "false") == 0)
		return false;
	return entry == NULL || strncmp(entry, "sdk", 3) != 0;
}

static bool
session_team_candidate(struct list_search *s, const char *session)
{
	char *name;
	bool found;

	if (strlen(session) < 8)
		return false;
	name = mem_printf("session-%.8s", session);
	found = team_candidate(s, name, "the list of the session's team");
	free(name);
	return found;
}

static bool
session_candidate(struct list_search *s, const char *session)
{
	char *name = list_sanitise(session);
	bool found = candidate(s, name, mem_string("the session's id"));

	free(name);
	return found;
}

static bool
learnt_candidate(struct list_search *s, const char *session)
{
	char *name = list_learnt(s->list->config, session);
	bool found = name != NULL &&
		     candidate(s, name, mem_string("learnt from an earlier event of the session"));

	free(name);
	return found;
}

/* Is there something of this name that is not a directory? */
static bool
not_a_directory(const struct list_search *s, const char *name)
{
	char *path = mem_join(s->list->config, "/tasks/", name, NULL);
	struct stat st;
	bool there = lstat(path, &st) == 0 && !S_ISDIR(st.st_mode);

	free(path);
	return there;
}

static void
search_session(struct list_search *s, const struct list_query *q, const char *session)
{
	struct team_seat seat = { 0 };
	bool team = q->team_name != NULL || team_mode();

	if (q->team_name != NULL && *q->team_name != '\0' &&
	    team_candidate(s, q->team_name, "the event's team_name"))
		return;
	if (session == NULL || *session == '\0')
		return;
	if (!team && session_candidate(s, session))
		return;
	if (session_team_candidate(s, session) || learnt_candidate(s, session))
		return;
	/* A teammate in tmux; or the list has no task yet. */
	team_seat_find(&seat, s->list->config, session);
	if (seat.team != NULL && !team_candidate(s, seat.team, "the team of this process") &&
	    q->team_name == NULL) {
		free(s->first);
		free(s->first_why);
		s->first = list_sanitise(seat.team);
		s->first_why = mem_string("the team of this process");
		s->refused = not_a_directory(s, s->first);
	}
	team_seat_free(&seat);
	if (team)
		session_candidate(s, session);
}

/* "" after the trim counts as unset, as in newer clients; older ones do not trim. */
static bool
search_environment(struct list_search *s)
{
	const char *raw = getenv("CLAUDE_CODE_TASK_LIST_ID");
	char *trimmed, *name, *show;

	if (raw == NULL)
		return false;
	trimmed = list_trim(raw);
	if (*trimmed == '\0') {
		free(trimmed);
		return false;
	}
	name = list_sanitise(trimmed);
	show = text_shown(raw, 80);
	candidate(s, name, mem_join("CLAUDE_CODE_TASK_LIST_ID is '", show, "'", NULL));
	free(name);
	if (strcmp(trimmed, raw) != 0) {
		name = list_sanitise(raw);
		candidate(s, name,
		    mem_join("CLAUDE_CODE_TASK_LIST_ID is '", show, "', not trimmed", NULL));
		free(name);
	}
	free(trimmed);
	free(show);
	return true;
}

static void
search_settings(struct list_search *s, const struct list_query *q)
{
	char *file = text_shown(q->settings_file, PATH_MAX);

	candidate(s, q->settings, mem_join("no session; CLAUDE_CODE_TASK_LIST_ID in ", file, NULL));
	s->list->settings = true;
	free(file);
}

/* The .tasks of the working directory; a symbolic link is not followed. */
static int
search_folder(struct list_search *s, const char *cwd, const char *project, struct error *err)
{
	char *path = mem_join(cwd, "/.tasks", NULL);
	struct stat st;
	int rc = 0;

	if (lstat(path, &st) == 0 && S_ISDIR(st.st_mode)) {
		rc = list_find_dir(
		    s->list, path, mem_printf("since there is no list '%s'", project), err);
		s->list->nearby = rc == 0;
	}
	free(path);
	return rc;
}

static int
search_project(struct list_search *s, const struct list_query *q, struct error *err)
{
	char here[PATH_MAX], *raw, *name;
	const char *why, *cwd = q->cwd;
	int rc = 0;

	if (cwd == NULL || *cwd != '/')
		cwd = getcwd(here, sizeof(here)) != NULL ? here : "/";
	raw = list_project(cwd, &why);
	name = list_sanitise(raw);
	if (!candidate(s, name, mem_printf("no session; %s", why)) && !s->refused && q->folder)
		rc = search_folder(s, cwd, name, err);
	free(raw);
	free(name);
	return rc;
}

static int
search_done(struct list_search *s, struct error *err)
{
	if (s->failed != 0) {
		errno = s->failed;
		return error_sys(err, "cannot look for the list below '%s/tasks'", s->list->config);
	}
	if (s->list->name == NULL && s->first != NULL) {
		if (s->refused)
			return error_set(err, ERROR_REFUSED,
			    "the list '%s' is not a directory below '%s/tasks' (a symbolic link "
			    "is not followed)",
			    s->first, s->list->config);
		s->list->name = s->first;
		s->list->why = s->first_why;
		s->first = s->first_why = NULL;
	}
	if (s->list->name == NULL || *s->list->name == '\0')
		return error_set(err, ERROR_INPUT, "the name of a list cannot be empty");
	if (s->list->dir == NULL)
		s->list->dir = mem_join(s->list->config, "/tasks/", s->list->name, NULL);
	return 0;
}

int
list_find(struct list *list, const struct list_query *q, struct error *err)
{
	struct list_search s = { .list = list };
	const char *session =
	    q->session_id != NULL ? q->session_id : getenv("CLAUDE_CODE_SESSION_ID");
	char *trimmed, *name;
	int rc = 0;

	memset(list, 0, sizeof(*list));
	if ((list->config = list_config_dir(err)) == NULL)
		return -1;
	if (q->dir != NULL) {
		rc = list_find_dir(list, q->dir, mem_string("--dir"), err);
		goto out;
	}
	if (q->list != NULL) {
		trimmed = list_trim(q->list);
		name = list_sanitise(trimmed);
		candidate(&s, name, mem_string("--list"));
		free(trimmed);
		free(name);
	} else if (!search_environment(&s)) {
		search_session(&s, q, session);
		if (s.first == NULL && list->name == NULL && q->settings != NULL)
			search_settings(&s, q);
		else if (s.first == NULL && list->name == NULL)
			rc = search_project(&s, q, err);
	}
	if (rc == 0)
		rc = search_done(&s, err);
	free(s.first);
	free(s.first_why);
out:
	if (rc == -1)
		list_free(list);
	return rc;
}

void
list_free(struct list *list)
{
	free(list->config);
	free(list->name);
	free(list->dir);
	free(list->why);
	if (list->has_state)
		close(list->statefd);
	memset(list, 0, sizeof(*list));
}
