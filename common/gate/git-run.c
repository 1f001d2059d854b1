/*
 * Run git and read its output.
 *
 * A repository can name commands for git to run, and settings that make it blind.  Before status
 * compares content, `git config` lists the filters, and each is set to nothing.  Missing objects
 * are not fetched.  Hooks and the file system monitor are off; pagers, external diffs, textconv and
 * aliases are not used by the commands run here.
 */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/text.h"
#include "gate/git-part.h"
#include "os/os.h"
#include "sys/file.h"

#define OUTPUT_MAX (256u << 20)
#define FILTERS_MAX (32u << 10) /* bytes of the names of filter settings */

/* Where git is looked for before PATH is: whoever sets PATH must not choose the git that runs. */
#define SYSTEM_PATH                                                                   \
	"/usr/bin:/usr/local/bin:/bin:/opt/homebrew/bin:/opt/local/bin:/usr/pkg/bin:" \
	"/run/current-system/sw/bin:/nix/var/nix/profiles/default/bin"

/* PATH=..., the system's directories first, then those of PATH that are absolute. */
static char *
absolute_path(void)
{
	const char *at = getenv("PATH"), *end;
	struct buf b = { 0 };

	buf_puts(&b, "PATH=" SYSTEM_PATH);
	for (; at != NULL && *at != '\0'; at = *end == '\0' ? end : end + 1) {
		end = at + strcspn(at, ":");
		if (*at == '/') {
			buf_putc(&b, ':');
			buf_add(&b, at, (size_t)(end - at));
		}
	}
	return buf_take(&b);
}

/* Set each of these settings to nothing.  By the environment: a name with a '=' cannot be
 * given to -c. */
static void
unset_filters(struct strings *env, const struct strings *settings)
{
	for (size_t i = 0; i < settings->count; i++) {
		strings_take(env, mem_printf("GIT_CONFIG_KEY_%zu=%s", i, settings->item[i]));
		strings_take(env, mem_printf("GIT_CONFIG_VALUE_%zu=", i));
	}
	strings_take(env, mem_printf("GIT_CONFIG_COUNT=%zu", settings->count));
}

/*
 * What a repository's settings could hide is set here: -c comes before every file.  The work tree
 * is given, since git reads core.worktree from the repository's file alone.
 */
static const char *const first_words[] = { "git", "--no-optional-locks", "--no-replace-objects",
	"-c", "core.fsmonitor=false", "-c", "core.hooksPath=/dev/null", "-c", "core.fileMode=true",
	"-c", "core.symlinks=true", "-c", "core.ignoreCase=false", "-c", "core.trustctime=true",
	"-c", "core.checkStat=default", "-c", "core.ignoreStat=false", "-c",
	"core.untrackedCache=false", "-c", "core.splitIndex=false", "-c", "core.autocrlf=false",
	"-c", "core.attributesFile=/dev/null", "-c", "core.commitGraph=false" };

int
git_start(struct git_call *q, const char *root, const char *const *words,
    const struct strings *filters, struct deadline until, struct error *e)
{
	struct strings argv = { 0 }, env = { 0 };
	struct child_spec spec = { .env = &env,
		.deadline = until,
		.output = &q->fd,
		.input = q->input,
		.input_len = q->input_len };
	int rc;

	if ((q->fd = os_memory_file()) == -1)
		return error_sys(e, "cannot make a file for the output of git");
	for (size_t i = 0; i < sizeof(first_words) / sizeof(first_words[0]); i++)
		strings_add(&argv, first_words[i]);
	strings_take(&argv, mem_printf("--work-tree=%s", root));
	strings_add(&argv, "-C");
	strings_add(&argv, root);
	for (; *words != NULL; words++)
		strings_add(&argv, *words);
	strings_take(&argv, NULL);
	spec.argv = argv.item;
	strings_add(&env, "LC_ALL=C");
	strings_add(&env, "GIT_NO_LAZY_FETCH=1");
	strings_add(
	    &env, "GIT_ALLOW_PROTOCOL=none"); /* the same, for a git that has no such switch */
	/* Parents come from the commits alone (also core.commitGraph). */
	strings_add(&env, "GIT_GRAFT_FILE=/dev/null/none");
	strings_take(&env, absolute_path());
	if (q->index != NULL)
		strings_take(&env, mem_printf("GIT_INDEX_FILE=%s", q->index));
	if (filters != NULL)
		unset_filters(&env, filters);
	rc = child_start(&q->child, &spec, e);
	strings_free(&argv);
	strings_free(&env);
	return rc;
}

