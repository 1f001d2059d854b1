/*
 * Cached verdicts: found only under their key and until they are too old, and
 * limited in number.
 */
#include <criterion/criterion.h>
#include <sys/stat.h>

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/hash.h"
#include "gate/cache.h"

static char top[64];
static int state;

static void
make_top(void)
{
	snprintf(top, sizeof(top), "/tmp/test-cache-XXXXXX");
	cr_assert_not_null(mkdtemp(top));
	cr_assert_neq(state = open(top, O_RDONLY | O_DIRECTORY), -1);
}

static void
remove_top(void)
{
	char *command = mem_printf("rm -rf %s", top);

	close(state);
	cr_expect_eq(system(command), 0);
	free(command);
}

TestSuite(cache, .init = make_top, .fini = remove_top);

static void
key_of(const char *text, char out[HASH_HEX])
{
	hash_text(text, strlen(text), out);
}

static void
put(const char *text, int64_t time_ms)
{
	struct cache_entry entry = {
		.time_ms = time_ms, .ms = 12, .output_total = 7, .flaky = true
	};
	struct error e;
	char key[HASH_HEX];

	key_of(text, key);
	key_of("output", entry.digest);
	cr_assert_eq(cache_put(state, key, "gate", &entry, &e), 0, "%s", e.text);
}

static bool
find(const char *text, int64_t ttl_ms)
{
	struct cache_entry entry;
	char key[HASH_HEX];

	key_of(text, key);
	return cache_find(state, key, ttl_ms, &entry);
}

Test(cache, a_verdict_is_found_until_it_is_too_old)
{
	int64_t now = clock_wall_ms();
	struct cache_entry entry;
	char key[HASH_HEX], digest[HASH_HEX];

	cr_expect_not(find("a", 1000000), "an empty cache");
	put("a", now);
	key_of("a", key);
	key_of("output", digest);
	cr_assert(cache_find(state, key, 3600000, &entry));
	cr_expect(entry.ms == 12 && entry.output_total == 7 && entry.flaky);
	cr_expect_str_eq(entry.digest, digest);
	cr_expect_not(find("b", 3600000), "another key");
	put("old", now - 7200000);
	cr_expect_not(find("old", 3600000), "too old");
	cr_expect(find("old", 36000000), "a longer ttl");
	put("future", now + 7200000);
	cr_expect_not(find("future", 36000000), "a time in the future");
}

Test(cache, a_broken_entry_is_not_found)
{
	static const char *const broken[] = { "", "{", "[]", "{}", "{\"key\":\"x\"}",
		"{\"key\":1,\"time\":1,\"ms\":1,\"output\":1,\"digest\":\"x\"}" };
	char key[HASH_HEX], other[HASH_HEX], *path;

	put("a", clock_wall_ms());
	key_of("a", key);
	path = mem_printf("%s/cache/%s.json", top, key);
	for (size_t i = 0; i < sizeof(broken) / sizeof(broken[0]); i++) {
		FILE *f = fopen(path, "w");

		cr_assert_not_null(f);
		fputs(broken[i], f);
		fclose(f);
		cr_expect_not(find("a", 3600000), "%s", broken[i]);
	}
	unlink(path);
	cr_assert_eq(mkfifo(path, 0600), 0);
	cr_expect_not(find("a", 3600000), "a FIFO");
	free(path);
	/* A file with the name of another entry. */
	put("b", clock_wall_ms());
	key_of("b", key);
	key_of("c", other);
	path = mem_printf("cp %s/cache/%s.json %s/cache/%s.json", top, key, top, other);
	cr_assert_eq(system(path), 0);
	cr_expect_not(find("c", 3600000), "the key in the file is compared");
	free(path);
}

Test(cache, the_oldest_entries_are_removed)
{
	struct dirent *d;
	DIR *dir;
	char *path = mem_printf("%s/cache", top);
	size_t count = 0;

	for (int i = 0; i < CACHE_MAX + 20; i++) {
		char text[16];

		snprintf(text, sizeof(text), "%d", i);
		put(text, clock_wall_ms());
	}
	cr_assert_not_null(dir = opendir(path));
	while ((d = readdir(dir)) != NULL)
		count += d->d_name[0] != '.';
	closedir(dir);
	cr_expect_eq(count, CACHE_MAX);
	cr_expect(find("519", 3600000), "the newest entry is found");
	cr_expect_not(find("0", 3600000), "the oldest entry is removed");
	free(path);
}

Test(cache, the_key_depends_on_tree_directory_and_command)
{
	struct gate g = { .name = (char *)"g", .cache = true, .ttl_ms = -1 };
	struct strings env = { 0 };
	char a[HASH_HEX], b[HASH_HEX];

	strings_add(&g.argv, "make");
	cache_key(&g, "tree", "/p", &env, a);
	cache_key(&g, "tree", "/p", &env, b);
	cr_expect_str_eq(a, b);
	cache_key(&g, "tree2", "/p", &env, b);
	cr_expect_str_neq(a, b, "the tree");
	cache_key(&g, "tree", "/q", &env, b);
	cr_expect_str_neq(a, b, "the directory");
	strings_add(&env, "A=1");
	cache_key(&g, "tree", "/p", &env, b);
	cr_expect_str_neq(a, b, "the environment");
	strings_free(&env);
	strings_add(&env, "PATH=/usr/bin:/bin");
	cache_key(&g, "tree", "/p", &env, a);
	strings_free(&env);
	strings_add(&env, "PATH=/elsewhere:/usr/bin:/bin");
	cache_key(&g, "tree", "/p", &env, b);
	cr_expect_str_neq(a, b, "another PATH that finds the same program");
	strings_add(&env, "A=1");
	cache_key(&g, "tree", "/p", &env, a);
	strings_free(&env);
	strings_add(&env, "A=1");
	strings_add(&env, "PATH=/elsewhere:/usr/bin:/bin");
	cache_key(&g, "tree", "/p", &env, b);
	cr_expect_str_eq(a, b, "the order of the environment");
	strings_free(&env);
	cache_key(&g, "tree", "/p", &env, a);
	strings_add(&g.argv, "test");
	cache_key(&g, "tree", "/p", &env, b);
	cr_expect_str_neq(a, b, "the command");
	strings_free(&g.argv);
}
