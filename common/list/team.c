/*
 * A teammate in tmux is a client of its own, with a session of its own; its
 * list is the lead's.  Nothing in its tool events says so, so its process and
 * the team's config are used.
 *
 * A config that outlived its lead (SIGKILL) is ignored: pane numbers and
 * process ids are used again.
 */
#include "list/team.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "list/list.h"
#include "os/os.h"
#include "sys/dir.h"
#include "sys/file.h"
#include "json/json-fields.h"

#define ANCESTORS 4 /* hook, its shell, the client, and one to spare */
#define MEMBERS 500 /* more are not read */

/* The value of an option in a NUL-separated command line. */
static char *
option_of(const struct buf *line, const char *option)
{
	const char *p = line->data, *end = line->data + line->len;
	size_t len = strlen(option);

	for (; p < end; p += strlen(p) + 1) {
		if (strncmp(p, option, len) != 0)
			continue;
		if (p[len] == '=')
			return mem_string(p + len + 1);
		if (p[len] == '\0' && p + len + 1 < end)
			return mem_string(p + len + 1);
	}
	return NULL;
}

static bool
seat_from_process(struct team_seat *seat, pid_t pid)
{
	struct buf line = { 0 };

	if (os_process_words(pid, &line) &&
	    (seat->team = option_of(&line, "--team-name")) != NULL) {
		seat->name = option_of(&line, "--agent-name");
		seat->type = option_of(&line, "--agent-type");
	}
	buf_free(&line);
	return seat->team != NULL;
}

/* The client writes it in place, whenever a teammate begins or ends a turn: what is not JSON is
 * read again. */
static bool
read_team_config(int teamsfd, const char *team, struct buf *text, struct json *j)
{
	struct error err;
	size_t tries = 0;
	bool whole = false;
	int fd;

	if (!name_ok(team) || (fd = dir_open_at(teamsfd, team, false, 0, &err)) == -1)
		return false;
	while (file_read(fd, "config.json", 0, FILE_MAX, text, &err) == 1 &&
	       !(whole = json_parse(j, buf_text(text), text->len, &err) == 0) &&
	       clock_wait_again(&tries))
		;
	close(fd);
	return whole;
}

static json_ref
member_find(const struct json *j, const char *key, const char *value)
{
	json_ref members = json_member(j, JSON_ROOT, "members");

	if (json_kind(j, members) != JSON_ARRAY || value == NULL)
		return JSON_ABSENT;
	JSON_EACH (j, members, m)
		if (json_equals(j, json_member(j, m, key), value))
			return m;
	return JSON_ABSENT;
}

/* The process of the lead; 0 unknown, -1 it is gone. */
static int64_t
lead_process(const struct json *j)
{
	json_ref lead = json_member(j, JSON_ROOT, "leadProcess");
	int64_t pid = 0;

	if (json_int(j, json_member(j, lead, "pid"), &pid) == -1 || pid <= 0)
		return 0;
	return kill((pid_t)pid, 0) == -1 && errno == ESRCH ? -1 : pid;
}

static bool
seat_from_config(struct team_seat *seat, const char *team, const struct json *j,
    const char *session, const pid_t *pids)
{
	int64_t pid = lead_process(j);
	bool ours = false;
	json_ref m;
	int i;

	if (pid == -1)
		return false;
	if (session != NULL && json_equals(j, json_member(j, JSON_ROOT, "leadSessionId"), session))
		ours = true;
	for (i = 0; i < ANCESTORS && pid > 0; i++)
		ours |= pids[i] == pid;
	m = ours ? JSON_ABSENT : member_find(j, "tmuxPaneId", getenv("TMUX_PANE"));
	if (!ours && m == JSON_ABSENT)
		return false;
	seat->team = mem_string(team);
	if (m != JSON_ABSENT) {
		seat->name = json_member_string(j, m, "name");
		seat->type = json_member_string(j, m, "agentType");
	}
	return true;
}

