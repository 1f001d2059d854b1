/*
 * getopt_long is not used: flags are looked up in two tables (the command's and the common ones),
 * may come before the command is known, and for an unknown one the nearest name is printed.
 */
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "commands.h"
#include "task/macf.h"
#include "tool.h"

const struct flag cli_args_common[] = {
	{ "list", 'l', "NAME", "use this list (default: the session's, else the project's)" },
	{ "dir", 0, "DIR", "use the task files in this directory" },
	{ "json", 'j', NULL, "print JSON" },
	{ "color", 0, "WHEN", "use colours: always, never or auto" },
	{ "ascii", 0, NULL, "use ASCII symbols only" },
	{ "unicode", 0, NULL, "use Unicode symbols even if standard output is not a terminal" },
	{ "help", 'h', NULL, "show help" },
	{ 0 },
};

/* By name, or with len 0 by its letter. */
static const struct flag *
flag_in(const struct flag *f, const char *name, size_t len)
{
	for (; f != NULL && f->name != NULL; f++)
		if (len == 0 ? f->letter != 0 && f->letter == *name
			     : strlen(f->name) == len && memcmp(f->name, name, len) == 0)
			return f;
	return NULL;
}

/* A flag of the command, or a common one. */
static const struct flag *
flag_find(const struct command *k, const char *name, size_t len)
{
	const struct flag *f = k != NULL ? flag_in(k->flags, name, len) : NULL;

	return f != NULL ? f : flag_in(cli_args_common, name, len);
}

const struct flag *
cli_args_find(const struct command *k, const char *word)
{
	if (word[0] != '-' || word[1] == '\0')
		return NULL;
	if (word[1] == '-')
		return word[2] != '\0' ? flag_find(k, word + 2, strlen(word + 2)) : NULL;
	return word[2] == '\0' ? flag_find(k, word + 1, 0) : NULL;
}

static void
add_flag(struct cli *c, const struct flag *flag, const char *value)
{
	c->flags = mem_grow(c->flags, c->flag_count + 1, sizeof(*c->flags));
	c->flags[c->flag_count++] = (struct flag_value){ flag, value };
}

static int
unknown_option(struct cli *c, const char *name, size_t len)
{
	const struct flag *const tables[] = { c->command->flags, cli_args_common };
	struct strings names = { 0 };
	char *word = mem_printf("--%.*s", (int)len, name);
	int status;

	for (size_t i = 0; i < 2; i++)
		for (const struct flag *f = tables[i]; f != NULL && f->name != NULL; f++)
			strings_take(&names, mem_printf("--%s", f->name));
	status = cli_unknown(c, "option", word, (const char *const *)names.item, names.count);
	strings_free(&names);
	free(word);
	return status;
}

/* One word that begins with '-'; next is the word after it, or NULL. *used: next was taken. */
static int
parse_flag(struct cli *c, const char *word, const char *next, bool *used)
{
	const struct flag *f;
	const char *name = word + 2, *equals = strchr(word, '=');
	size_t len = equals != NULL ? (size_t)(equals - name) : strlen(name);

	*used = false;
	if (word[1] == '-') {
		f = len > 0 ? flag_find(c->command, name, len) : NULL;
		if (f == NULL)
			return unknown_option(c, name, len);
		if (f->value == NULL && equals != NULL)
			return cli_misuse(c, "--%s takes no value", f->name);
		if (f->value != NULL && equals == NULL) {
			/* Another option is not a value: "--repo --version". */
			if (next == NULL || (strncmp(next, "--", 2) == 0 &&
						cli_args_find(c->command, next) != NULL))
				return cli_misuse(c, "--%s needs a value (%s)", f->name, f->value);
			*used = true;
		}
		add_flag(c, f, equals != NULL ? equals + 1 : *used ? next : "");
		return EXIT_DONE;
	}
	for (const char *p = word + 1; *p != '\0'; p++) {
		f = flag_find(c->command, p, 0);
		if (f == NULL)
			return cli_misuse(c, "unknown option '-%c'", *p);
		if (f->value == NULL) {
			add_flag(c, f, "");
			continue;
		}
		if (p[1] == '\0' && next == NULL)
			return cli_misuse(c, "-%c needs a value (%s)", *p, f->value);
		*used = p[1] == '\0';
		add_flag(c, f, *used ? next : p + 1);
		break;
	}
	return EXIT_DONE;
}

