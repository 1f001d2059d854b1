/*
 * claude-tasks: Claude Code's task list for people, scripts, and agents without Task tools.
 *
 * main() parses the command line, runs the command and sends its output.  commands.c has the table
 * of commands; each is in the file of its group.
 */
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "commands.h"
#include "sys/lock.h"

static void
out_of_memory(void)
{
	static const char text[] = "claude-tasks: out of memory\n";

	lock_release_all();
	(void)!write(STDERR_FILENO, text, sizeof(text) - 1);
	_exit(EXIT_FAULT);
}

static bool
utf8_locale(void)
{
	const char *const names[] = { "LC_ALL", "LC_CTYPE", "LANG" };
	const char *v;

	for (size_t i = 0; i < 3; i++)
		if ((v = getenv(names[i])) != NULL && *v != '\0')
			return strcasestr(v, "utf-8") != NULL || strcasestr(v, "utf8") != NULL;
	return false;
}

/* Set colour, symbols and columns from the flags, the environment and the terminal. */
static int
output_options(struct cli *c)
{
	const char *when = cli_value(c, "color"), *term = getenv("TERM");
	const char *no_color = getenv("NO_COLOR"), *columns = getenv("COLUMNS");
	struct winsize ws;

	c->terminal = isatty(STDOUT_FILENO);
	c->color = c->terminal && (no_color == NULL || *no_color == '\0') && term != NULL &&
		   strcmp(term, "dumb") != 0;
	if (when != NULL) {
		if (strcmp(when, "always") == 0)
			c->color = true;
		else if (strcmp(when, "never") == 0)
			c->color = false;
		else if (strcmp(when, "auto") != 0)
			return cli_misuse(
			    c, "--color must be 'always', 'never' or 'auto', not '%s'", when);
	}
	c->ascii = cli_flag(c, "ascii") || !c->terminal || !utf8_locale();
	if (cli_flag(c, "unicode"))
		c->ascii = false;
	c->columns = 80;
	if (c->terminal && ioctl(STDOUT_FILENO, TIOCGWINSZ, &ws) == 0 && ws.ws_col > 0)
		c->columns = ws.ws_col;
	if (columns != NULL && atoi(columns) > 0)
		c->columns = atoi(columns);
	if (c->columns < 20)
		c->columns = 20;
	return EXIT_DONE;
}

int
main(int argc, char **argv)
{
	struct cli c = { .store = STORE_INIT };
	int status;

	mem_on_exhausted(out_of_memory);
	cli_signals();
	status = cli_args_parse(&c, argc, argv);
	if (status == EXIT_DONE)
		status = output_options(&c);
	if (status == EXIT_DONE) {
		c.json = cli_flag(&c, "json");
		c.list_name = cli_value(&c, "list");
		c.list_dir = cli_value(&c, "dir");
		status = cli_flag(&c, "help") ? help_main(&c) : c.command->run(&c);
	}
	cli_flush(&c);
	cli_close(&c);
	cli_forget_config(&c);
	list_free(&c.list);
	cli_args_free(&c);
	buf_free(&c.out);
	cli_call_from(&c, NULL, NULL);
	free(c.agent_name);
	return status;
}