void
team_seat_find(struct team_seat *seat, const char *config, const char *session)
{
	char *path = mem_printf("%s/teams", config);
	const char *given = getenv("CLAUDE_PID");
	pid_t pids[ANCESTORS] = { given != NULL ? (pid_t)strtol(given, NULL, 10) : 0 };
	struct buf text = { 0 };
	struct json j = { 0 };
	struct os_process p;
	struct dirent *e;
	DIR *dir = NULL;
	int i;

	memset(seat, 0, sizeof(*seat));
	if (pids[0] <= 1)
		pids[0] = getppid();
	for (i = 1; i < ANCESTORS && pids[i - 1] > 1 && os_process_read(pids[i - 1], &p) == 1; i++)
		pids[i] = p.parent;
	for (i = 0; i < ANCESTORS && pids[i] > 1; i++)
		if (seat_from_process(seat, pids[i]))
			goto out;
	if ((dir = opendir(path)) == NULL)
		goto out;
	while ((e = readdir(dir)) != NULL)
		if (read_team_config(dirfd(dir), e->d_name, &text, &j) &&
		    seat_from_config(seat, e->d_name, &j, session, pids))
			break;
out:
	if (dir != NULL)
		closedir(dir);
	free(path);
	json_free(&j);
	buf_free(&text);
}

void
team_seat_free(struct team_seat *seat)
{
	free(seat->team);
	free(seat->name);
	free(seat->type);
	memset(seat, 0, sizeof(*seat));
}

bool
team_name_ok(const char *s)
{
	size_t n;

	if (!isalnum((unsigned char)*s))
		return false;
	for (n = 0; s[n] != '\0'; n++)
		if (!isalnum((unsigned char)s[n]) && s[n] != '_' && s[n] != '-')
			return false;
	return n <= 64;
}

#define FIELD(key, kind, member) JSON_FIELD(key, kind, struct team_member, member)

static const struct json_field fields[] = {
	FIELD("agentId", FIELD_NAME, agent_id),
	FIELD("name", FIELD_NAME, name),
	FIELD("agentType", FIELD_NAME, type),
	FIELD("color", FIELD_NAME, color),
	FIELD("isActive", FIELD_BOOL, active),
	JSON_FIELDS_END,
};

static void
members_read(struct team *team, const struct json *j)
{
	json_ref lead = json_member(j, JSON_ROOT, "leadAgentId");
	json_ref members = json_member(j, JSON_ROOT, "members");
	struct team_member *m;

	team->lead_session = json_member_string(j, JSON_ROOT, "leadSessionId");
	team->over = lead_process(j) == -1;
	JSON_EACH (j, json_kind(j, members) == JSON_ARRAY ? members : JSON_ABSENT, at) {
		if (team->count == MEMBERS)
			break;
		team->item = mem_more(team->item, team->count, sizeof(*team->item));
		m = &team->item[team->count];
		memset(m, 0, sizeof(*m));
		json_fields_read(m, fields, j, at);
		m->lead = m->agent_id != NULL && json_equals(j, lead, m->agent_id);
		if (m->name != NULL && team_name_ok(m->name))
			team->count++;
		else
			json_fields_free(m, fields);
	}
}

bool
team_load(struct team *team, const char *config, const char *name)
{
	char *path = mem_printf("%s/teams", config);
	struct buf text = { 0 };
	struct json j = { 0 };
	bool found = false;
	int fd;

	memset(team, 0, sizeof(*team));
	if ((fd = os_open_dir(path)) != -1) {
		if ((found = read_team_config(fd, name, &text, &j)))
			members_read(team, &j);
		close(fd);
	}
	free(path);
	json_free(&j);
	buf_free(&text);
	return found;
}

bool
team_find(struct team *team, const char *config, const char *name, const char *session)
{
	struct team_seat seat;
	bool found = team_load(team, config, name);

	if (!found) {
		team_seat_find(&seat, config, session);
		found = seat.team != NULL && team_load(team, config, seat.team);
		team_seat_free(&seat);
	}
	return found;
}

void
team_free(struct team *team)
{
	for (size_t i = 0; i < team->count; i++)
		json_fields_free(&team->item[i], fields);
	free(team->item);
	free(team->lead_session);
	memset(team, 0, sizeof(*team));
}

bool
team_has_member(const char *config, const char *team, const char *name, char **type)
{
	struct team all;
	bool found = false;

	(void)team_load(&all, config, team);
	for (size_t i = 0; i < all.count && !found; i++) {
		found = strcmp(all.item[i].name, name) == 0;
		if (found && type != NULL)
			*type = mem_string(all.item[i].type);
	}
	team_free(&all);
	return found;
}
