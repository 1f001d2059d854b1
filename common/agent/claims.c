/*
 * claims.json, the record of who has claimed what.
 *
 * The file is replaced whole under a lock of its own (claims.json.lock), which
 * is taken after the list's where both are held.  It is not synced: after a
 * power cut all processes that it names are gone.
 */
#include "agent/claims.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "agent/claim-part.h"
#include "sys/file.h"
#include "sys/process.h"
#include "json/json-fields.h"

#define LEDGER "claims.json"

#define FIELD(key, kind, member) JSON_FIELD(key, kind, struct claim, member)

static const struct json_field fields[] = {
	FIELD("task", FIELD_STRING, task),
	FIELD("agent_id", FIELD_STRING, agent_id),
	FIELD("agent_type", FIELD_STRING, agent_type),
	FIELD("name", FIELD_STRING, name),
	FIELD("session", FIELD_STRING, session),
	FIELD("owner", FIELD_STRING, owner),
	FIELD("tool_use_id", FIELD_STRING, tool_use_id),
	FIELD("transcript", FIELD_STRING, transcript),
	FIELD("pid", FIELD_INT, pid),
	FIELD("pid_start", FIELD_INT, pid_start),
	FIELD("space", FIELD_STRING, space),
	FIELD("time_ms", FIELD_INT, time_ms),
	FIELD("settled", FIELD_BOOL, settled),
	FIELD("gate_hash", FIELD_STRING, gate_file_hash),
	FIELD("head", FIELD_STRING, head),
	JSON_FIELDS_END,
};

void
claims_free(struct claims *claims)
{
	size_t i;

	for (i = 0; i < claims->count; i++)
		json_fields_free(&claims->item[i], fields);
	free(claims->item);
	claims_unlock(claims);
	memset(claims, 0, sizeof(*claims));
}

void
claims_move(struct claims *to, struct claims *from)
{
	claims_free(to);
	to->item = from->item;
	to->count = from->count;
	from->item = NULL;
	from->count = 0;
	claims_free(from);
}

void
claims_drop(struct claims *claims, size_t index)
{
	json_fields_free(&claims->item[index], fields);
	claims->count--;
	memmove(&claims->item[index], &claims->item[index + 1],
	    (claims->count - index) * sizeof(claims->item[0]));
}

struct claim *
claims_add(struct claims *claims)
{
	struct claim *c;

	claims->item = mem_more(claims->item, claims->count, sizeof(claims->item[0]));
	c = &claims->item[claims->count++];
	memset(c, 0, sizeof(*c));
	return c;
}

const struct claim *
claims_find(const struct claims *claims, const char *task)
{
	size_t i;

	for (i = 0; i < claims->count; i++)
		if (strcmp(claims->item[i].task, task) == 0)
			return &claims->item[i];
	return NULL;
}

/* Written before the last boot, so every process in it is gone. */
static bool
from_before(const struct list *list)
{
	struct error ignored;
	struct stat st;

	return fstatat(list_state(list, false, &ignored), LEDGER, &st, AT_SYMLINK_NOFOLLOW) == 0 &&
	       (int64_t)st.st_mtim.tv_sec < clock_boot_s();
}

static int
ledger_parse(
    const struct list *list, const struct buf *text, struct claims *claims, struct error *err)
{
	struct json j = { 0 };
	json_ref array;
	int rc = json_parse(&j, buf_text(text), text->len, err);

	array = rc == 0 ? json_member(&j, JSON_ROOT, "claims") : JSON_ABSENT;
	if (rc == 0 && json_kind(&j, array) != JSON_ARRAY)
		rc = error_set(err, ERROR_INPUT, "it has no array 'claims'");
	JSON_EACH (&j, rc == 0 ? array : JSON_ABSENT, ref) {
		json_fields_read(claims_add(claims), fields, &j, ref);
		if (claims->item[claims->count - 1].task == NULL)
			claims_drop(claims, claims->count - 1);
	}
	json_free(&j);
	if (rc == -1 && from_before(list))
		rc = 0;
	else if (rc == -1)
		error_prefix(
		    err, "the record of claims, %s, is damaged (remove the file to go on)", LEDGER);
	return rc;
}

int
claims_load(const struct list *list, struct claims *claims, struct error *err)
{
	struct buf text = { 0 };
	int rc = list_state_read(list, LEDGER, &text, err);

	memset(claims, 0, sizeof(*claims));
	if (rc == 1)
		rc = ledger_parse(list, &text, claims, err);
	buf_free(&text);
	return rc;
}

