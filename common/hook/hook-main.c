/*
 * hook: the command line that all hooks share.
 *
 * A wrong option in settings.json ends with status 64, which the client
 * reports as a hook that failed; 2 would refuse every call from then on.
 */
#include <getopt.h>
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "hook/hook.h"

enum { STATUS_USAGE = 64 };
enum { OPT_CONFIG = 256, OPT_LIST, OPT_DIR, OPT_DEADLINE, OPT_EXPLAIN, OPT_HELP, OPT_VERSION };

static const struct option options[] = {
	{ "config", required_argument, NULL, OPT_CONFIG },
	{ "deadline", required_argument, NULL, OPT_DEADLINE },
	{ "dir", required_argument, NULL, OPT_DIR },
	{ "explain", no_argument, NULL, OPT_EXPLAIN },
	{ "help", no_argument, NULL, OPT_HELP },
	{ "list", required_argument, NULL, OPT_LIST },
	{ "version", no_argument, NULL, OPT_VERSION },
	{ NULL, 0, NULL, 0 },
};

static void
help(const struct hook_spec *spec)
{
	printf("%s: %s\n\n"
	       "usage: %s [options] <EVENT\n"
	       "  --explain           change nothing; print the facts, the rule that decides,\n"
	       "                      the answer and what would be written\n"
	       "  --config FILE       settings and gates from FILE instead of the project's\n"
	       "  --list NAME         this list instead of the event's\n"
	       "  --dir DIR           the list in this directory\n"
	       "  --deadline SECONDS  answer within this time instead of the one in the settings\n"
	       "                      (default 540); keep it below the timeout in settings.json\n"
	       "  --help, --version\n",
	    spec->name, spec->summary, spec->name);
	if (spec->ci != NULL)
		printf("  --ci ...            check a whole list, without an event; see --ci "
		       "--help\n");
	printf("\nStandard input is one event of Claude Code as JSON.  Exit status: 0 pass,\n"
	       "2 refused (the reason is on both outputs), 64 wrong options.\n");
}

static int
usage(const struct hook_spec *spec, const char *problem, const char *word)
{
	static const char *const names[] = { "--config", "--deadline", "--dir", "--explain",
		"--help", "--list", "--version" };
	struct buf b = { 0 };
	const char *near = NULL;

	text_show(&b, word, strlen(word), TEXT_LINE, TEXT_SUBJECT);
	if (strncmp(word, "--", 2) == 0)
		near = text_nearest(word, names, sizeof(names) / sizeof(names[0]));
	fprintf(stderr, "%s: %s '%s'%s%s; try --help\n", spec->name, problem, buf_text(&b),
	    near != NULL ? ", did you mean " : "", near != NULL ? near : "");
	buf_free(&b);
	return STATUS_USAGE;
}

/* -1: go on; else the exit status. */
static int
option(struct hook *h, int opt, char *argv[])
{
	int64_t seconds;

	switch (opt) {
	case OPT_CONFIG:
		h->in.config_file = optarg;
		return -1;
	case OPT_LIST:
		h->in.list_name = optarg;
		return -1;
	case OPT_DIR:
		h->in.dir = optarg;
		return -1;
	case OPT_EXPLAIN:
		h->explain = true;
		return -1;
	case OPT_DEADLINE:
		if (!text_number(optarg, 1, 86400, &seconds))
			return usage(h->spec,
			    "--deadline takes a whole number of seconds from 1 to 86400, not",
			    optarg);
		h->limit_ms = seconds * 1000;
		return -1;
	case OPT_HELP:
		help(h->spec);
		return 0;
	case OPT_VERSION:
		printf("%s %s\n", h->spec->name, VERSION);
		return 0;
	case ':':
		return usage(h->spec, "a value is missing after", argv[optind - 1]);
	default:
		return usage(h->spec, "no such option", argv[optind - 1]);
	}
}

int
hook_main(const struct hook_spec *spec, int argc, char *argv[])
{
	struct hook h;
	int opt, status;

	if (argc > 1 && spec->ci != NULL && strcmp(argv[1], "--ci") == 0)
		return spec->ci(argc - 2, argv + 2);
	hook_guard(&h, spec);
	opterr = 0;
	while (argc > 1 && (opt = getopt_long(argc, argv, ":", options, NULL)) != -1)
		if ((status = option(&h, opt, argv)) != -1)
			return status;
	if (argc > 1 && optind < argc)
		return usage(spec, "not an option:", argv[optind]);
	return hook_run_supervised(&h);
}
