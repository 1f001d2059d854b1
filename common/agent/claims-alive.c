/*
 * Does the process that made a claim still live?
 */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "agent/claims.h"
#include "base/clock.h"
#include "os/os.h"
#include "sys/file.h"

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
	uint64_t pids;

	if (space[0] == '\0') {
		if (gethostname(host, sizeof(host) - 1) == -1 || os_pid_space(&pids) == -1)
			return NULL;
		snprintf(space, sizeof(space), "%s/%llu", host, (unsigned long long)pids);
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
		os_machine_name(machine, sizeof(machine));
		if (machine[0] == '\0')
			read_word("/etc/machine-id", machine, sizeof(machine));
		if (strlen(machine) < 32 || strchr(machine, '/') != NULL)
			snprintf(machine, sizeof(machine), "%.*s", (int)strcspn(old, "/"), old);
		os_boot_name(boot, sizeof(boot));
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
	       strcmp(namespace, strrchr(here, '/')) == 0 && c->time_ms / 1000 < os_boot_s();
}

bool
claims_alive(const struct claim *c)
{
	const char *here;
	struct os_process p;

	if (c->pid <= 0)
		return true;
	if (c->space != NULL && (here = claims_space()) != NULL && strcmp(c->space, here) != 0 &&
	    strcmp(c->space, space_of_old()) != 0)
		return !before_boot(c, here);
	if (kill((pid_t)c->pid, 0) == -1 && errno == ESRCH)
		return false;
	/* A process whose start cannot be read is taken for the one that made the claim. */
	if (os_process_read((pid_t)c->pid, &p) != 1)
		return true;
	return !p.ended && (c->pid_start == 0 || os_process_same(p.start, c->pid_start));
}
