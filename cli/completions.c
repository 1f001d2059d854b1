/*
 * words: the candidates for the word at the cursor, for the shells' completions.
 *
 *	claude-tasks words -- WORD... CURRENT
 *
 * The operands are the words after the program's name up to the cursor.  Each line of output is a
 * candidate, a tab and its description; the shells select those that begin with CURRENT.  The line
 * ":files" asks for file names.  Errors are not reported: they would disturb the prompt.
 */
#include <stdlib.h>
#include <string.h>

#include "commands.h"
#include "config/config.h"
#include "settings/settings.h"
#include "task/macf.h"
#include "tool.h"
#include "view.h"

static void
offer_word(struct cli *c, const char *word, const char *what)
{
	cli_print(c, "%s\t%.60s\n", word, what != NULL ? what : "");
}

static void
offer_commands(struct cli *c)
{
	const struct command *table;
	size_t count;

	table = command_table(&count);
	for (size_t i = 0; i < count; i++)
		if (table[i].summary != NULL)
			offer_word(c, table[i].name, table[i].summary);
}

static void
offer_flags(struct cli *c, const struct flag *f)
{
	char *word;

	for (; f != NULL && f->name != NULL; f++) {
		word = mem_printf("--%s", f->name);
		offer_word(c, word, f->help);
		free(word);
	}
}

/* The list that --list or --dir before the cursor names, or the default one. */
static int
load_named_list(struct cli *c, int count, struct view *v)
{
	struct task_set all = { 0 };
	struct list_query q = { .folder = true };
	struct error err;

	for (int i = 0; i + 1 < count; i++) {
		if (strcmp(c->operand[i], "--list") == 0 || strcmp(c->operand[i], "-l") == 0)
			q.list = c->operand[i + 1];
		else if (strcmp(c->operand[i], "--dir") == 0)
			q.dir = c->operand[i + 1];
	}
	*v = (struct view){ 0 };
	if (cli_list_find(&c->list, q, &err) == -1 ||
	    store_open(&c->store, c->list.dir, false, &err) != 1 ||
	    store_load(&c->store, &all, &err) == -1)
		return -1;
	view_of(v, &all);
	return 0;
}

static void
offer_ids(struct cli *c, int count, bool open_only)
{
	struct view v;

	if (load_named_list(c, count, &v) == 0)
		for (size_t i = 0; i < v.tasks.count; i++) {
			const struct task *t = &v.tasks.item[i];

			/* An id that a shell would take apart cannot be completed. */
			if (!t->internal && task_id_ok(t->id) && (!open_only || task_open(t)))
				offer_word(c, t->id, t->subject);
		}
	view_free(&v);
}

static char *
owner_of(const struct task *t)
{
	return mem_string(t->owner);
}

static char *
type_of(const struct task *t)
{
	return macf_agent_type(t->subject);
}

/* A value of each task, which is owned and may be NULL, once. */
static void
offer_each_once(struct cli *c, int count, char *(*value)(const struct task *))
{
	struct strings seen = { 0 };
	struct view v;
	char *word;

	if (load_named_list(c, count, &v) == 0)
		for (size_t i = 0; i < v.tasks.count; i++) {
			word = value(&v.tasks.item[i]);
			if (word == NULL || strings_has(&seen, word)) {
				free(word);
				continue;
			}
			strings_take(&seen, word);
			offer_word(c, word, NULL);
		}
	strings_free(&seen);
	view_free(&v);
}

static void
offer_lists(struct cli *c)
{
	struct strings names = { 0 };
	struct error err;
	char *config = list_config_dir(&err);

	if (config != NULL && list_names(config, &names, &err) == 0)
		for (size_t i = 0; i < names.count; i++)
			offer_word(c, names.item[i], "list");
	strings_free(&names);
	free(config);
}

static void
offer_gates(struct cli *c)
{
	struct error err;
	char *dir = list_config_dir(&err);
	struct config_query q = { .config_dir = dir };
	struct config config;

	if (config_load(&config, &q, &err) == 0)
		for (size_t i = 0; i < config.gates.count; i++)
			offer_word(c, config.gates.item[i].name, "gate");
	config_free(&config);
	free(dir);
}

static void
offer_events(struct cli *c)
{
	for (size_t i = 0; i < SETTINGS_HOOKS; i++)
		if (settings_hook_find(settings_hooks[i].name) == &settings_hooks[i])
			offer_word(c, settings_hooks[i].name, settings_hooks[i].program);
	offer_word(c, "all", NULL);
}

