/*
 * Check a list in CI.
 *
 * The chain of the journal is recomputed, every completed task must have its
 * receipt in it, and the receipt must be about this subject and description.
 * If there is nothing to check, the check fails unless --allow-empty is given.
 */
#include "ci.h"

#include <sys/stat.h>

#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/text.h"
#include "ci-gates.h"
#include "ci-report.h"
#include "ci-rerun.h"
#include "ci-task.h"
#include "list/journal.h"
#include "list/receipt.h"
#include "sys/file.h"

#define INPUT_MAX (1u << 30)
#define DEADLINE_MAX 86400 /* seconds */
#define STATUS_USAGE 64

static const char ci_usage[] =
    "usage: on-task-completed-verify --ci [options] [FILE | LIST-DIRECTORY]\n"
    "\n"
    "Checks that every completed task of a list has an intact receipt.  FILE is an export\n"
    "(claude-tasks receipts export); without it the list is found as the hooks find it.\n"
    "\n"
    "  --list NAME         the list of this name; an export must be of it\n"
    "  --tasks FILE        take the tasks from this file (a Task[]) instead of the export\n"
    "  --checkout DIR      the tree the work is in (default: the current directory)\n"
    "  --base REF          the target branch: its gate file judges, changes count from there\n"
    "                      (default: that of the pull or merge request that CI names)\n"
    "  --rerun             run every blocking gate again, on this tree\n"
    "  --trust             run the gate files although they were not trusted here\n"
    "  --config FILE       use this gate file\n"
    "  --allowed-signers FILE\n"
    "                      one of them must have signed the export (receipts export --sign)\n"
    "  --deadline SECONDS  for all gates together, up to 86400 (default: none)\n"
    "  --allow-forced      a completion that a person forced is fine\n"
    "  --allow-empty       a list without completed tasks is fine\n"
    "  --junit FILE        write JUnit XML\n"
    "  --json FILE         write JSON\n"
    "  --github            print annotations for GitHub Actions\n"
    "\n"
    "Exit status: 0 all is proven; 2 something is not, or nothing was checked; 64 usage;\n"
    "1 the check itself failed.\n";

struct input {
	char *list; /* name */
	struct task_set tasks;
	struct buf journal;
	struct receipts receipts;
};

static void
input_free(struct input *in)
{
	free(in->list);
	task_set_free(&in->tasks);
	buf_free(&in->journal);
	receipts_free(&in->receipts);
}

/* The export must be signed by somebody in the file of signers. */
static int
check_signature(
    const struct ci_options *o, const struct buf *text, struct ci_report *r, struct error *e)
{
	char *path = mem_printf("%s" RECEIPT_SIGNATURE, o->input), *found = NULL;
	int rc = receipt_signed(o->signers, path, buf_text(text), text->len, &found, e);

	if (rc != -1)
		ci_add(r, rc == 1 ? CI_GOOD : CI_BAD, "sign", mem_string("export"),
		    rc == 1 ? mem_printf("signed by %s", found) : mem_string(found), 0);
	free(found);
	free(path);
	return rc == -1 ? -1 : 0;
}

/* An export.  Its journal must have the lines and the head that it says. */
static int
load_export(struct input *in, const struct ci_options *o, struct ci_report *r, struct error *e)
{
	struct receipt_file f = { 0 };
	struct journal_check check;
	struct buf text = { 0 };
	struct error why;
	int rc = file_read_path(o->input, INPUT_MAX, &text, e);

	if (rc == 0)
		rc = error_set(e, ERROR_NOT_FOUND, "there is no file '%s'", o->input);
	if (rc != -1 && (rc = receipt_import(&f, buf_text(&text), text.len, e)) == -1)
		error_prefix(e,
		    "'%s' is not an export of receipts (claude-tasks receipts export writes one)",
		    o->input);
	if (rc != -1 && o->signers != NULL && (rc = check_signature(o, &text, r, e)) == -1)
		receipt_file_free(&f);
	buf_free(&text);
	if (rc == -1)
		return -1;
	journal_verify_text(buf_text(&f.journal), f.journal.len, NULL, &check, &why);
	if (check.bad_line == 0 &&
	    ((int64_t)check.lines != f.lines || strcmp(check.head, f.head) != 0))
		ci_add(r, CI_BAD, "chain", mem_string("export"),
		    mem_printf("lines are missing at its end: it was made of %lld, %llu are there",
			(long long)f.lines, (unsigned long long)check.lines),
		    0);
	in->list = f.list;
	in->tasks = f.tasks;
	in->journal = f.journal;
	free(f.head);
	return 0;
}

