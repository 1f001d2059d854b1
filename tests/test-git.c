/*
 * The work tree in git: the hash changes with everything that a gate can see,
 * and with nothing else.
 */
#include <criterion/criterion.h>
#include <dirent.h>
#include <sys/stat.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "gate/git-part.h"

static char top[64];

#define LONG deadline_in(120000)

static void
sh(const char *script)
{
	char *command = mem_printf("cd %s && { %s; } >/dev/null 2>&1", top, script);

	cr_assert_eq(system(command), 0, "%s", script);
	free(command);
}

static void
make_repository(void)
{
	snprintf(top, sizeof(top), "/tmp/test-git-XXXXXX");
	cr_assert_not_null(mkdtemp(top));
	setenv("GIT_CONFIG_GLOBAL", "/dev/null", 1);
	setenv("GIT_CONFIG_SYSTEM", "/dev/null", 1);
	setenv("GIT_AUTHOR_NAME", "t", 1);
	setenv("GIT_AUTHOR_EMAIL", "t@example.invalid", 1);
	setenv("GIT_COMMITTER_NAME", "t", 1);
	setenv("GIT_COMMITTER_EMAIL", "t@example.invalid", 1);
	sh("git init -q -b main . && mkdir -p src doc && echo a >src/a.c && echo b >src/b.c && "
	   "echo d >doc/d.md && printf '*.o\\nout/\\n' >.gitignore && git add . && "
	   "git commit -q -m one");
}

static void
remove_top(void)
{
	char command[128];

	snprintf(command, sizeof(command), "rm -rf %s", top);
	cr_expect_eq(system(command), 0);
}

static void
hash_scoped(const char *files, const char *writes, char out[HASH_HEX])
{
	struct git_tree t;
	struct strings f = { 0 }, w = { 0 };
	struct error e;
	char *why;

	if (files != NULL)
		strings_add(&f, files);
	if (writes != NULL)
		strings_add(&w, writes);
	cr_assert_eq(git_tree(&t, top, LONG, &e), 0, "%s", e.text);
	cr_assert(t.repository);
	cr_expect_eq(git_tree_hash(&t, &f, &w, out, &why), 1, "%s", why != NULL ? why : "");
	free(why);
	git_tree_free(&t);
	strings_free(&f);
	strings_free(&w);
}

TestSuite(git, .init = make_repository, .fini = remove_top);

Test(git, the_hash_changes_with_the_tree_only)
{
	static const struct {
		const char *change;
		bool differs;
	} rows[] = {
		{ "true", false },
		{ "touch src/a.c", false },
		{ "git status", false },
		{ "echo x >src/x.o", false },               /* ignored */
		{ "mkdir -p out && echo x >out/x", false }, /* ignored */
		{ "echo a2 >src/a.c", true },               /* dirty */
		{ "echo a3 >src/a.c", true },               /* dirty, with other bytes */
		{ "git add src/a.c", true },                /* staged: the index is visible */
		{ "git add src/a.c", false },
		{ "git commit -q -m two", true }, /* HEAD */
		{ "echo n >src/new.c", true },    /* untracked */
		{ "echo m >src/new.c", true },
		{ "chmod +x src/new.c", true },
		{ "rm src/new.c", true },
		{ "mkdir -p 'we ird' && echo 1 >'we ird/\xc3\xa9\n\".c'", true },
		{ "echo 2 >'we ird/\xc3\xa9\n\".c'", true },
		{ "rm -r 'we ird'", true },
		{ "ln -s a.c src/link", true },
		{ "ln -sf b.c src/link", true },
		{ "rm src/link", true },
		{ "rm src/b.c", true },
		{ "git checkout -q src/b.c", true },
		{ "git mv src/b.c src/c.c", true },
		{ "git reset -q --hard", true },
		{ "chmod +x src/b.c", true },
		{ "chmod -x src/b.c", true },
		/* Files that git is told not to check. */
		{ "git update-index --assume-unchanged src/b.c", true },
		{ "echo hidden >src/b.c", true },
		{ "echo hidden2 >src/b.c", true },
		{ "git update-index --no-assume-unchanged src/b.c", true },
		{ "git update-index --skip-worktree src/a.c", true },
		{ "echo hidden >src/a.c", true },
	};
	char before[HASH_HEX], after[HASH_HEX];

	hash_scoped(NULL, NULL, before);
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		sh(rows[i].change);
		hash_scoped(NULL, NULL, after);
		cr_expect_eq(strcmp(before, after) != 0, rows[i].differs, "%s: should %sdiffer",
		    rows[i].change, rows[i].differs ? "" : "not ");
		memcpy(before, after, sizeof(before));
	}
}