static void
offer_tools(struct cli *c)
{
	const struct tool *t;
	size_t count;

	t = tool_table(&count);
	for (size_t i = 0; i < count; i++)
		offer_word(c, t[i].name, t[i].description);
}

static void
offer_files(struct cli *c)
{
	buf_puts(&c->out, ":files\n");
}

/* Offer the values of a flag. */
static void
offer_value(struct cli *c, const struct flag *f, int count)
{
	static const struct {
		const char *flag, *words;    /* words: separated by blanks */
		void (*offer)(struct cli *); /* instead of words */
	} known[] = {
		{ "status", "pending in_progress completed blocked cancelled", NULL },
		{ "kind", "mission experiment phase bug", NULL },
		{ "form", "native document folder", NULL },
		{ "from", "native document exported folder checklist", NULL },
		{ "to", "native document exported folder checklist", NULL },
		{ "color", "always never auto", NULL },
		{ "tools", "client todo plain all", NULL },
		{ "list", NULL, offer_lists },
		{ "gate", NULL, offer_gates },
		{ "events", NULL, offer_events },
		{ "dir", NULL, offer_files },
		{ "bin", NULL, offer_files },
		{ "client", NULL, offer_files },
	};

	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++) {
		if (strcmp(f->name, known[i].flag) != 0)
			continue;
		if (known[i].offer != NULL)
			known[i].offer(c);
		for (const char *w = known[i].words; w != NULL && *w != '\0'; w += *w == ' ') {
			size_t len = strcspn(w, " ");

			buf_printf(&c->out, "%.*s\t\n", (int)len, w);
			w += len;
		}
		return;
	}
	if (strcmp(f->name, "owner") == 0 || strcmp(f->name, "agent") == 0)
		offer_each_once(c, count, owner_of);
	else if (strcmp(f->name, "for") == 0)
		offer_each_once(c, count, type_of);
	else if (strncmp(f->value, "N", 1) == 0 && strchr(",|", f->value[1]) != NULL)
		offer_ids(c, count, true);
}

static void
offer_operand(struct cli *c, const struct command *k, int count)
{
	static const char *const finished[] = { "get", "why", "tree", "log", "delete", "update",
		"undo", NULL };
	bool open_only = true;

	for (const char *const *p = finished; *p != NULL; p++)
		if (strcmp(k->name, *p) == 0)
			open_only = false;
	if (strcmp(k->name, "help") == 0)
		offer_commands(c);
	else if (strcmp(k->name, "call") == 0)
		offer_tools(c);
	else if (strcmp(k->name, "rehome") == 0)
		offer_lists(c);
	else if (strstr(k->operands, "FILE") != NULL || strstr(k->operands, "DIR") != NULL)
		offer_files(c);
	else if (strchr(k->operands, 'N') != NULL && strcmp(k->name, "create") != 0)
		offer_ids(c, count, open_only);
	if (strcmp(k->name, "receipts") == 0) {
		offer_word(c, "export", "write them to a file");
		offer_ids(c, count, false);
	}
}

int
completions_main(struct cli *c)
{
	const struct command *k = NULL;
	const struct flag *f = NULL;
	const char *current, *before;
	int count = c->operands;

	if (count == 0)
		return EXIT_DONE;
	current = c->operand[count - 1];
	/* bash splits --flag=value at the equals sign. */
	if (strcmp(current, "=") == 0)
		current = "";
	before = count >= 2 ? c->operand[count - 2] : "";
	if (strcmp(before, "=") == 0 && count >= 3)
		before = c->operand[count - 3];
	for (int i = 0; i < count - 1 && k == NULL; i++) {
		f = cli_args_find(command_find("list"), c->operand[i]);
		if (f != NULL && f->value != NULL)
			i++;
		else if (c->operand[i][0] != '-')
			k = command_find(c->operand[i]);
	}
	f = cli_args_find(k != NULL ? k : command_find("list"), before);
	if (f != NULL && f->value != NULL) {
		offer_value(c, f, count - 1);
	} else if (current[0] == '-') {
		if (k != NULL)
			offer_flags(c, k->flags);
		offer_flags(c, cli_args_common);
	} else if (k == NULL) {
		offer_commands(c);
	} else {
		offer_operand(c, k, count - 1);
	}
	return EXIT_DONE;
}