static int
load_list(struct input *in, const struct ci_options *o, struct error *e)
{
	struct list_query q = { .list = o->list,
		.dir = o->input,
		.session_id = getenv("CLAUDE_CODE_SESSION_ID"),
		.cwd = o->checkout };
	struct list list = { 0 };
	struct store st = STORE_INIT;
	int fd, rc = -1;

	if (list_find(&list, &q, e) == -1)
		goto out;
	in->list = mem_string(list.name);
	if ((rc = store_open(&st, list.dir, false, e)) == 0)
		rc = error_set(e, ERROR_NOT_FOUND, "there is no task list at '%s' (%s)", list.dir,
		    list.why != NULL ? list.why : "?");
	if (rc == -1 || (rc = store_load(&st, &in->tasks, e)) == -1)
		goto out;
	if ((fd = list_state(&list, false, e)) == -1)
		rc = e->kind == ERROR_NOT_FOUND ? 0 : -1;
	else
		rc = file_read(fd, JOURNAL_FILE, 0, INPUT_MAX, &in->journal, e);
out:
	store_close(&st);
	list_free(&list);
	return rc == -1 ? -1 : 0;
}

static void
check_chain(struct input *in, const struct ci_options *o, struct ci_report *r)
{
	const char *list = o->list != NULL ? o->list : in->list;
	struct journal_check check;
	struct error e;

	if (in->journal.len == 0) {
		/* Without completed tasks there need not be a journal. */
		ci_add(r, r->completed > 0 ? CI_BAD : CI_NOTE, "chain", mem_string("journal"),
		    mem_string(
			"there is no journal: these hooks have not checked anything in this list"),
		    0);
		return;
	}
	if (journal_verify_text(in->journal.data, in->journal.len, list, &check, &e) == -1)
		ci_add(r, CI_BAD, "chain", mem_string("journal"), text_shown(e.text, 1000), 0);
	else
		ci_add(r, CI_GOOD, "chain", mem_string("journal"),
		    mem_printf("%llu lines, intact", (unsigned long long)check.lines), 0);
}

static int
input_load(struct input *in, const struct ci_options *o, struct ci_report *r, struct error *e)
{
	struct buf text = { 0 };
	struct stat st;
	bool file = o->input != NULL && stat(o->input, &st) == 0 && !S_ISDIR(st.st_mode);
	int rc;

	if (o->input != NULL && stat(o->input, &st) == -1)
		return error_sys(
		    e, "cannot find '%s' (claude-tasks receipts export writes one)", o->input);
	if (!file && o->signers != NULL)
		ci_add(r, CI_BAD, "sign", mem_string("list"),
		    mem_string("--allowed-signers needs an export: a list has no signature"), 0);
	if ((rc = file ? load_export(in, o, r, e) : load_list(in, o, e)) == -1)
		return -1;
	if (o->tasks != NULL) {
		task_set_free(&in->tasks);
		rc = file_read_path(o->tasks, INPUT_MAX, &text, e);
		if (rc == 0)
			rc = error_set(e, ERROR_NOT_FOUND, "there is no file '%s'", o->tasks);
		if (rc != -1 &&
		    (rc = receipt_tasks(&in->tasks, buf_text(&text), text.len, e)) == -1)
			error_prefix(e, "'%s'", o->tasks);
		buf_free(&text);
	}
	return rc == -1 ? -1 : 0;
}

static int
ci_judge(const struct ci_options *o, struct ci_gates *g, struct input *in, struct ci_report *r,
    struct error *e)
{
	struct ci_judge judge = {
		.options = o, .gates = g, .receipts = &in->receipts, .report = r
	};
	int rc = receipts_read_text(buf_text(&in->journal), in->journal.len, &in->receipts, e);

	r->list = ci_shown(in->list);
	r->tasks = in->tasks.count;
	for (size_t i = 0; i < in->tasks.count; i++)
		r->completed += ci_must_prove(&in->tasks.item[i], &in->receipts);
	check_chain(in, o, r);
	judge.chain = ci_bad(r) == 0;
	/* A line that cannot be parsed was reported by check_chain(). */
	if ((rc == -1 && judge.chain) || ci_gates_read_past(g, &in->receipts, e) == -1 ||
	    ci_gates_read_others(g, &in->receipts, e) == -1 ||
	    ci_tasks(&judge, &in->tasks, e) == -1)
		return -1;
	return ci_rerun(o, g, r, &in->tasks, &in->receipts, e);
}