int
cli_unknown_command(struct cli *c, const char *word)
{
	const struct command *table;
	const char *names[128];
	size_t count, n = 0;

	table = command_table(&count);
	for (size_t i = 0; i < count && n < 126; i++) {
		if (table[i].summary != NULL)
			names[n++] = table[i].name;
		if (table[i].also != NULL)
			names[n++] = table[i].also;
	}
	return cli_unknown(c, "command", word, names, n);
}

static bool
is_listed(const char *word, const char *const *words)
{
	while (*words != NULL && (word == NULL || strcmp(*words, word) != 0))
		words++;
	return *words != NULL;
}

/* Map a command name used by other documents to ours. */
static int
unknown_words(struct cli *c, char **words)
{
	static const char *const prefix[] = { "macf_tools", "task", "tasks", NULL };
	static const char *const parts[] = { "phase", "bug", NULL }; /* kinds that have a parent */
	const char *word = words[0], *kind;

	if (tool_find(word) != NULL)
		return cli_misuse(c,
		    "'%s' is a tool: claude-tasks call %s, with its input as JSON on standard "
		    "input",
		    word, word);
	while (is_listed(*words, prefix))
		words++;
	if (*words == word || *words == NULL || command_find(*words) == NULL)
		return cli_unknown_command(c, word);
	kind = words[1];
	if (strcmp(*words, "create") == 0 && is_listed(kind, macf_kinds))
		return cli_misuse(c,
		    "unknown command '%s'; write: claude-tasks create --kind %s%s TITLE", word,
		    kind, is_listed(kind, parts) ? " --parent N" : "");
	return cli_misuse(c, "unknown command '%s'; write: claude-tasks %s", word, *words);
}

/* The first word that is neither a flag nor a flag's value; -1 if none. */
static int
command_word(int argc, char **argv)
{
	const struct flag *f;

	for (int i = 1; i < argc; i++) {
		const char *w = argv[i];

		if (strcmp(w, "--") == 0)
			return -1;
		if (w[0] != '-' || w[1] == '\0')
			return i;
		f = cli_args_find(NULL, w);
		if (f != NULL && f->value != NULL)
			i++;
	}
	return -1;
}

int
cli_args_parse(struct cli *c, int argc, char **argv)
{
	int at = command_word(argc, argv), status;
	const char *next;
	bool ended = false, used;

	c->command = command_find(at == -1 ? "list" : argv[at]);
	if (c->command == NULL) {
		c->command = command_find("help");
		return unknown_words(c, argv + at);
	}
	c->operand = mem_grow(NULL, (size_t)argc + 1, sizeof(*c->operand));
	for (int i = 1; i < argc; i++) {
		if (i == at)
			continue;
		next = i + 1 < argc ? argv[i + 1] : NULL;
		if (!ended && strcmp(argv[i], "--") == 0)
			ended = true;
		else if (!ended && at == -1 && strcmp(argv[i], "--version") == 0) {
			c->command = command_find("version");
			c->one_line = true;
		} else if (ended || argv[i][0] != '-' || argv[i][1] == '\0')
			c->operand[c->operands++] = argv[i];
		else if ((status = parse_flag(c, argv[i], next, &used)) != EXIT_DONE)
			return status;
		else
			i += used;
	}
	if (cli_flag(c, "help")) {
		if (at == -1)
			c->command = command_find("help");
		return EXIT_DONE;
	}
	if (c->operands < c->command->min)
		return cli_misuse(c, "'%s' needs %s", c->command->name, c->command->operands);
	if (c->command->max != -1 && c->operands > c->command->max)
		return cli_misuse(c, "unexpected operand '%s'", c->operand[c->command->max]);
	return EXIT_DONE;
}