Test(git, the_hash_covers_only_its_scope)
{
	char a[HASH_HEX], b[HASH_HEX];

	hash_scoped("src/**", NULL, a);
	sh("echo x >doc/d.md; echo x >new");
	hash_scoped("src/**", NULL, b);
	cr_expect_str_eq(a, b, "a change outside the scope");
	sh("echo x >src/a.c");
	hash_scoped("src/**", NULL, b);
	cr_expect_str_neq(a, b, "a change inside the scope");
	hash_scoped(NULL, "gen/", a);
	sh("mkdir gen && date >gen/x");
	hash_scoped(NULL, "gen/", b);
	cr_expect_str_eq(a, b, "files that a gate writes are excluded");
}

static void
cannot(const char *change, const char *want)
{
	struct git_tree t;
	struct error e;
	char out[HASH_HEX] = "x", *why = NULL;

	sh(change);
	cr_assert_eq(git_tree(&t, top, LONG, &e), 0, "%s: %s", change, e.text);
	cr_expect_eq(
	    git_tree_hash(&t, NULL, NULL, out, &why), 0, "%s: should have no hash", change);
	cr_expect_str_eq(out, "", "%s", change);
	cr_expect(why != NULL && strstr(why, want) != NULL, "%s: %s", change, why);
	free(why);
	git_tree_free(&t);
}

Test(git, trees_that_cannot_be_read_have_no_hash)
{
	cannot("mkdir nested && cd nested && git init -q && echo x >x", "a repository of its own");
	cannot("rm -rf nested && mkfifo src/fifo && git add -A . || true; rm -f src/fifo; "
	       "rm src/a.c && mkfifo src/a.c",
	    "is not a file");
	cannot("rm src/a.c && git checkout -q src/a.c && truncate -s 300M big", "too large");
}

/* Also if .git/info/exclude, which is not obeyed, is all that ignores it. */
Test(git, a_worktree_of_an_agent_is_no_part_of_the_tree)
{
	char a[HASH_HEX], b[HASH_HEX];

	hash_scoped(NULL, NULL, a);
	sh("git worktree add -q .claude/worktrees/agent-1 && "
	   "echo x >.claude/worktrees/agent-1/src/a.c");
	hash_scoped(NULL, NULL, b);
	cr_expect_str_eq(a, b);
	sh("echo x >.claude/worktrees/file");
	hash_scoped(NULL, NULL, b);
	cr_expect_str_neq(a, b, "a file beside the worktrees");
	cannot("git worktree add -q src/elsewhere", "a repository of its own");
}

Test(git, a_directory_outside_a_repository_is_not_an_error)
{
	struct git_tree t;
	struct error e;

	cr_assert_eq(git_tree(&t, "/", LONG, &e), 0);
	cr_expect_not(t.repository);
	git_tree_free(&t);
	cr_assert_eq(git_tree(&t, "/no/such/directory", LONG, &e), 0);
	cr_expect_not(t.repository);
	git_tree_free(&t);
	cr_expect_null(git_head("/"));
}

Test(git, failures_of_git_are_reported)
{
	struct git_tree t;
	struct error e = { 0 };

	sh("mkdir broken && echo 'gitdir: /no/such' >broken/.git");
	strcat(top, "/broken");
	cr_expect_eq(git_tree(&t, top, LONG, &e), -1, "a broken repository is an error");
	cr_expect(strstr(e.text, "git ") != NULL, "%s", e.text);
	*strrchr(top, '/') = '\0';
}