int
git_finish(struct git_call *q, const char *what, struct buf *out, struct error *e)
{
	struct child *c = &q->child;
	struct buf why = { 0 };
	int rc = -1;

	while (!c->done)
		child_wait(&c, 1, DEADLINE_NEVER);
	if (c->end == CHILD_EXITED && c->status == 0) {
		lseek(q->fd, 0, SEEK_SET);
		rc = file_read_fd(q->fd, OUTPUT_MAX, out, e);
	} else {
		child_describe(&why, c);
		if (c->tail.len > 0) {
			buf_puts(&why, ": ");
			text_show(&why, buf_text(&c->tail), c->tail.len, TEXT_LINE, 300);
		}
		error_set(e, ERROR_FAULT, "git %s: %s", what, buf_text(&why));
	}
	buf_free(&why);
	return rc == -1 ? -1 : 0;
}

void
git_call_free(struct git_call *q)
{
	child_free(&q->child);
	if (q->fd != -1)
		close(q->fd);
	q->fd = -1;
}

int
git_output(const char *root, const char *const *words, struct deadline until, struct buf *out,
    struct error *e)
{
	struct git_call q = GIT_CALL_INIT;
	int rc = git_start(&q, root, words, NULL, until, e);

	if (rc == 0)
		rc = git_finish(&q, words[0], out, e);
	git_call_free(&q);
	return rc;
}

int
git_list(const char *root, const char *const *words, struct deadline until, struct strings *items,
    struct error *e)
{
	struct buf out = { 0 };
	int rc = git_output(root, words, until, &out, e);

	if (rc == 0) {
		const char *p = buf_text(&out), *end = p + out.len;

		for (; p < end; p += strlen(p) + 1)
			strings_add(items, p);
	}
	buf_free(&out);
	return rc;
}

/* The file of ignored names that the user's own settings give, or the default one; owned, NULL. */
static char *
user_excludes(const char *root, bool set, struct deadline until)
{
	static const char *const words[] = { "config", "--global", "--includes", "-z",
		"--type=path", "--get", "core.excludesFile", NULL };
	const char *config = getenv("XDG_CONFIG_HOME"), *home = getenv("HOME");
	struct strings value = { 0 };
	struct error e;
	char *path = NULL;

	if (set && git_list(root, words, until, &value, &e) == 0 && value.count > 0)
		path = mem_string(value.item[0]);
	else if (config != NULL && *config == '/')
		path = mem_printf("%s/git/ignore", config);
	else if (home != NULL && *home == '/')
		path = mem_printf("%s/.config/git/ignore", home);
	strings_free(&value);
	if (path != NULL && (*path != '/' || access(path, R_OK) == -1)) {
		free(path);
		path = NULL;
	}
	return path;
}

/* The names of all settings, from every configuration: also a filter of the user's own, such as
 * git-lfs, reads what the repository configures. */
int
git_settings_read(struct git_settings *s, const char *root, struct deadline until, struct error *e)
{
	static const char *const words[] = { "config", "--list", "--name-only", "-z", NULL };
	struct strings all = { 0 };
	size_t bytes = 0;
	bool excludes = false;
	int rc = git_list(root, words, until, &all, e);

	for (size_t i = 0; i < all.count && bytes <= FILTERS_MAX; i++) {
		excludes = excludes || strcmp(all.item[i], "core.excludesfile") == 0;
		if (strncmp(all.item[i], "filter.", 7) == 0) {
			strings_add(&s->filters, all.item[i]);
			bytes += strlen(all.item[i]);
		}
	}
	strings_free(&all);
	if (bytes > FILTERS_MAX)
		return error_set(e, ERROR_FAULT, "git is configured with too many filters");
	if (rc == 0)
		s->excludes = user_excludes(root, excludes, until);
	return rc;
}

void
git_settings_free(struct git_settings *s)
{
	strings_free(&s->filters);
	free(s->excludes);
	*s = (struct git_settings){ 0 };
}
