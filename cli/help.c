#include <string.h>

#include "commands.h"

static void
flags_text(struct cli *c, const struct flag *f)
{
	struct buf left = { 0 };

	for (; f != NULL && f->name != NULL; f++) {
		buf_reset(&left);
		if (f->letter != 0)
			buf_printf(&left, "-%c, ", f->letter);
		else
			buf_puts(&left, "    ");
		buf_printf(&left, "--%s%s%s", f->name, f->value != NULL ? " " : "",
		    f->value != NULL ? f->value : "");
		buf_printf(&c->out, "  %s%-24s%s  %s\n", cli_paint(c, PAINT_BOLD), buf_text(&left),
		    cli_paint(c, PAINT_OFF), f->help);
	}
	buf_free(&left);
}

static void
command_text(struct cli *c, const struct command *k)
{
	buf_printf(&c->out, "usage: claude-tasks %s%s%s%s\n", k->name,
	    k->flags != NULL ? " [options]" : "", *k->operands != '\0' ? " " : "", k->operands);
	if (k->summary != NULL)
		buf_printf(&c->out, "\n%s\n", k->summary);
	if (k->also != NULL)
		buf_printf(&c->out, "Also: claude-tasks %s\n", k->also);
	if (k->detail != NULL)
		buf_printf(&c->out, "\n%s", k->detail);
	if (k->flags != NULL) {
		buf_puts(&c->out, "\n");
		flags_text(c, k->flags);
	}
	buf_printf(&c->out, "\nOptions of every command:\n");
	flags_text(c, cli_args_common);
}

static void
commands_text(struct cli *c)
{
	const struct command *table;
	size_t count;

	table = command_table(&count);
	buf_puts(&c->out, "usage: claude-tasks [command] [options] [operands]\n");
	for (size_t i = 0; i < count; i++) {
		if (table[i].group != NULL)
			buf_printf(&c->out, "\n%s%s%s\n", cli_paint(c, PAINT_BOLD), table[i].group,
			    cli_paint(c, PAINT_OFF));
		if (table[i].summary != NULL)
			buf_printf(&c->out, "  %-11s %s\n", table[i].name, table[i].summary);
	}
	buf_puts(&c->out, "\nOptions of every command:\n");
	flags_text(c, cli_args_common);
	buf_puts(&c->out, "\nMore: claude-tasks help COMMAND, man claude-tasks\n");
}

static void
help_json(struct cli *c, const struct command *only)
{
	const struct command *table;
	struct json_object *all = out_array(), *o, *flags, *f;
	size_t count;

	table = command_table(&count);
	for (size_t i = 0; i < count; i++) {
		const struct command *k = &table[i];

		if (only != NULL ? k != only : k->summary == NULL)
			continue;
		o = out_push(all, out_object());
		out_string(o, "command", k->name);
		out_string(o, "also", k->also);
		out_string(o, "operands", k->operands);
		out_string(o, "summary", k->summary);
		flags = out_add(o, "flags", out_array());
		for (const struct flag *x = k->flags; x != NULL && x->name != NULL; x++) {
			f = out_push(flags, out_object());
			out_string(f, "name", x->name);
			if (x->letter != 0)
				out_string(f, "letter", (const char[]){ x->letter, '\0' });
			out_string(f, "value", x->value);
			out_string(f, "help", x->help);
		}
	}
	cli_json(c, all);
}

/* `help`, `help CMD`, `CMD --help`, and `--help` without a command. */
int
help_main(struct cli *c)
{
	const struct command *k = strcmp(c->command->name, "help") == 0 ? NULL : c->command;

	if (k == NULL && c->operands == 1) {
		k = command_find(c->operand[0]);
		if (k == NULL)
			return cli_unknown_command(c, c->operand[0]);
	}
	if (c->json)
		help_json(c, k);
	else if (k != NULL)
		command_text(c, k);
	else
		commands_text(c);
	return EXIT_DONE;
}