/* Another git, earlier in PATH, is not asked: the system's own directories come first. */
Test(git, another_git_in_path_is_not_run)
{
	struct git_tree t;
	struct error e = { 0 };
	char *path = mem_printf("%s/bin:%s", top, getenv("PATH")),
	     *old = mem_string(getenv("PATH"));

	sh("mkdir bin && printf '#!/bin/sh\\nexit 0\\n' >bin/git && chmod +x bin/git && echo x "
	   ">>src/a.c");
	setenv("PATH", path, 1);
	cr_assert_eq(git_tree(&t, top, LONG, &e), 0, "%s", e.text);
	cr_expect(t.count >= 2, "the false git was asked");
	git_tree_free(&t);
	setenv("PATH", "bin:.", 1);
	cr_assert_eq(git_tree(&t, top, LONG, &e), 0, "%s", e.text);
	git_tree_free(&t);
	setenv("PATH", old, 1);
	free(old);
	free(path);
}

/* What makes git itself overlook that src/a.c was changed, or src/new.c was made. */
Test(git, what_blinds_git_does_not_blind_us)
{
	static const struct {
		const char *path, *script;
		bool blind; /* git status sees nothing */
	} rows[] = {
		{ "src/a.c", "git update-index --assume-unchanged src/a.c && echo bad >src/a.c",
		    true },
		{ "src/a.c", "git update-index --skip-worktree src/a.c && echo bad >src/a.c",
		    true },
		{ "src/a.c", "git update-index --assume-unchanged src/a.c && chmod +x src/a.c",
		    true },
		{ "src/a.c", "git update-index --skip-worktree src/a.c && rm src/a.c", true },
		{ "src/a.c", "git update-index --assume-unchanged src/a.c && ln -sf b.c src/a.c",
		    true },
		{ "src/a.c",
		    "mkdir .git/clean && cp -r src doc .gitignore .git/clean && "
		    "git config core.worktree \"$PWD/.git/clean\" && echo bad >src/a.c",
		    true },
		{ "src/a.c", "git config core.fileMode false && chmod +x src/a.c", true },
		{ "src/a.c",
		    "sleep 1.1; cp -p src/a.c keep && git status && git config core.trustctime "
		    "false "
		    "&& git config core.checkStat minimal && printf 'z\\n' >src/a.c && touch -r "
		    "keep src/a.c && rm keep",
		    true },
		{ "src/new.c", "echo new.c >>.git/info/exclude && echo x >src/new.c", true },
		{ "src/new.c",
		    "echo new.c >.git/mine && git config core.excludesFile .git/mine && "
		    "echo x >src/new.c",
		    true },
		{ "src/a.c",
		    "git config filter.x.clean 'git show HEAD:src/a.c' && echo 'a.c filter=x' "
		    ">.git/info/attributes && echo bad >src/a.c && git add src/a.c",
		    true },
		{ "src/a.c",
		    "echo '* text' >.git/info/attributes && printf 'a\\r\\n' >src/a.c && git "
		    "add src/a.c",
		    true },
		{ "src/a.c", "git config core.autocrlf input && printf 'a\\r\\n' >src/a.c", false },
		{ "src/a.c",
		    "git config status.showUntrackedFiles no && git config core.ignoreStat true "
		    "&& git update-index src/a.c && echo bad >src/a.c",
		    false },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct git_tree t;
		struct strings paths = { 0 };
		struct error e = { 0 };

		remove_top();
		make_repository();
		sh(rows[i].script);
		if (rows[i].blind)
			sh("test -z \"$(git status --porcelain)\"");
		cr_assert_eq(git_tree(&t, top, LONG, &e), 0, "%s: %s", rows[i].script, e.text);
		cr_expect_eq(git_changed(&t, NULL, LONG, &paths, &e), 0, "%s", e.text);
		cr_expect(strings_has(&paths, rows[i].path), "%s: not changed", rows[i].script);
		strings_free(&paths);
		git_tree_free(&t);
	}
}

/* What is hidden and as the index has it is not changed; and what replaces an object is not used.
 */
