/*
 * Each of our entries in a settings file: is its program there, of this version, and does it have
 * enough time?  What does the client do if not?
 */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "doctor.h"
#include "install.h"
#include "settings/programs.h"

/* The last word of the first line of PATH --version, owned, or NULL. */
static char *
hook_version(const char *path)
{
	char *version = version_of_program(path), *blank;

	if (version == NULL)
		return NULL;
	version[strcspn(version, "\r\n")] = '\0';
	blank = strrchr(version, ' ');
	if (blank != NULL)
		memmove(version, blank + 1, strlen(blank + 1) + 1);
	return version;
}

char *
doctor_program(const char *name)
{
	const char *dirs = getenv("PATH");
	char *try;

	if (strchr(name, '/') != NULL)
		return access(name, X_OK) == 0 ? mem_string(name) : NULL;
	while (dirs != NULL && *dirs != '\0') {
		size_t n = strcspn(dirs, ":");

		try = mem_printf("%.*s/%s", (int)n, dirs, name);
		if (access(try, X_OK) == 0)
			return try;
		free(try);
		dirs += n + (dirs[n] == ':');
	}
	return NULL;
}

static bool
executable(const char *path)
{
	char *found = doctor_program(path);

	free(found);
	return found != NULL;
}

/* Does the client obey "onFailure"?  An older one drops it from the file. */
static bool
obeys_failure(const struct doctor *d)
{
	return !client_is_open(d->client);
}

/* Does the client refuse the call if the program of this entry fails? */
static bool
is_closed(const struct doctor *d, const struct settings_entry *e)
{
	return strcmp(e->event, "PreToolUse") == 0 && e->failure != NULL &&
	       strcmp(e->failure, "block") == 0 && obeys_failure(d);
}

/* install corrects an entry, but not in the managed settings. */
static char *
install_fix(const struct registration_file *f)
{
	return f->scope == SCOPE_MANAGED
		   ? mem_printf("correct %s", f->path)
		   : mem_printf("claude-tasks install --%s", scope_name(f->scope));
}

static char *
open_fix(const struct registration_file *f, const struct settings_entry *e)
{
	return settings_can_close(e) || f->scope == SCOPE_MANAGED
		   ? install_fix(f)
		   : mem_string(install_open_advice(e));
}

/* A directory of node_modules is that of a package, or of the cache of npx; one of the copies is to
 * be named by the link. */
static void
check_place(struct doctor *d, const struct registration_file *f, const char *dir, const char *bin)
{
	char *real = realpath(dir, NULL);

	if (strcmp(dir, bin) != 0 && real != NULL && programs_is_copy(d->registration.config, real))
		doctor_add(d, "hooks.place", LEVEL_WARNING,
		    mem_printf("%s: %s is one of the copies, and not the link to the one in use",
			f->path, dir),
		    "later installations do not replace it, but remove it", install_fix(f));

	if (programs_in_package(dir) || (real != NULL && programs_in_package(real)))
		doctor_add(d, "hooks.place", LEVEL_WARNING,
		    mem_printf("%s: %s is in a package of npm", f->path, dir),
		    "the programs are missing or other ones as soon as npm removes or updates the "
		    "package, or clears its cache",
		    f->scope == SCOPE_MANAGED
			? mem_printf("correct %s", f->path)
			: mem_printf("claude-tasks install --copy --%s", scope_name(f->scope)));
	free(real);
}

/* Are they the programs that this one was started with? */
static bool
has_own_build(const char *dir)
{
	struct error ignored;
	char *own = registration_bin(NULL, &ignored);
	bool same = true;

	for (size_t i = 0; own != NULL && i < PROGRAMS && same; i++) {
		char *a = mem_printf("%s/%s", dir, programs_name[i]);
		char *b = mem_printf("%s/%s", own, programs_name[i]);

		same = programs_same(a, b);
		free(a);
		free(b);
	}
	free(own);
	return same;
}

static char *
version_fix(const struct registration_file *f, const char *version)
{
	return version_compare(version, VERSION) <= 0
		   ? install_fix(f)
		   : mem_printf(
			 "update this claude-tasks, or to go back: claude-tasks install --%s",
			 scope_name(f->scope));
}

/* what: a program, or the directory of the copies (all of one version). */
static void
check_version(struct doctor *d, const struct registration_file *f, const struct settings_entry *e,
    const char *what, bool copies)
{
	static const char why[] = "the two may read a list differently";
	char *version = hook_version(e->path);

	if (version != NULL && strcmp(version, VERSION) != 0)
		doctor_add(d, "hooks.version", LEVEL_WARNING,
		    mem_printf("%s is version %s, claude-tasks is %s", what, version, VERSION), why,
		    version_fix(f, version));
	else if (version != NULL && copies && !has_own_build(what))
		doctor_add(d, "hooks.version", LEVEL_WARNING,
		    mem_printf(
			"%s is another build of version %s than this claude-tasks", what, version),
		    why, install_fix(f));
	free(version);
}

