/*
 * The part of Criterion that the unit tests use, in one header, for systems that Criterion is not
 * packaged for: musl, other processors under an emulator, macOS.  -isystem tests/criterion-small
 *
 * Each test runs in a child process.  The program takes names of tests (SUITE/NAME) and runs only
 * these; it prints each that failed, then "N passed, M failed".
 */
#ifndef CRITERION_CRITERION_H
#define CRITERION_CRITERION_H

#include <sys/types.h>
#include <sys/wait.h>

#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct criterion_options {
	void (*init)(void), (*fini)(void);
	double timeout; /* seconds */
	int signal, exit_code;
};

struct criterion_test {
	const char *suite, *name; /* name NULL: the options of the suite */
	void (*run)(void);
	struct criterion_options options;
	struct criterion_test *next;
};

static struct criterion_test *criterion_first, **criterion_last = &criterion_first;
static bool criterion_failed;

static inline void
criterion_add(struct criterion_test *t)
{
	*criterion_last = t;
	criterion_last = &t->next;
}

#define CRITERION_ADD(id, suite_, name_, run_, ...)                                              \
	__attribute__((constructor)) static void criterion_add_##id(void)                        \
	{                                                                                        \
		static struct criterion_test t = { suite_, name_, run_, { __VA_ARGS__ }, NULL }; \
		criterion_add(&t);                                                               \
	}                                                                                        \
	struct criterion_test /* takes the semicolon or what follows */

#define TestSuite(suite, ...) CRITERION_ADD(suite, #suite, NULL, NULL, __VA_ARGS__)
#define Test(suite, name, ...)                                                            \
	static void suite##_##name##_test(void);                                          \
	CRITERION_ADD(suite##_##name, #suite, #name, suite##_##name##_test, __VA_ARGS__); \
	static void suite##_##name##_test(void)

__attribute__((format(printf, 5, 6))) static inline void
criterion_check(bool good, bool fatal, const char *where, const char *what, const char *fmt, ...)
{
	va_list ap;

	if (good)
		return;
	printf("%s: %s ", where, what);
	va_start(ap, fmt);
	vprintf(fmt, ap);
	va_end(ap);
	printf("\n");
	criterion_failed = true;
	if (fatal) {
		fflush(NULL);
		_exit(1);
	}
}

static inline bool
criterion_same(const char *a, const char *b)
{
	return a != NULL && b != NULL && strcmp(a, b) == 0;
}

#define CRITERION_TEXT(x) CRITERION_TEXT_(x)
#define CRITERION_TEXT_(x) #x
#define CRITERION_CHECK(good, fatal, what, ...) \
	criterion_check((good), fatal, __FILE__ ":" CRITERION_TEXT(__LINE__), what, "" __VA_ARGS__)

#define cr_expect(a, ...) CRITERION_CHECK((a), false, #a, __VA_ARGS__)
#define cr_expect_not(a, ...) CRITERION_CHECK(!(a), false, "not " #a, __VA_ARGS__)
#define cr_expect_null(a, ...) CRITERION_CHECK((a) == NULL, false, #a " is NULL", __VA_ARGS__)
#define cr_expect_not_null(a, ...) \
	CRITERION_CHECK((a) != NULL, false, #a " is not NULL", __VA_ARGS__)
#define cr_expect_eq(a, b, ...) CRITERION_CHECK((a) == (b), false, #a " == " #b, __VA_ARGS__)
#define cr_expect_neq(a, b, ...) CRITERION_CHECK((a) != (b), false, #a " != " #b, __VA_ARGS__)
#define cr_expect_lt(a, b, ...) CRITERION_CHECK((a) < (b), false, #a " < " #b, __VA_ARGS__)
#define cr_expect_leq(a, b, ...) CRITERION_CHECK((a) <= (b), false, #a " <= " #b, __VA_ARGS__)
#define cr_expect_gt(a, b, ...) CRITERION_CHECK((a) > (b), false, #a " > " #b, __VA_ARGS__)
#define cr_expect_geq(a, b, ...) CRITERION_CHECK((a) >= (b), false, #a " >= " #b, __VA_ARGS__)
#define cr_expect_str_eq(a, b, ...) \
	CRITERION_CHECK(criterion_same(a, b), false, #a " is " #b, __VA_ARGS__)
#define cr_expect_str_neq(a, b, ...) \
	CRITERION_CHECK(!criterion_same(a, b), false, #a " is not " #b, __VA_ARGS__)
#define cr_assert(a, ...) CRITERION_CHECK((a), true, #a, __VA_ARGS__)
#define cr_assert_not_null(a, ...) \
	CRITERION_CHECK((a) != NULL, true, #a " is not NULL", __VA_ARGS__)
#define cr_assert_eq(a, b, ...) CRITERION_CHECK((a) == (b), true, #a " == " #b, __VA_ARGS__)
#define cr_assert_neq(a, b, ...) CRITERION_CHECK((a) != (b), true, #a " != " #b, __VA_ARGS__)
#define cr_assert_gt(a, b, ...) CRITERION_CHECK((a) > (b), true, #a " > " #b, __VA_ARGS__)
#define cr_assert_str_eq(a, b, ...) \
	CRITERION_CHECK(criterion_same(a, b), true, #a " is " #b, __VA_ARGS__)

/* In the child process: does not return. */
static inline void
criterion_run(const struct criterion_test *t)
{
	struct criterion_options o = t->options;

	for (const struct criterion_test *s = criterion_first; s != NULL; s = s->next)
		if (s->name == NULL && strcmp(s->suite, t->suite) == 0) {
			o.init = o.init != NULL ? o.init : s->options.init;
			o.fini = o.fini != NULL ? o.fini : s->options.fini;
			o.timeout = o.timeout > 0 ? o.timeout : s->options.timeout;
		}
	alarm((unsigned)o.timeout);
	if (o.init != NULL)
		o.init();
	t->run();
	if (o.fini != NULL)
		o.fini();
	fflush(NULL);
	_exit(criterion_failed ? 1 : 0);
}

static inline bool
criterion_wanted(const struct criterion_test *t, char *const *name)
{
	char full[256];

	snprintf(full, sizeof(full), "%s/%s", t->suite, t->name);
	for (; *name != NULL; name++)
		if (strcmp(*name, full) == 0)
			return true;
	return false;
}

int
main(int argc, char *argv[])
{
	unsigned passed = 0, failed = 0;

	for (const struct criterion_test *t = criterion_first; t != NULL; t = t->next) {
		int status = -1;
		pid_t pid;

		if (t->name == NULL || (argc > 1 && !criterion_wanted(t, argv + 1)))
			continue;
		fflush(NULL);
		if ((pid = fork()) == 0)
			criterion_run(t);
		if (pid != -1 && waitpid(pid, &status, 0) == pid &&
		    (t->options.signal != 0
			    ? WIFSIGNALED(status) && WTERMSIG(status) == t->options.signal
			    : WIFEXITED(status) && WEXITSTATUS(status) == t->options.exit_code)) {
			passed++;
			continue;
		}
		failed++;
		printf("FAIL %s/%s (wait status %#x)\n", t->suite, t->name, (unsigned)status);
	}
	printf("%u passed, %u failed\n", passed, failed);
	return failed != 0;
}

#endif