Test(git, hidden_and_unchanged_is_not_changed)
{
	struct git_tree t;
	struct strings paths = { 0 };
	struct error e = { 0 };
	char *first = git_head(top);

	sh("git update-index --assume-unchanged src/a.c && git update-index --skip-worktree "
	   "src/b.c "
	   "&& echo '# nothing' >.git/info/attributes && echo '# nothing' >>.git/info/exclude");
	cr_assert_eq(git_tree(&t, top, LONG, &e), 0, "%s", e.text);
	cr_expect_eq(git_changed(&t, NULL, LONG, &paths, &e), 0, "%s", e.text);
	cr_expect_eq(paths.count, 0);
	git_tree_free(&t);
	sh("git update-index --no-assume-unchanged src/a.c && echo bad >src/a.c && "
	   "git commit -q -m two src/a.c && git replace HEAD^ HEAD");
	cr_assert_eq(git_tree(&t, top, LONG, &e), 0, "%s", e.text);
	cr_expect_eq(git_changed(&t, first, LONG, &paths, &e), 0, "%s", e.text);
	cr_expect(strings_has(&paths, "src/a.c"), "the replaced commit was compared");
	git_tree_free(&t);
	strings_free(&paths);
	free(first);
}

/* What only git can tell about a repository. */
Test(git, a_repository_is_plain_only_if_all_is_understood)
{
	static const struct {
		const char *script;
		bool plain;
	} rows[] = {
		{ "true", true },
		{ "echo b >>src/a.c && git add . && git mv src/b.c src/c.c && echo n >n", true },
		{ "ln -s a.c src/l && chmod +x src/a.c && git add .", true },
		{ "n=$(printf '%04094d' 0 | sed 's,0\\{200\\},&/,g') && mkdir -p x && cd x && "
		  "git update-index --add --cacheinfo 100644,$(git rev-parse HEAD:src/a.c),$n",
		    true },
		{ "for i in $(seq 2000); do echo $i >src/$i; done && git add . && git commit -qm x",
		    true },
		{ "echo '# nothing' >>.git/info/exclude && echo >.git/info/attributes", true },
		{ "git config user.name x && git config core.autocrlf true", true },
		{ "rm -rf .git && git init -q", true },
		{ "printf '[core]\\nexcludesFile = ~/x\\n' >>home/.gitconfig", true },
		{ "echo x >>.git/info/exclude", false },
		{ "echo '* text' >.git/info/attributes", false },
		{ "printf '#\\0\\n* text\\n' >.git/info/attributes", false },
		{ "mkdir .git/info/attributes", false },
		{ "printf '[FILTER \"x\"]\\nclean = cat\\n' >>.git/config", false },
		{ "printf '[filter.x]clean=cat\\n' >>.git/config", false },
		{ "printf '#\\0\\n[filter \"x\"]clean=cat\\n' >>.git/config", false },
		{ "printf '[include]\\npath = x\\n' >>.git/config", false },
		{ "printf '[includeIf \"gitdir:/\"]\\npath = x\\n' >>.git/config", false },
		{ "printf '[core]\\nExcludesFile = x\\n' >>.git/config", false },
		{ "printf '[filter \"x\"]\\nclean = cat\\n' >>.git/config.worktree", false },
		{ "printf '[filter \"x\"]\\nclean = cat\\n' >>home/.gitconfig", false },
		{ "printf '[filter \"x\"]\\nclean = cat\\n' >>home/.config/git/config", false },
		{ "git update-index --assume-unchanged src/a.c", false },
		{ "git update-index --skip-worktree src/a.c", false },
		{ "echo n >n && git add -N n", false },
		{ "git update-index --index-version 4", false },
		{ "git update-index --split-index", false },
		{ "git update-index --untracked-cache", false },
		{ "git update-index --add --cacheinfo 160000,$(git rev-parse HEAD),sub", false },
		{ "printf x >>.git/index", false },
		{ "head -c 40 .git/index >i && mv i .git/index", false },
		{ ": >.git/index", false },
		{ "rm -rf .git && git init -q --object-format=sha256 && git add .", false },
	};
	char *home = mem_string(getenv("HOME"));

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		char dir[100];

		remove_top();
		make_repository();
		snprintf(dir, sizeof(dir), "%s/home", top);
		sh("mkdir -p home/.config/git");
		setenv("HOME", dir, 1);
		sh(rows[i].script);
		cr_expect_eq(git_plain(top), rows[i].plain, "%s", rows[i].script);
		setenv("HOME", home, 1);
	}
	free(home);
}

