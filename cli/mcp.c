/*
 * mcp: the tools as a Model Context Protocol server on standard input and
 * output, for any agent on any model.
 *
 * JSON-RPC 2.0, one message per line.  Standard output carries nothing else.
 * Calls are answered one after the other.  Only a completion takes longer than milliseconds: its
 * gates are reported by progress notifications, if the client asked for them.  End of input ends
 * the server.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tool.h"

#define MCP_LINE (16u << 20)
#define MCP_READ 65536

/* Newest first.  A client that asks for an unknown one gets the newest. */
static const char *const versions[] = { "2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05" };

enum {
	RPC_PARSE = -32700,
	RPC_REQUEST = -32600,
	RPC_METHOD = -32601,
	RPC_PARAMS = -32602,
};

struct server {
	struct cli *c;
	const char *family; /* --tools; NULL: all */
	char *client;       /* its name, if it said it */
	char *token;        /* progress token of the call that runs, JSON text; NULL */
	int64_t steps;
};

static void
send_message(struct cli *c, struct json_object *o)
{
	cli_json_line(c, o);
	cli_flush(c);
}

/* An answer without result or error; the id has the bytes of the request's. */
static struct json_object *
reply(const struct json *j, json_ref id)
{
	struct json_object *o = out_object();
	enum json_kind kind = json_kind(j, id);

	out_string(o, "jsonrpc", "2.0");
	if (kind == JSON_STRING || kind == JSON_NUMBER)
		out_add(o, "id", out_raw(j, id));
	else
		json_object_object_add(o, "id", NULL);
	return o;
}

static struct json_object *
rpc_error(struct json_object *o, int code, const char *message)
{
	struct json_object *e = out_add(o, "error", out_object());

	out_int(e, "code", code);
	out_string(e, "message", message);
	return o;
}

/* How to use the tools that are offered, when to use them, and which list they use if it is not the
 * usual one. */
static void
add_instructions(const struct server *s, struct json_object *r)
{
	static const struct {
		const char *family, *text;
	} tools[] = {
		{ "todo",
		    "For your own steps, send the whole list with TodoWrite (todos) whenever one "
		    "changes. The tasks that agents share are read with TodoRead, and written "
		    "one by one with TodoWrite (description). Set a task in_progress before you "
		    "work on it, and completed when it is done" },
		{ "plain",
		    "List the tasks with list_tasks, create one with create_task. Call claim_task "
		    "before you work on a task, and complete_task when it is done" },
		{ NULL,
		    "List the tasks with TaskList, create one with TaskCreate. With TaskUpdate, "
		    "set a task in_progress before you work on it, and completed when it is "
		    "done" },
	};
	struct buf text = { 0 };
	struct error err;
	size_t i = 0;

	while (tools[i].family != NULL &&
	       (s->family == NULL || strcmp(s->family, tools[i].family) != 0))
		i++;
	buf_printf(&text,
	    "The task list of Claude Code. %s: this may run the project's gates, and a refusal "
	    "says what failed. Use the list for work of three or more steps, for several requests "
	    "at once, for work that agents share, or if the user asks for it. Do not use it for a "
	    "question, a single trivial step, or a change in one place: do that directly.",
	    tools[i].text);
	if (cli_list(s->c, &err) == 0 && (s->c->list.nearby || s->c->list.settings))
		cli_format(&text, " The tasks are in %s (%s).", s->c->list.dir, s->c->list.why);
	out_string(r, "instructions", buf_text(&text));
	buf_free(&text);
}

static struct json_object *
initialize(struct server *s, const struct json *j, json_ref params)
{
	struct json_object *r = out_object(), *caps, *info;
	const char *version = versions[0];

	free(s->client);
	s->client = json_member_string(j, json_member(j, params, "clientInfo"), "name");
	for (size_t i = 0; i < sizeof(versions) / sizeof(versions[0]); i++)
		if (json_equals(j, json_member(j, params, "protocolVersion"), versions[i]))
			version = versions[i];
	out_string(r, "protocolVersion", version);
	caps = out_add(r, "capabilities", out_object());
	out_bool(out_add(caps, "tools", out_object()), "listChanged", false);
	info = out_add(r, "serverInfo", out_object());
	out_string(info, "name", "claude-tasks");
	out_string(info, "title", "Claude Code task list");
	out_string(info, "version", VERSION);
	add_instructions(s, r);
	return r;
}

