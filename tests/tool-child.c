/*
 * child.h from the command line, for check-child:
 *
 *	tool-child [-t MS] [-n COUNT] PROGRAM [ARGUMENT...]
 *
 * Runs the program COUNT times at once, prints one line per run and the
 * last bytes of its output.  On SIGTERM it stops its children.
 */
#include <err.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "sys/child.h"

static void
on_term(int sig)
{
	(void)sig;
	child_stop_all();
}

int
main(int argc, char *argv[])
{
	struct child child[16], *list[16];
	struct child_spec spec = { .deadline = deadline_in(60000) };
	struct error e;
	size_t count = 1;
	int ch;

	while ((ch = getopt(argc, argv, "+t:n:")) != -1) {
		if (ch == 't')
			spec.deadline = deadline_in(atoi(optarg));
		else if (ch == 'n')
			count = (size_t)atoi(optarg);
		else
			return 64;
	}
	if (optind == argc || count == 0 || count > 16)
		return 64;
	signal(SIGTERM, on_term);
	spec.argv = argv + optind;
	for (size_t i = 0; i < count; i++) {
		list[i] = &child[i];
		if (child_start(&child[i], &spec, &e) == -1)
			errx(1, "%s", e.text);
	}
	printf("started\n");
	fflush(stdout);
	for (size_t i = 0; i < count; i++) {
		struct buf b = { 0 };

		while (!child[i].done)
			child_wait(&list[i], 1, DEADLINE_NEVER);
		child_describe(&b, &child[i]);
		printf("%s; %llu bytes, %u strays, %u survivors\n", buf_text(&b),
		    (unsigned long long)child[i].total, child[i].strays, child[i].survivors);
		fwrite(buf_text(&child[i].tail), 1,
		    child[i].tail.len > 200 ? 200 : child[i].tail.len, stdout);
		buf_free(&b);
		child_free(&child[i]);
	}
	return 0;
}
