/*
 * new: begin a list, in one of the three layouts.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "cli.h"
#include "form/convert.h"
#include "lists.h"
#include "settings/settings.h"

static int
layout_value(struct cli *c, enum store_layout *layout)
{
	const char *word = cli_value(c, "form");

	for (*layout = STORE_NATIVE; *layout < STORE_LAYOUTS; (*layout)++)
		if (word == NULL || strcmp(word, store_layouts[*layout]) == 0)
			return EXIT_DONE;
	return cli_unknown(c, "form", word, store_layouts, STORE_LAYOUTS);
}

/* The directory of the list: DIR or --dir, for a folder the .tasks in it; NULL: the list that a
 * command without --dir uses.  Owned. */
static char *
new_dir(const struct cli *c, enum store_layout layout)
{
	const char *given = c->operands > 0 ? c->operand[0] : c->list_dir;
	char *dir, *end;

	if (layout == STORE_FOLDER && given == NULL)
		return mem_string(".tasks");
	dir = mem_string(given);
	if (dir == NULL)
		return NULL;
	for (end = dir + strlen(dir); end > dir + 1 && end[-1] == '/';)
		*--end = '\0';
	if (layout == STORE_FOLDER && !store_folder_name(dir)) {
		end = mem_join(dir, "/.tasks", NULL);
		free(dir);
		dir = end;
	}
	return dir;
}

/* The options that a later command needs to find this list. */
static void
add_options(const struct cli *c, struct buf *b)
{
	struct list found;
	struct error err;
	bool same = cli_list_find(&found, (struct list_query){ .folder = true }, &err) == 0;

	if (same) {
		same = strcmp(found.dir, c->list.dir) == 0;
		list_free(&found);
	}
	if (same)
		return;
	buf_puts(b, c->list.foreign ? " --dir " : " --list ");
	settings_shell_word(b, c->list.foreign ? c->list.dir : c->list.name);
}

static void
new_print(struct cli *c, enum store_layout layout)
{
	struct json_object *o;
	struct buf options = { 0 };

	if (c->json) {
		o = out_object();
		out_string(o, "list", c->list.name);
		out_string(o, "dir", c->list.dir);
		out_string(o, "layout", store_layouts[layout]);
		cli_json(c, o);
		return;
	}
	add_options(c, &options);
	cli_print(c, "new %s list: %s%s\n", store_layouts[layout], c->list.dir,
	    layout == STORE_DOCUMENT ? "/tasks.json" : "");
	cli_print(c, "next: claude-tasks%s create SUBJECT\n", buf_text(&options));
	if (options.len == 0)
		lists_folder_hint(c);
	buf_free(&options);
}

int
new_main(struct cli *c)
{
	struct list_query q = { .list = c->list_name };
	enum store_layout layout;
	struct error err;
	char *dir;
	int status;

	if (layout_value(c, &layout) != EXIT_DONE)
		return c->status;
	if (c->operands > 0 && c->list_dir != NULL)
		return cli_misuse(c, "DIR and --dir cannot be used together");
	q.dir = dir = new_dir(c, layout);
	if (c->list_name != NULL && dir != NULL)
		status = cli_misuse(c, "a list in a directory of its own takes no --list");
	else if (layout == STORE_NATIVE && dir != NULL && store_folder_name(dir))
		status = cli_misuse(c, "a list in a directory called .tasks has the form folder");
	else if ((layout == STORE_FOLDER && c->operands > 0 && !store_folder_name(c->operand[0]) &&
		     mkdir(c->operand[0], 0777) == -1 && errno != EEXIST))
		status = cli_fail(c, EXIT_FAULT, "cannot make the directory '%s': %s",
		    c->operand[0], strerror(errno));
	else if (cli_list_find(&c->list, q, &err) == -1 ||
		 convert_make(c->list.dir, layout, &err) == -1)
		status = cli_error(c, &err);
	else {
		new_print(c, layout);
		status = EXIT_DONE;
	}
	free(dir);
	return status;
}