static struct json_object *
tools_list(const struct server *s)
{
	const struct tool *t;
	struct json_object *r = out_object(), *all = out_add(r, "tools", out_array()), *o, *hints;
	size_t count;

	t = tool_table(&count);
	for (size_t i = 0; i < count; i++) {
		if (s->family != NULL && strcmp(s->family, t[i].family) != 0)
			continue;
		o = out_push(all, out_object());
		out_string(o, "name", t[i].name);
		out_string(o, "description", t[i].description);
		out_add(o, "inputSchema", out_raw_text(t[i].input, strlen(t[i].input)));
		out_add(o, "outputSchema", out_raw_text(t[i].output, strlen(t[i].output)));
		hints = out_add(o, "annotations", out_object());
		out_bool(hints, "readOnlyHint", t[i].reads);
		out_bool(hints, "destructiveHint", t[i].destroys);
		out_bool(hints, "openWorldHint", false);
	}
	return r;
}

/* A gate started or ended: send a progress notification, if the client asked for them. */
static void
send_progress(
    void *arg, enum verify_moment moment, const struct gate *g, const struct gate_result *r)
{
	struct server *s = arg;
	struct json_object *o, *params;
	char *text;

	if (s->token == NULL || (moment != VERIFY_GATE_STARTS && moment != VERIFY_GATE_ENDS))
		return;
	text = moment == VERIFY_GATE_STARTS
		   ? mem_printf("gate %s is running", g->name)
		   : mem_printf("gate %s: %s", g->name, gate_verdict_name(r->verdict));
	o = out_object();
	out_string(o, "jsonrpc", "2.0");
	out_string(o, "method", "notifications/progress");
	params = out_add(o, "params", out_object());
	out_add(params, "progressToken", out_raw_text(s->token, strlen(s->token)));
	out_int(params, "progress", ++s->steps);
	out_string(params, "message", text);
	send_message(s->c, o);
	free(text);
}

/* The session that the call names.  Codex names its thread too: each of its agents has one, and all
 * have the same session. */
static void
set_caller(struct server *s, const struct json *j, json_ref params)
{
	json_ref meta = json_member(j, params, "_meta");
	char *session = json_member_string(j, meta, "threadId");

	if (session == NULL)
		session = json_member_string(j, meta, "sessionId");
	cli_call_from(s->c, s->client, session);
	free(session);
}

static struct json_object *
tools_call(struct server *s, const struct json *j, json_ref params, struct json_object *o)
{
	char *name = json_member_string(j, params, "name");
	const struct tool *t = name != NULL ? tool_find(name) : NULL;
	json_ref arguments = json_member(j, params, "arguments");
	json_ref token = json_member(j, json_member(j, params, "_meta"), "progressToken");
	struct json_object *r, *part;
	struct tool_answer a = { 0 };
	const char *raw = "{}";
	size_t len = 2;
	char *text;

	if (t == NULL || (s->family != NULL && strcmp(s->family, t->family) != 0)) {
		text = mem_printf("Unknown tool: %.100s", name != NULL ? name : "");
		rpc_error(o, RPC_PARAMS, text);
		free(text);
		free(name);
		return o;
	}
	if (arguments != JSON_ABSENT)
		raw = json_raw(j, arguments, &len);
	s->token = json_raw_copy(j, token);
	s->steps = 0;
	set_caller(s, j, params);
	tool_call(s->c, t, raw, len, &a);
	r = out_add(o, "result", out_object());
	part = out_push(out_add(r, "content", out_array()), out_object());
	out_string(part, "type", "text");
	out_string(part, "text", buf_text(&a.text));
	if (!a.error || a.whole) {
		/* It must be an object. */
		if (!json_object_is_type(a.output, json_type_object))
			out_add(out_add(r, "structuredContent", out_object()), "tasks", a.output);
		else
			out_add(r, "structuredContent", a.output);
		a.output = NULL;
	}
	out_bool(r, "isError", a.error);
	tool_answer_free(&a);
	free(s->token);
	s->token = NULL;
	free(name);
	return o;
}