/* Git reads more of such a file and would use another directory. */
Test(git, a_link_of_two_lines_is_not_followed)
{
	char dir[100];

	sh("git worktree add -q wt && mkdir 'c\n' && cp -r .git 'c\n/d' && "
	   "printf '%s/c\\n/d\\n' \"$PWD\" >.git/worktrees/wt/commondir && mkdir c");
	snprintf(dir, sizeof(dir), "%s/wt", top);
	cr_expect_not(git_plain(dir) && git_common(dir) != NULL);
}

/* The work tree itself has the files of a repository: git must not use that one. */
Test(git, a_repository_that_git_rejects_is_an_error)
{
	struct git_tree t;
	struct error e;

	sh("cp -r .git/* . && echo x >.git/HEAD");
	cr_expect(git_plain(top));
	cr_expect_eq(git_tree(&t, top, LONG, &e), -1);
	sh("git rev-parse HEAD");
}

/* One process for a plain repository finds the same as several for any other. */
Test(git, a_plain_tree_is_read_as_any_other)
{
	static const char *const rows[] = { "true", "echo x >>src/a.c", "git add src/a.c",
		"echo y >>src/a.c", "git rm -q --cached src/b.c",
		"git add . && git commit -q -m two", "rm src/b.c", "chmod +x src/a.c",
		"rm src/a.c && ln -s b.c src/a.c",
		"mkdir -p new/deep && echo 1 >new/deep/f && echo 2 >'new/a\nb'",
		"git init -q new/repository && echo 1 >new/repository/f", "mkdir empty",
		"echo x >x.o && mkdir -p out && echo x >out/x && echo '!x.o' >new/.gitignore",
		"printf '[core]\\nexcludesFile = ~/mine\\n' >out/.gitconfig && echo new.2 "
		">out/mine && "
		"echo 1 >new.2 && echo 1 >new.3",
		"rm -rf new/repository; git reset -q --hard && git checkout -q -b side HEAD^ && "
		"echo side >src/a.c && git commit -q -am side && ! git merge -q main" };
	char plain[HASH_HEX], asked[HASH_HEX], *home = mem_string(getenv("HOME")), dir[100];

	snprintf(dir, sizeof(dir), "%s/out", top);
	setenv("HOME", dir, 1);
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct git_tree a, b;
		struct error e;

		sh(rows[i]);
		cr_expect(git_plain(top), "%s", rows[i]);
		cr_assert_eq(git_tree(&a, top, LONG, &e), 0, "%s: %s", rows[i], e.text);
		sh("cp .git/config keep.o && git config filter.x.clean cat");
		cr_expect_not(git_plain(top), "%s", rows[i]);
		cr_assert_eq(git_tree(&b, top, LONG, &e), 0, "%s: %s", rows[i], e.text);
		sh("mv keep.o .git/config");
		cr_expect_eq(a.count, b.count, "%s", rows[i]);
		for (size_t k = 0; k < a.count && k < b.count; k++) {
			cr_expect_str_eq(a.entry[k].path, b.entry[k].path, "%s", rows[i]);
			cr_expect_str_eq(a.entry[k].record, b.entry[k].record, "%s", rows[i]);
		}
		cr_expect_eq(git_tree_hash(&a, NULL, NULL, plain, NULL),
		    git_tree_hash(&b, NULL, NULL, asked, NULL), "%s", rows[i]);
		cr_expect_str_eq(plain, asked, "%s", rows[i]);
		git_tree_free(&a);
		git_tree_free(&b);
	}
	setenv("HOME", home, 1);
	free(home);
}

/* The repository must not be able to run a command. */
Test(git, commands_of_the_repository_do_not_run)
{
	struct git_tree t;
	struct strings paths = { 0 };
	struct error e;
	char path[128], *first = git_head(top);

	sh("git commit -q --allow-empty -m two && printf '#!/bin/sh\\ntouch ran\\ncat\\n' >evil && "
	   "chmod +x evil && git config core.fsmonitor \"$PWD/evil\" && mkdir -p hooks && cp evil "
	   "hooks/post-index-change && git config core.hooksPath hooks && "
	   "git config filter.x.clean \"$PWD/evil\" && echo '* filter=x' >.git/info/attributes && "
	   "touch -d @1 src/a.c && rm -f ran");
	cr_assert_eq(git_tree(&t, top, LONG, &e), 0, "%s", e.text);
	cr_expect_eq(git_changed(&t, first, LONG, &paths, &e), 0, "%s", e.text);
	cr_expect_eq(git_paths(&t, LONG, &paths, &e), 0, "%s", e.text);
	snprintf(path, sizeof(path), "%s/ran", top);
	cr_expect_neq(access(path, F_OK), 0, "the repository ran a command");
	sh("git -c core.fsmonitor=false diff; test -e ran");
	git_tree_free(&t);
	strings_free(&paths);
	free(first);
}