static int
ci_check(const struct ci_options *o, struct ci_report *r, struct error *e)
{
	struct input in = { 0 };
	struct ci_gates gates = { 0 };
	int rc = ci_gates_load(&gates, o, r, e);

	if (rc == 0 && (rc = input_load(&in, o, r, e)) == 0)
		rc = ci_judge(o, &gates, &in, r, e);
	input_free(&in);
	ci_gates_free(&gates);
	return rc;
}

static int
write_file(const char *path, const struct buf *b)
{
	struct error e = { 0 };
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666), rc;

	if (fd == -1) {
		fprintf(stderr, "on-task-completed-verify: cannot write '%s': %s\n", path,
		    strerror(errno));
		return -1;
	}
	if ((rc = file_write_all(fd, b->data, b->len, &e)) == -1)
		fprintf(stderr, "on-task-completed-verify: '%s': %s\n", path, e.text);
	close(fd);
	return rc;
}

static int
ci_write(const struct ci_options *o, const struct ci_report *r)
{
	struct buf b = { 0 };
	int rc = 0;

	ci_table(r, stdout);
	if (o->github)
		ci_github(r, stdout);
	if (o->junit != NULL) {
		ci_junit(r, &b);
		rc |= write_file(o->junit, &b);
	}
	buf_reset(&b);
	if (o->json != NULL) {
		ci_json(r, &b);
		rc |= write_file(o->json, &b);
	}
	buf_free(&b);
	if (fflush(stdout) == EOF)
		rc = -1;
	return rc;
}

/* 0; 64 usage; -1 help was asked for. */
static int
ci_parse(int argc, char *argv[], struct ci_options *o)
{
	const char **const text[] = { &o->list, &o->tasks, &o->checkout, &o->config, &o->junit,
		&o->json, &o->base, &o->signers };
	const struct option options[] = {
		{ "list", required_argument, NULL, 1 }, /* text[0] and so on */
		{ "tasks", required_argument, NULL, 2 },
		{ "checkout", required_argument, NULL, 3 },
		{ "config", required_argument, NULL, 4 },
		{ "junit", required_argument, NULL, 5 },
		{ "json", required_argument, NULL, 6 },
		{ "base", required_argument, NULL, 7 },
		{ "allowed-signers", required_argument, NULL, 8 },
		{ "deadline", required_argument, NULL, 'd' },
		{ "help", no_argument, NULL, 'h' },
		{ "rerun", no_argument, &o->rerun, true },
		{ "trust", no_argument, &o->trust, true },
		{ "allow-forced", no_argument, &o->allow_forced, true },
		{ "allow-empty", no_argument, &o->allow_empty, true },
		{ "github", no_argument, &o->github, true },
		{ NULL, 0, NULL, 0 },
	};
	int64_t seconds;
	int ch;

	optind = 0;
	while ((ch = getopt_long(argc, argv, "", options, NULL)) != -1) {
		if (ch == 'h')
			return -1;
		if (ch == 'd' && text_number(optarg, 1, DEADLINE_MAX, &seconds))
			o->deadline_ms = seconds * 1000;
		else if (ch == 'd' || ch == '?')
			return STATUS_USAGE;
		else if (ch > 0)
			*text[ch - 1] = optarg;
	}
	o->input = argv[optind];
	return optind < argc - 1 ? STATUS_USAGE : 0;
}

int
ci_main(int argc, char *argv[])
{
	struct ci_options o = { 0 };
	struct ci_report r = { 0 };
	struct error e = { 0 };
	char **args = mem_alloc(((size_t)argc + 2) * sizeof(*args));
	int rc;

	/* getopt wants a program's name first. */
	args[0] = (char *)"on-task-completed-verify --ci";
	memcpy(args + 1, argv, (size_t)argc * sizeof(*args));
	rc = ci_parse(argc + 1, args, &o);
	if (rc != 0) {
		fputs(ci_usage, rc == -1 ? stdout : stderr);
		free(args);
		return rc == -1 ? 0 : rc;
	}
	r.empty_allowed = o.allow_empty;
	if (ci_check(&o, &r, &e) == -1) {
		char *text = ci_shown(e.text);

		fprintf(stderr, "on-task-completed-verify: %s\n", text);
		free(text);
		rc = 1;
	} else if (ci_write(&o, &r) == -1)
		rc = 1;
	else
		rc = ci_status(&r);
	ci_report_free(&r);
	free(args);
	return rc;
}
