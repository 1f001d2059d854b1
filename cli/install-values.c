/*
 * What install can set besides the hooks: variables of the client, its status line.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "install.h"
#include "json/json-print.h"

/* Should install set the variable that makes the client offer Task tools? */
static bool
want_todo_tools(struct cli *c, const struct registration *r, const char *version)
{
	if (cli_flag(c, "todo-tools"))
		return true;
	if (cli_flag(c, "no-todo-tools") || !registration_tools_off(r, version))
		return false;
	if (isatty(STDIN_FILENO) && isatty(STDERR_FILENO) && !cli_flag(c, "yes") && !c->json) {
		char answer[8] = "";

		cli_flush(c);
		fprintf(stderr,
		    "Since version " TODO_TOOLS_SINCE " the client offers no Task tools to current "
		    "models.\nSet " TODO_TOOLS "=1 in these settings to enable them? [Y/n] ");
		if (fgets(answer, sizeof(answer), stdin) != NULL)
			return answer[0] != 'n' && answer[0] != 'N';
		fprintf(stderr, "\nno answer: " TODO_TOOLS " is not set\n");
		return false;
	}
	cli_note(c, "claude-tasks: current models have no Task tools unless " TODO_TOOLS
		    "=1 is set (to set it: claude-tasks install --todo-tools)");
	return false;
}

/* --list, as the client would name the list. */
static char *
list_asked(const struct cli *c)
{
	char *trimmed = list_trim(c->list_name), *name = list_sanitise(trimmed);

	free(trimmed);
	return name;
}

/* --list: the sessions that this file applies to use this list. */
static int
add_list(struct cli *c, const struct registration_file *f, struct settings_plan *plan)
{
	char *name = list_asked(c);
	struct buf text = { 0 };
	int status = EXIT_DONE;

	if (*name == '\0')
		status = cli_misuse(c, "the name of a list cannot be empty");
	else if (f->list != NULL && strcmp(f->list, name) != 0)
		status = cli_fail(c, EXIT_RULE,
		    "%s sets " LIST_ID " to '%s' (remove that line, or: claude-tasks uninstall "
		    "--%s)",
		    f->path, f->list, scope_name(f->scope));
	json_print_string(&text, name, strlen(name));
	settings_values_add(&plan->values, "env." LIST_ID, buf_text(&text));
	buf_free(&text);
	free(name);
	return status;
}

static void
add_statusline(struct cli *c, const struct registration_file *f, struct settings_plan *plan)
{
	char *path = mem_printf("%s/claude-tasks", plan->bin);
	struct json_object *o = out_object();
	struct buf line = { 0 }, text = { 0 };

	if (f->statusline != NULL && strstr(f->statusline, "claude-tasks statusline") == NULL)
		cli_note(c,
		    "claude-tasks: %s has another statusLine, which is kept.  To combine them, let "
		    "its command be a script: in=$(cat); echo \"$in\" | THE-OLD-COMMAND; echo "
		    "\"$in\" | claude-tasks statusline",
		    f->path);
	settings_shell_word(&line, path);
	buf_puts(&line, " statusline");
	out_string(o, "type", "command");
	out_string(o, "command", buf_text(&line));
	out_text(&text, o);
	settings_values_add(&plan->values, "statusLine", buf_text(&text));
	buf_free(&line);
	buf_free(&text);
	free(path);
}

int
install_values(struct cli *c, const struct registration *r, enum scope scope, const char *version,
    struct settings_plan *plan)
{
	if (want_todo_tools(c, r, version))
		settings_values_add(&plan->values, "env." TODO_TOOLS, "\"1\"");
	if (cli_flag(c, "statusline"))
		add_statusline(c, &r->file[scope], plan);
	return c->list_name != NULL ? add_list(c, &r->file[scope], plan) : EXIT_DONE;
}

void
install_next(struct cli *c, const char *copies)
{
	char *name = c->list_name != NULL ? list_asked(c) : NULL;

	if (name != NULL)
		buf_printf(
		    &c->out, "sessions of this project that start now use the list '%s'\n", name);
	if (copies != NULL)
		buf_printf(&c->out,
		    "to remove it later: %s/claude-tasks uninstall (npm rm alone does not change "
		    "the settings)\n",
		    copies);
	buf_puts(&c->out, "next: claude-tasks doctor\n");
	free(name);
}

void
install_warn(struct cli *c, const struct registration *r, enum scope scope, const char *version)
{
	const char *path = registration_disabled(r), *off = registration_tasks_off(r);
	const char *event = registration_late_event(&r->file[scope], version);

	if (path != NULL)
		cli_note(c, "claude-tasks: %s disables all hooks (see: claude-tasks doctor)", path);
	if (off != NULL)
		cli_note(c,
		    "claude-tasks: " TASKS_SWITCH " in %s switches the client's tasks off (see: "
		    "claude-tasks doctor)",
		    off);
	if (event != NULL)
		cli_note(c,
		    "claude-tasks: client %s does not know the event %s, and ignores every hook "
		    "of %s (see: claude-tasks doctor)",
		    version, event, r->file[scope].path);
	if (scope == SCOPE_PROJECT && !cli_flag(c, "if-there"))
		cli_note(c,
		    "claude-tasks: %s is for everybody who works on the project. Where these "
		    "programs are missing, Claude Code refuses every TaskCreate and TaskUpdate "
		    "(before " ON_FAILURE_SINCE " it passes them), and Copilot CLI, which reads "
		    "this file too, refuses every tool call (to register lines that do nothing "
		    "there: claude-tasks install --project --if-there)",
		    r->file[scope].path);
}