static size_t
entries(void)
{
	struct git_tree t;
	struct error e;
	size_t n;

	cr_assert_eq(git_tree(&t, top, LONG, &e), 0, "%s", e.text);
	n = t.count;
	git_tree_free(&t);
	return n;
}

/* Filters are not run, so a filtered file is unchanged only if its times are unchanged. */
Test(git, a_touched_filtered_file_counts_as_changed)
{
	char a[HASH_HEX], b[HASH_HEX];

	sh("git config filter.up.clean 'tr a-z A-Z' && git config filter.up.required true && "
	   "echo '*.c filter=up' >.gitattributes && touch -d @1 src/*.c && git add . && "
	   "git commit -q -m filtered && test \"$(git show HEAD:src/a.c)\" = A");
	cr_expect_eq(entries(), 0, "filtered and not touched");
	hash_scoped(NULL, NULL, a);
	sh("touch -d @2 src/a.c");
	cr_expect_eq(entries(), 1, "touched, so it counts as changed");
	hash_scoped(NULL, NULL, b);
	cr_expect_str_neq(a, b);
	sh("echo b2 >src/a.c");
	hash_scoped(NULL, NULL, a);
	cr_expect_str_neq(a, b, "changed");
	sh("echo a >src/a.c && touch -d @3 src/a.c && git status");
	cr_expect_eq(entries(), 0, "git status has refreshed the index");
}

Test(git, too_many_filters_are_an_error)
{
	struct git_tree t;
	struct error e = { 0 };

	sh("for i in $(seq 500); do printf '[filter \"%s\"]\\nclean = cat\\n' $i; done "
	   ">>.git/config");
	cr_assert_eq(git_tree(&t, top, LONG, &e), 0, "%s", e.text);
	git_tree_free(&t);
	sh("printf '[filter \"%0100000d\"]\\nclean = cat\\n' 1 >>.git/config");
	cr_expect_eq(git_tree(&t, top, LONG, &e), -1);
	cr_expect(strstr(e.text, "too many filters") != NULL, "%s", e.text);
}

Test(git, a_changed_submodule_has_no_hash)
{
	char a[HASH_HEX];

	sh("git init -q -b main sub && cd sub && git init -q -b main inner && cd inner && "
	   "echo i >i && git add i && git commit -q -m i && cd .. && echo s >s && git add s inner "
	   "&& "
	   "git commit -q -m s && cd .. && git add sub && git commit -q -m sub");
	hash_scoped(NULL, NULL, a);
	cannot("echo t >sub/s", "'sub' is a repository of its own and has changed");
	cannot("echo s >sub/s && touch sub/new", "'sub' is a repository of its own");
	cannot("rm sub/new && echo j >sub/inner/i", "'sub' is a repository of its own");
	sh("echo i >sub/inner/i");
	hash_scoped(NULL, NULL, a);
	cannot("cd sub && git commit -q --allow-empty -m t", "'sub' is a repository of its own");
	cannot("cd sub && git reset -q --hard HEAD^ && git update-index --assume-unchanged s && "
	       "echo t >s",
	    "'sub' is a repository of its own");
	sh("rm -rf sub && mkdir sub");
	cr_expect_eq(entries(), 0, "a submodule that is not checked out");
}

