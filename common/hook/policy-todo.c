/*
 * policy: TodoWrite.
 *
 * The client's call replaces the whole list: {"todos":[{content, status,
 * activeForm}]}.  Other tools write one task a call: {description, id?,
 * status?, dependencies?}.  Both are checked by the rules of their own
 * definitions; other members of an item are not checked.
 */
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "hook/policy.h"

struct todo {
	const struct json *json;
	enum config_level level;
	struct decision *decision;
};

static bool
todo_filled(const struct todo *t, json_ref item, const char *key)
{
	char *s = json_member_string(t->json, item, key);
	bool yes = s != NULL && s[strspn(s, " \t\r\n")] != '\0';

	free(s);
	return yes;
}

static void
todo_object(const struct todo *t, size_t number, const char *problem)
{
	struct buf b = { 0 };

	if (number > 0)
		buf_printf(&b, "TodoWrite item %zu: %s", number, problem);
	else
		buf_printf(&b, "TodoWrite: %s", problem);
	policy_object(t->decision, t->level, "todo", &b);
}

static bool
todo_status_known(const struct todo *t, json_ref item, bool seed)
{
	json_ref status = json_member(t->json, item, "status");

	return json_equals(t->json, status, "pending") ||
	       json_equals(t->json, status, "in_progress") ||
	       json_equals(t->json, status, "completed") ||
	       (seed && (status == JSON_ABSENT || json_equals(t->json, status, "blocked") ||
			    json_equals(t->json, status, "cancelled")));
}

static void
todo_check_list(const struct todo *t, json_ref todos, bool one)
{
	size_t number = 0, running = 0;

	JSON_EACH (t->json, todos, i) {
		number++;
		if (json_kind(t->json, i) != JSON_OBJECT) {
			todo_object(
			    t, number, "is not an object with content, status and activeForm.");
			continue;
		}
		if (!todo_filled(t, i, "content"))
			todo_object(t, number, "content cannot be empty: say what is to be done.");
		if (!todo_status_known(t, i, false))
			todo_object(t, number, "status must be pending, in_progress or completed.");
		if (!todo_filled(t, i, "activeForm"))
			todo_object(t, number,
			    "activeForm cannot be empty: the same in the present "
			    "continuous, as in \"Fixing the login\".");
		running += json_equals(t->json, json_member(t->json, i, "status"), "in_progress");
	}
	if (one && running > 1) {
		struct buf b = { 0 };

		buf_printf(&b,
		    "TodoWrite: %zu items are in progress and this project allows one. "
		    "Set the others to pending or completed.",
		    running);
		policy_object(t->decision, LEVEL_REFUSE, "one_in_progress", &b);
	}
}

static void
todo_check_single(const struct todo *t, json_ref input)
{
	json_ref dependencies = json_member(t->json, input, "dependencies");
	char *id = json_member_string(t->json, input, "id");

	if (!todo_filled(t, input, "description"))
		todo_object(t, 0, "description cannot be empty: say what is to be done.");
	if (!todo_status_known(t, input, true))
		todo_object(
		    t, 0, "status must be pending, in_progress, completed, blocked or cancelled.");
	if (dependencies != JSON_ABSENT && json_kind(t->json, dependencies) != JSON_ARRAY)
		todo_object(t, 0, "dependencies must be an array of ids.");
	JSON_EACH (t->json, dependencies, i) {
		if (json_kind(t->json, i) != JSON_STRING)
			todo_object(t, 0, "a dependency must be the id of a task, as a string.");
		else if (id != NULL && json_equals(t->json, i, id))
			todo_object(t, 0, "a task cannot depend on itself.");
	}
	free(id);
}

void
policy_todo(
    const struct config *config, const struct json *json, json_ref input, struct decision *d)
{
	struct todo t = { json, config->rules.todo, d };
	json_ref todos = json_member(json, input, "todos");

	if (todos == JSON_ABSENT)
		todo_check_single(&t, input);
	else if (json_kind(json, todos) != JSON_ARRAY)
		todo_object(&t, 0, "todos must be an array.");
	else
		todo_check_list(&t, todos, config->todo.one_in_progress);
}