void
cli_args_free(struct cli *c)
{
	free(c->flags);
	free(c->operand);
}

bool
cli_flag(const struct cli *c, const char *name)
{
	return cli_value(c, name) != NULL;
}

const char *
cli_value(const struct cli *c, const char *name)
{
	for (size_t i = c->flag_count; i > 0; i--)
		if (strcmp(c->flags[i - 1].flag->name, name) == 0)
			return c->flags[i - 1].value;
	return NULL;
}

static void
add_split(struct strings *out, const char *word)
{
	const char *end;

	for (; *word != '\0'; word = *end != '\0' ? end + 1 : end) {
		end = word + strcspn(word, ",");
		if (end > word)
			strings_take(out, mem_copy(word, (size_t)(end - word)));
	}
}

void
cli_values(const struct cli *c, const char *name, struct strings *out)
{
	for (size_t i = 0; i < c->flag_count; i++)
		if (strcmp(c->flags[i].flag->name, name) == 0)
			add_split(out, c->flags[i].value);
}

int64_t
cli_number(struct cli *c, const char *name, int64_t min, int64_t max, int64_t otherwise)
{
	const char *value = cli_value(c, name);
	int64_t n;

	if (value == NULL)
		return otherwise;
	if (text_number(value, min, max, &n))
		return n;
	cli_misuse(c, "--%s takes a whole number from %lld to %lld, not '%s'", name, (long long)min,
	    (long long)max, value);
	return -1;
}

/* In a document "#a" or "a,b" can be the id of a task. */
static bool
is_id(struct cli *c, const char *word)
{
	struct task t = TASK_INIT;
	struct error ignored;
	bool is =
	    c->store.layout == STORE_DOCUMENT && store_get(&c->store, word, &t, &ignored) == 1;

	task_free(&t);
	return is;
}

static const char *
checked_id(struct cli *c, const char *word)
{
	const char *id = word + (word[0] == '#' && !is_id(c, word));

	if (store_id_ok(&c->store, id))
		return id;
	cli_misuse(c, "'%s' is not a task id; 'claude-tasks list --all' shows the ids", word);
	return NULL;
}

int
cli_word_ids(struct cli *c, const char *word, struct strings *out)
{
	struct strings parts = { 0 };
	const char *id;
	int rc = 0;

	if (cli_open(c, false) == -1)
		return -1;
	if (is_id(c, word)) {
		if (!strings_has(out, word))
			strings_add(out, word);
		return 0;
	}
	add_split(&parts, word);
	if (parts.count == 0)
		rc = checked_id(c, word) == NULL ? -1 : 0;
	for (size_t i = 0; i < parts.count && rc == 0; i++) {
		if ((id = checked_id(c, parts.item[i])) == NULL)
			rc = -1;
		else if (!strings_has(out, id))
			strings_add(out, id);
	}
	strings_free(&parts);
	return rc;
}

int
cli_operand_ids(struct cli *c, struct strings *out)
{
	for (int i = 0; i < c->operands; i++)
		if (cli_word_ids(c, c->operand[i], out) == -1)
			return -1;
	return 0;
}

int
cli_value_ids(struct cli *c, const char *name, struct strings *out)
{
	for (size_t i = 0; i < c->flag_count; i++)
		if (strcmp(c->flags[i].flag->name, name) == 0 &&
		    cli_word_ids(c, c->flags[i].value, out) == -1)
			return -1;
	return 0;
}

const char *
cli_id(struct cli *c, int operand)
{
	return cli_open(c, false) == -1 ? NULL : checked_id(c, c->operand[operand]);
}

int
cli_task_status(struct cli *c, const char *word, enum task_status *status)
{
	static const char *const known[] = { "pending", "in_progress", "completed", "blocked",
		"cancelled" };

	*status = task_status_parse(word);
	if (*status != TASK_NO_STATUS)
		return 0;
	if (strcmp(word, "done") == 0)
		cli_misuse(c, "unknown status 'done'; did you mean 'completed'?");
	else
		cli_unknown(c, "status", word, known, sizeof(known) / sizeof(known[0]));
	return -1;
}