Test(git, changed_paths_are_listed)
{
	struct git_tree t;
	struct strings paths = { 0 };
	struct error e = { 0 };
	char *first = git_head(top);

	cr_assert_not_null(first);
	sh("echo x >src/a.c; git commit -q -a -m two; echo y >doc/d.md; echo z >new");
	cr_assert_eq(git_tree(&t, top, LONG, &e), 0);
	cr_assert_eq(git_changed(&t, NULL, LONG, &paths, &e), 0, "%s", e.text);
	cr_expect_eq(paths.count, 2, "since HEAD: %zu", paths.count);
	strings_free(&paths);
	cr_assert_eq(git_changed(&t, first, LONG, &paths, &e), 0, "%s", e.text);
	cr_expect(strings_has(&paths, "src/a.c") && strings_has(&paths, "doc/d.md") &&
		      strings_has(&paths, "new") && !strings_has(&paths, "src/b.c"),
	    "since the first commit");
	strings_free(&paths);
	sh("git show HEAD^:src/a.c >src/a.c && git rm -q --cached src/b.c");
	git_tree_free(&t);
	cr_assert_eq(git_tree(&t, top, LONG, &e), 0);
	cr_assert_eq(git_changed(&t, first, LONG, &paths, &e), 0, "%s", e.text);
	cr_expect(strings_has(&paths, "src/a.c") && strings_has(&paths, "src/b.c"),
	    "paths that differ from the first commit");
	strings_free(&paths);
	cr_expect_eq(
	    git_changed(&t, "--output=x", LONG, &paths, &e), -1, "an option is not a commit");
	cr_expect_eq(git_changed(&t, "0123456789012345678901234567890123456789", LONG, &paths, &e),
	    -1, "an unknown commit is an error");
	strings_free(&paths);
	cr_assert_eq(git_paths(&t, LONG, &paths, &e), 0);
	cr_expect(strings_has(&paths, "new") && strings_has(&paths, "src/b.c"));
	strings_free(&paths);
	git_tree_free(&t);
	free(first);
}

/* Our own reading of HEAD equals that of git, in every layout. */
Test(git, head_is_read_in_every_layout)
{
	static const char *const layouts[] = { "true", "git checkout -q --detach",
		"git checkout -q main && git pack-refs --all", "git checkout -q -b x/y/z",
		"git worktree add -q wt && cd wt && git commit -q --allow-empty -m w && cd .. && "
		"mv wt w1 "
		"&& git worktree repair w1" };
	struct git_tree t;
	struct error e;

	for (size_t i = 0; i < sizeof(layouts) / sizeof(layouts[0]); i++) {
		char dir[100], *head;

		sh(layouts[i]);
		snprintf(dir, sizeof(dir), "%s%s", top, i == 4 ? "/w1" : "/src");
		cr_assert_eq(git_tree(&t, dir, LONG, &e), 0, "%s: %s", layouts[i], e.text);
		head = git_head(dir);
		cr_expect(head != NULL && t.head != NULL && strcmp(head, t.head) == 0, "%s: %s",
		    layouts[i], head);
		free(head);
		git_tree_free(&t);
	}
}

Test(git, the_default_branch_of_the_remote_is_read)
{
	static const struct {
		const char *script;
		bool known;
	} rows[] = {
		{ "true", false },
		{ "git update-ref refs/remotes/origin/x/y HEAD", false },
		{ "git symbolic-ref refs/remotes/origin/HEAD refs/remotes/origin/x/y", true },
		{ "git pack-refs --all", true },
		{ "echo 'ref: refs/heads/main' >.git/refs/remotes/origin/HEAD", false },
		{ "echo 'ref: refs/remotes/origin/../../heads/main' "
		  ">.git/refs/remotes/origin/HEAD",
		    false },
		{ "git rev-parse HEAD >.git/refs/remotes/origin/HEAD", false },
		{ "echo 'ref: refs/remotes/origin/x/y' >.git/refs/remotes/origin/HEAD", true },
		{ "git update-ref -d refs/remotes/origin/x/y", false },
		{ "git rev-parse HEAD >'.git/refs/remotes/origin/a b' && "
		  "echo 'ref: refs/remotes/origin/a b' >.git/refs/remotes/origin/HEAD",
		    false },
	};
	char *common = git_common(top), *head = git_head(top),
	     *want = mem_printf("%s refs/remotes/origin/x/y", head);

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		char *branch;

		sh(rows[i].script);
		branch = git_default_branch(common);
		cr_expect(
		    rows[i].known ? branch != NULL && strcmp(branch, want) == 0 : branch == NULL,
		    "%s: %s", rows[i].script, branch);
		free(branch);
	}
	free(want);
	free(head);
	free(common);
}

