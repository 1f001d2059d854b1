/*
 * call TOOL: the tool's JSON input on standard input, its JSON output on
 * standard output, one line; what it refuses has "error" and an exit status.
 */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "agent/event.h"
#include "base/text.h"
#include "sys/file.h"
#include "tool.h"

static int
list_tools(struct cli *c)
{
	const struct tool *t;
	struct json_object *all = out_array(), *o;
	size_t count;

	t = tool_table(&count);
	for (size_t i = 0; i < count; i++) {
		if (!c->json) {
			buf_printf(&c->out, "%-14s %s\n", t[i].name, t[i].description);
			continue;
		}
		o = out_object();
		out_string(o, "name", t[i].name);
		out_string(o, "description", t[i].description);
		out_add(o, "inputSchema", out_raw_text(t[i].input, strlen(t[i].input)));
		out_push(all, o);
	}
	if (c->json)
		cli_json(c, all);
	else
		json_object_put(all);
	return EXIT_DONE;
}

int
call_main(struct cli *c)
{
	const struct tool *tool, *table;
	const char *names[32], *near;
	struct answer a = { 0 };
	struct buf input = { 0 };
	struct error err;
	size_t count, n;
	int status;

	if (c->operands == 0)
		return list_tools(c);
	c->json = true; /* whatever goes wrong, the answer is JSON */
	tool = tool_find(c->operand[0]);
	if (tool == NULL) {
		table = tool_table(&count);
		for (n = 0; n < count; n++)
			names[n] = table[n].name;
		near = text_nearest(c->operand[0], names, n);
		return cli_misuse(c, "there is no tool '%s'%s%s%s", c->operand[0],
		    near != NULL ? "; did you mean " : "; 'claude-tasks call' lists them",
		    near != NULL ? near : "", near != NULL ? "?" : "");
	}
	if (file_read_fd(STDIN_FILENO, EVENT_MAX, &input, &err) == -1) {
		buf_free(&input);
		return cli_error(c, &err);
	}
	/* Nothing at all is the empty object: TaskList takes no members. */
	if (strspn(buf_text(&input), " \t\r\n") == input.len) {
		buf_reset(&input);
		buf_puts(&input, "{}");
	}
	tool_call(c, tool, input.data, input.len, &a);
	out_text(&c->out, a.output);
	a.output = NULL;
	buf_putc(&c->out, '\n');
	status = a.status;
	answer_free(&a);
	buf_free(&input);
	return status;
}