/* What is so for all programs of a directory; each directory once. */
static void
check_directory(struct doctor *d, const struct registration_file *f, const struct settings_entry *e,
    struct strings *asked)
{
	const char *slash = strrchr(e->path, '/');
	char *dir = slash != NULL ? mem_copy(e->path, (size_t)(slash - e->path)) : mem_string("");
	char *bin = programs_bin(d->registration.config);
	bool first = !strings_has(asked, dir), copies = strcmp(dir, bin) == 0;

	if (first) {
		strings_add(asked, dir);
		check_place(d, f, dir, bin);
	}
	if (first || !copies)
		check_version(d, f, e, copies ? bin : e->path, copies);
	free(bin);
	free(dir);
}

/* Returns false if there is no program to check.  asked: the programs and directories that were
 * looked at. */
static bool
check_program(struct doctor *d, const struct registration_file *f, const struct settings_entry *e,
    struct strings *asked)
{
	char *why;

	if (strstr(e->path, "${") != NULL)
		return true;
	if (!executable(e->path)) {
		why = is_closed(d, e)
			  ? mem_printf("the client refuses every call of %s",
				e->matcher != NULL ? e->matcher : "a tool")
			  : mem_string("the client continues silently, as if the hook had passed");
		doctor_add(d, "hooks.executable", LEVEL_PROBLEM,
		    mem_printf("%s: %s is missing or not executable", f->path, e->path), why,
		    install_fix(f));
		free(why);
		return false;
	}
	if (strings_has(asked, e->path))
		return true;
	strings_add(asked, e->path);
	check_directory(d, f, e, asked);
	return true;
}

/* The client judges a completion by these: they need the time for the gates. */
static void
check_timeout(struct doctor *d, const struct registration_file *f, const struct settings_entry *e,
    int64_t deadline_ms)
{
	bool update =
	    strcmp(e->event, "PreToolUse") == 0 && settings_matches(e->matcher, "TaskUpdate");
	int64_t limit = e->timeout > 0 ? e->timeout : 600;

	if (update && e->deadline > 0 && e->deadline * 1000 < deadline_ms)
		doctor_add(d, "hooks.timeout", LEVEL_WARNING,
		    mem_printf("%s: %s --deadline %lld is for the gates of a TaskUpdate too",
			f->path, e->program, (long long)e->deadline),
		    "a gate that takes longer refuses the completion",
		    mem_printf("remove --deadline from the entry with the matcher '%s'",
			e->matcher != NULL ? e->matcher : ""));
	if (e->deadline > 0)
		deadline_ms = e->deadline * 1000;
	if ((update || strcmp(e->program, "on-task-completed-verify") == 0) &&
	    limit * 1000 <= deadline_ms)
		doctor_add(d, "hooks.timeout", LEVEL_PROBLEM,
		    mem_printf("%s: the client stops %s after %lld s, but its deadline is %lld s",
			f->path, e->program, (long long)limit, (long long)deadline_ms / 1000),
		    is_closed(d, e) ? "the client then refuses the call, also if the gates pass"
				    : "a hook that the client stops cannot refuse the completion",
		    mem_printf("set \"timeout\" above %lld, or \"deadline\" below %lld",
			(long long)deadline_ms / 1000, (long long)limit));
	if (strcmp(e->event, "SessionEnd") == 0 && e->timeout == 0)
		doctor_add(d, "hooks.timeout", LEVEL_WARNING,
		    mem_printf("%s: the SessionEnd entry has no timeout", f->path),
		    "the client then stops it after 1.5 s", mem_string("set \"timeout\": 10"));
}

static void
check_client(struct doctor *d)
{
	if (!obeys_failure(d))
		doctor_add(d, "hooks.on-failure", LEVEL_NOTE,
		    mem_printf("client %s does not know \"onFailure\"", d->client),
		    "it lets calls pass when a program is missing, is killed or takes too long",
		    mem_string("update the client to " ON_FAILURE_SINCE
			       " or later, then: claude-tasks install"));
}

void
doctor_entries(struct doctor *d, int64_t deadline_ms)
{
	bool any = false;

	doctor_checked(d, "hooks.executable");
	doctor_checked(d, "hooks.place");
	doctor_checked(d, "hooks.version");
	doctor_checked(d, "hooks.on-failure");
	doctor_checked(d, "hooks.timeout");
	for (int i = 0; i < SCOPES; i++) {
		const struct registration_file *f = &d->registration.file[i];
		struct strings asked = { 0 };

		for (size_t k = 0; k < f->entries.count; k++) {
			const struct settings_entry *e = &f->entries.item[k];

			any = true;
			if (settings_is_open(e) && obeys_failure(d))
				doctor_add(d, "hooks.on-failure", LEVEL_WARNING,
				    mem_printf("%s: the PreToolUse entry for TaskUpdate has no "
					       "\"onFailure\": \"block\"",
					f->path),
				    "the client lets the call pass when the program is missing, is "
				    "killed or takes too long",
				    open_fix(f, e));
			if (check_program(d, f, e, &asked))
				check_timeout(d, f, e, deadline_ms);
		}
		strings_free(&asked);
	}
	if (any)
		check_client(d);
}