Test(git, a_repository_without_commits_is_handled)
{
	char a[HASH_HEX], b[HASH_HEX];

	struct git_tree t;
	struct strings paths = { 0 };
	struct error e = { 0 };
	char *first = git_head(top);

	sh("git checkout -q --orphan other");
	cr_assert_eq(git_tree(&t, top, LONG, &e), 0, "%s", e.text);
	cr_expect_eq(git_changed(&t, first, LONG, &paths, &e), -1, "no commit to compare with");
	cr_expect(strstr(e.text, "no commit") != NULL, "%s", e.text);
	git_tree_free(&t);
	strings_free(&paths);
	free(first);
	sh("rm -rf .git && git init -q -b main .");
	cr_expect_null(git_head(top));
	hash_scoped(NULL, NULL, a);
	sh("echo z >src/a.c");
	hash_scoped(NULL, NULL, b);
	cr_expect_str_neq(a, b);
}

Test(git, different_paths_of_two_trees_are_listed)
{
	struct git_tree a, b;
	struct strings paths = { 0 };
	struct error e;

	sh("echo 1 >same; echo 1 >src/a.c; echo 1 >gone");
	cr_assert_eq(git_tree(&a, top, LONG, &e), 0);
	sh("echo 2 >src/a.c; rm gone; echo 1 >fresh");
	cr_assert_eq(git_tree(&b, top, LONG, &e), 0);
	git_tree_difference(&a, &b, NULL, NULL, &paths);
	cr_expect_eq(paths.count, 3);
	cr_expect(strings_has(&paths, "src/a.c") && strings_has(&paths, "gone") &&
		  strings_has(&paths, "fresh"));
	strings_free(&paths);
	git_tree_free(&a);
	git_tree_free(&b);
}

Test(git, files_outside_a_repository_have_a_hash)
{
	struct strings files = { 0 }, writes = { 0 };
	char a[HASH_HEX], b[HASH_HEX], *why;

	sh("rm -rf .git");
	cr_expect_eq(git_files_hash(top, &files, &writes, a, &why), 0, "no files are given");
	free(why);
	strings_add(&files, "src/**");
	cr_expect_eq(git_files_hash(top, &files, &writes, a, &why), 1);
	sh("echo x >doc/d.md; touch src/a.c");
	cr_expect_eq(git_files_hash(top, &files, &writes, b, &why), 1);
	cr_expect_str_eq(a, b);
	sh("echo x >src/a.c");
	cr_expect_eq(git_files_hash(top, &files, &writes, b, &why), 1);
	cr_expect_str_neq(a, b);
	strings_add(&writes, "src/a.c");
	cr_expect_eq(git_files_hash(top, &files, &writes, a, &why), 1);
	sh("echo y >src/a.c");
	cr_expect_eq(git_files_hash(top, &files, &writes, b, &why), 1);
	cr_expect_str_eq(a, b);
	strings_free(&files);
	strings_add(&files, "no-such-file");
	cr_expect_eq(
	    git_files_hash(top, &files, &writes, a, &why), 0, "a pattern that matches nothing");
	cr_expect(why != NULL && strstr(why, "no file") != NULL, "%s", why);
	free(why);
	strings_free(&files);
	strings_free(&writes);
}

static int
descriptors(void)
{
	DIR *d = opendir("/proc/self/fd");
	int n = 0;

	cr_assert_neq(d, NULL);
	while (readdir(d) != NULL)
		n++;
	closedir(d);
	return n;
}

Test(git, a_tree_that_is_too_deep_leaks_no_descriptor)
{
	struct strings files = { 0 }, writes = { 0 };
	char hash[HASH_HEX], *why;
	int before;

	sh("rm -rf .git; d=src; for i in $(seq 80); do d=$d/d; done; mkdir -p $d");
	strings_add(&files, "**");
	before = descriptors();
	cr_expect_eq(git_files_hash(top, &files, &writes, hash, &why), 0);
	cr_expect(why != NULL && strstr(why, "cannot be read") != NULL, "%s", why);
	cr_expect_eq(descriptors(), before);
	free(why);
	strings_free(&files);
}