int
claims_save(struct claims *claims, struct error *err)
{
	struct json_object *root, *array;
	struct buf text = { 0 };
	size_t i;
	int rc, fd = list_state(claims->list, true, err);

	if (fd == -1)
		return -1;
	if (claims->count == 0) {
		if (unlinkat(fd, LEDGER, 0) == -1 && errno != ENOENT)
			return error_sys(err, "cannot remove %s", LEDGER);
		return 0;
	}
	root = out_object();
	array = out_add(root, "claims", out_array());
	for (i = 0; i < claims->count; i++)
		out_fields(out_push(array, out_object()), &claims->item[i], fields);
	out_pretty(&text, root);
	rc = file_replace(fd, LEDGER, text.data, text.len, 0600, DURABILITY_OFF, err);
	buf_free(&text);
	return rc;
}

int
claims_lock(
    const struct list *list, struct claims *claims, struct deadline deadline, struct error *err)
{
	struct buf text = { 0 };
	int rc, fd = list_state(list, true, err);

	*claims = (struct claims){ .list = list, .lock = LOCK_INIT };
	if (fd == -1 || lock_own(&claims->lock, fd, LEDGER ".lock", deadline, err) == -1)
		return -1;
	claims->locked = true;
	if ((rc = list_state_read(list, LEDGER, &text, err)) == 1)
		rc = ledger_parse(list, &text, claims, err);
	buf_free(&text);
	if (rc == -1)
		claims_free(claims);
	return rc;
}

void
claims_unlock(struct claims *claims)
{
	if (claims->locked)
		lock_release(&claims->lock);
	claims->locked = false;
}

int
claims_forget(
    const struct list *list, const char *task, struct deadline deadline, struct error *err)
{
	const struct claim *c;
	struct claims claims;
	int rc = 0;

	/* No state is made for a list that has none. */
	if (claims_load(list, &claims, err) == -1)
		return -1;
	c = claims_find(&claims, task);
	claims_free(&claims);
	if (c == NULL)
		return 0;
	if (claims_lock(list, &claims, deadline, err) == -1)
		return -1;
	if ((c = claims_find(&claims, task)) != NULL) {
		claims_drop(&claims, (size_t)(c - claims.item));
		rc = claims_save(&claims, err) == -1 ? -1 : 1;
	}
	claims_free(&claims);
	return rc;
}

/* The first word of a file; "" if there is none. */
static void
read_word(const char *path, char *word, size_t size)
{
	struct buf text = { 0 };
	struct error ignored;

	word[0] = '\0';
	if (file_read_path(path, 4096, &text, &ignored) == 1) {
		strlcpy(word, buf_text(&text), size);
		word[strcspn(word, " \n")] = '\0';
	}
	buf_free(&text);
}

/* The host name and the pid namespace: what older versions wrote as claim.space. */
static const char *
space_of_old(void)
{
	static char space[192];
	char host[128] = "";
	struct stat st;

	if (space[0] == '\0') {
		if (gethostname(host, sizeof(host) - 1) == -1 ||
		    stat("/proc/self/ns/pid", &st) == -1)
			return NULL;
		snprintf(space, sizeof(space), "%s/%llu", host, (unsigned long long)st.st_ino);
	}
	return space;
}

/*
 * A list may be shared with a container or, on a network file system, with
 * another machine, where the same pid is another process or none.  Host names
 * repeat, and the first pid namespace has the same number on every machine;
 * the boot id is unique.
 */
const char *
claims_space(void)
{
	static char space[320];
	const char *old = space_of_old();
	char machine[128], boot[64];

	if (space[0] == '\0' && old != NULL) {
		read_word("/etc/machine-id", machine, sizeof(machine));
		if (strlen(machine) != 32 || strchr(machine, '/') != NULL)
			snprintf(machine, sizeof(machine), "%.*s", (int)strcspn(old, "/"), old);
		read_word("/proc/sys/kernel/random/boot_id", boot, sizeof(boot));
		snprintf(space, sizeof(space), "%s/%s%s", machine, boot, strchr(old, '/'));
	}
	return space[0] != '\0' ? space : NULL;
}

/* Was it made on this machine before its last boot?  A claim of another boot that is newer than
 * this one comes from another machine with the same id: nothing is known about its process. */
static bool
before_boot(const struct claim *c, const char *here)
{
	const char *namespace = strrchr(c->space, '/');

	return strncmp(c->space, here, strcspn(here, "/") + 1) == 0 &&
	       strcmp(namespace, strrchr(here, '/')) == 0 && c->time_ms / 1000 < clock_boot_s();
}

bool
claims_alive(const struct claim *c)
{
	const char *here;
	struct process p;

	if (c->pid <= 0)
		return true;
	if (c->space != NULL && (here = claims_space()) != NULL && strcmp(c->space, here) != 0 &&
	    strcmp(c->space, space_of_old()) != 0)
		return !before_boot(c, here);
	if (kill((pid_t)c->pid, 0) == -1 && errno == ESRCH)
		return false;
	/* A process whose start cannot be read is taken for the one that made the claim. */
	if (process_read((pid_t)c->pid, &p) != 1)
		return true;
	return p.state != 'Z' && p.state != 'X' && (c->pid_start == 0 || p.start == c->pid_start);
}
