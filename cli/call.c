/*
 * call TOOL: the tool's JSON input on standard input, its JSON output on standard output, one line.
 * A refusal has a member "error" and its own exit status.
 */
#include <string.h>
#include <unistd.h>

#include "agent/event.h"
#include "sys/file.h"
#include "tool.h"

static void
tools_text(struct cli *c, const struct tool *t, size_t count)
{
	for (size_t i = 0; i < count; i++)
		buf_printf(&c->out, "%-14s %s\n", t[i].name, t[i].description);
}

static void
tools_json(struct cli *c, const struct tool *t, size_t count)
{
	struct json_object *all = out_array(), *o;

	for (size_t i = 0; i < count; i++) {
		o = out_push(all, out_object());
		out_string(o, "name", t[i].name);
		out_string(o, "description", t[i].description);
		out_add(o, "inputSchema", out_raw_text(t[i].input, strlen(t[i].input)));
	}
	cli_json(c, all);
}

/* Tools of the client that are not about the tasks of a list. */
static const char *const client_tools[] = { "TaskOutput", "AgentOutputTool", "BashOutputTool",
	"TaskStop", "TeamCreate", "TeamDelete", "SendMessage" };

static int
unknown_tool(struct cli *c, const char *name, const struct tool *table, size_t count)
{
	const char *names[32];
	size_t n;

	for (n = 0; n < sizeof(client_tools) / sizeof(client_tools[0]); n++)
		if (strcmp(name, client_tools[n]) == 0)
			return cli_misuse(c,
			    "only the client has the tool '%s': it is about agents and background "
			    "processes, not about the tasks of a list",
			    name);
	if (strcmp(name, "TaskDelete") == 0)
		return cli_misuse(c,
		    "unknown tool 'TaskDelete'; call TaskUpdate with the status deleted, or write: "
		    "claude-tasks delete N");
	for (n = 0; n < count; n++)
		names[n] = table[n].name;
	return cli_unknown(c, "tool", name, names, n);
}

int
call_main(struct cli *c)
{
	const struct tool *tool, *table;
	struct tool_answer a = { 0 };
	struct buf input = { 0 };
	struct error err;
	size_t count;
	int status;

	table = tool_table(&count);
	if (c->operands == 0) {
		(c->json ? tools_json : tools_text)(c, table, count);
		return EXIT_DONE;
	}
	c->json = true; /* a failure is answered in JSON too */
	tool = tool_find(c->operand[0]);
	if (tool == NULL)
		return unknown_tool(c, c->operand[0], table, count);
	if (file_read_fd(STDIN_FILENO, EVENT_MAX, &input, &err) == -1) {
		buf_free(&input);
		return cli_error(c, &err);
	}
	/* Empty input is the empty object: TaskList takes no members. */
	if (strspn(buf_text(&input), " \t\r\n") == input.len) {
		buf_reset(&input);
		buf_puts(&input, "{}");
	}
	tool_call(c, tool, input.data, input.len, &a);
	cli_json_line(c, a.output);
	a.output = NULL;
	status = a.status;
	tool_answer_free(&a);
	buf_free(&input);
	return status;
}