/* Handle one request or notification: the answer, or NULL if there is none. */
static struct json_object *
dispatch(struct server *s, const struct json *j, json_ref m)
{
	json_ref id = json_member(j, m, "id"), params = json_member(j, m, "params");
	char *method = json_member_string(j, m, "method");
	struct json_object *o = NULL;

	if (json_kind(j, m) != JSON_OBJECT ||
	    !json_equals(j, json_member(j, m, "jsonrpc"), "2.0") ||
	    (method == NULL && json_member(j, m, "result") == JSON_ABSENT &&
		json_member(j, m, "error") == JSON_ABSENT)) {
		free(method);
		return rpc_error(reply(j, id), RPC_REQUEST, "Invalid Request");
	}
	if (id == JSON_ABSENT || method == NULL)
		goto out; /* a notification, or an unexpected answer */
	o = reply(j, id);
	if (strcmp(method, "initialize") == 0)
		out_add(o, "result", initialize(s, j, params));
	else if (strcmp(method, "ping") == 0)
		out_add(o, "result", out_object());
	else if (strcmp(method, "tools/list") == 0)
		out_add(o, "result", tools_list(s));
	else if (strcmp(method, "tools/call") == 0)
		o = tools_call(s, j, params, o);
	else
		rpc_error(o, RPC_METHOD, "Method not found");
out:
	free(method);
	return o;
}

static void
handle_line(struct server *s, const char *text, size_t len)
{
	struct json j = { 0 };
	struct json_object *o, *batch;
	struct error err;

	if (strspn(text, " \t\r") == len)
		return;
	if (json_parse(&j, text, len, &err) == -1) {
		send_message(s->c, rpc_error(reply(&j, JSON_ABSENT), RPC_PARSE, "Parse error"));
	} else if (json_kind(&j, JSON_ROOT) == JSON_ARRAY && json_count(&j, JSON_ROOT) > 0) {
		batch = out_array();
		JSON_EACH (&j, JSON_ROOT, m)
			if ((o = dispatch(s, &j, m)) != NULL)
				out_push(batch, o);
		if (json_object_array_length(batch) > 0)
			send_message(s->c, batch);
		else
			json_object_put(batch);
	} else if ((o = dispatch(s, &j, JSON_ROOT)) != NULL) {
		send_message(s->c, o);
	}
	cli_close(s->c);
	cli_forget_config(s->c); /* it may be changed before the next line */
	json_free(&j);
}

/* --tools: an exit status. */
static int
choose_family(struct cli *c, struct server *s)
{
	static const char *const families[] = { "client", "todo", "plain", "all" };

	s->family = cli_value(c, "tools");
	for (size_t i = 0; i < 4 && s->family != NULL; i++)
		if (strcmp(families[i], s->family) == 0) {
			s->family = i < 3 ? families[i] : NULL;
			return EXIT_DONE;
		}
	return s->family == NULL ? EXIT_DONE
				 : cli_unknown(c, "family of tools", s->family, families, 4);
}

/* Answer the whole lines of the input; the rest stays.  A line that is longer than any call is
 * refused once and dropped. */
static void
answer_lines(struct server *s, struct buf *in, bool *skipping)
{
	char *start = in->data, *end;

	while ((end = memchr(start, '\n', in->len - (size_t)(start - in->data))) != NULL) {
		*end = '\0';
		if (!*skipping)
			handle_line(s, start, (size_t)(end - start));
		*skipping = false;
		start = end + 1;
	}
	in->len -= (size_t)(start - in->data);
	memmove(in->data, start, in->len);
	if (in->len <= MCP_LINE)
		return;
	if (!*skipping)
		send_message(s->c, rpc_error(reply(&(struct json){ 0 }, JSON_ABSENT), RPC_PARSE,
				       "Message too long"));
	*skipping = true;
	in->len = 0;
}

int
mcp_main(struct cli *c)
{
	struct server s = { .c = c };
	struct buf in = { 0 };
	bool skipping = false;
	ssize_t n;

	if (choose_family(c, &s) != EXIT_DONE)
		return c->status;
	c->progress = send_progress;
	c->progress_arg = &s; /* cppcheck-suppress autoVariables ; until we return */
	for (;;) {
		buf_need(&in, MCP_READ);
		n = read(STDIN_FILENO, in.data + in.len, MCP_READ);
		if (n == -1 && errno == EINTR)
			continue;
		if (n <= 0)
			break;
		in.len += (size_t)n;
		in.data[in.len] = '\0';
		answer_lines(&s, &in, &skipping);
	}
	c->progress = NULL;
	c->progress_arg = NULL;
	free(s.client);
	buf_free(&in);
	return EXIT_DONE;
}
