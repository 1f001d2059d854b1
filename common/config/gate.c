/*
 * Gates as they are defined: their names, their hash, and whether their needs can be met.
 */
#include "config/gate.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/text.h"

const char gate_checks[][CONFIG_WORD] = { "owner", "blockers", "subtasks", "checklist", "metadata",
	"committed", "" };

const char gate_sinces[][CONFIG_WORD] = { "proven", "claim", "head", "" };

const char *
gate_since_name(enum gate_since s)
{
	return gate_sinces[s];
}

const char *
gate_check_name(enum gate_check c)
{
	return c == CHECK_NONE ? "none" : gate_checks[c - 1];
}

const char *
gate_verdict_name(enum gate_verdict v)
{
	static const char names[][16] = { "passed", "failed", "timed out", "skipped", "flaky",
		"could not run" };

	return names[v];
}

bool
gate_verdict_good(enum gate_verdict v)
{
	return v == GATE_PASSED || v == GATE_FLAKY;
}

void
gate_free(struct gate *g)
{
	free(g->name);
	strings_free(&g->argv);
	free(g->shell);
	free(g->cwd);
	free(g->root);
	strings_free(&g->env);
	strings_free(&g->pass);
	free(g->fix);
	strings_free(&g->needs);
	free(g->group);
	strings_free(&g->files);
	strings_free(&g->inputs);
	strings_free(&g->writes);
	free(g->when.subject);
	free(g->when.description);
	strings_free(&g->when.owner);
	strings_free(&g->when.teammate);
	strings_free(&g->when.agent_type);
	for (size_t i = 0; i < g->when.equals_count; i++) {
		free(g->when.equals[i].key);
		free(g->when.equals[i].value);
	}
	free(g->when.equals);
	strings_free(&g->when.has);
	strings_free(&g->when.changed);
	*g = (struct gate){ 0 };
}

void
gates_free(struct gates *gs)
{
	for (size_t i = 0; i < gs->count; i++)
		gate_free(&gs->item[i]);
	free(gs->item);
	*gs = (struct gates){ 0 };
}

struct gate *
gates_find(const struct gates *gs, const char *name)
{
	for (size_t i = 0; i < gs->count; i++)
		if (strcmp(gs->item[i].name, name) == 0)
			return &gs->item[i];
	return NULL;
}

void
gate_command(struct buf *b, const struct gate *g)
{
	if (g->check != CHECK_NONE) {
		buf_printf(b, "built-in check %s", gate_check_name(g->check));
		return;
	}
	if (g->shell != NULL) {
		text_show(b, g->shell, strlen(g->shell), TEXT_LINE, 300);
		return;
	}
	for (size_t i = 0; i < g->argv.count; i++) {
		const char *s = g->argv.item[i];

		if (i > 0)
			buf_putc(b, ' ');
		if (text_plain_word(s)) {
			text_show(b, s, strlen(s), TEXT_LINE, 200);
			continue;
		}
		buf_putc(b, '\'');
		for (; *s != '\0'; s += strcspn(s, "'")) {
			if (*s == '\'') {
				buf_puts(b, "'\\''");
				s++;
			}
			text_show(b, s, strcspn(s, "'"), TEXT_LINE, 200);
		}
		buf_putc(b, '\'');
	}
}

static void
hash_strings(struct hash *h, const struct strings *list)
{
	for (size_t i = 0; i < list->count; i++)
		hash_field(h, list->item[i]);
	hash_field(h, NULL);
}

void
gate_hash(const struct gate *g, char out[HASH_HEX])
{
	const struct gate_when *w = &g->when;
	char numbers[200];
	struct hash h;

	hash_begin(&h);
	hash_field(&h, "gate 1");
	hash_field(&h, g->name);
	hash_strings(&h, &g->argv);
	hash_field(&h, g->cwd);
	hash_field(&h, g->at_event ? "event" : "root");
	hash_strings(&h, &g->env);
	hash_strings(&h, &g->pass);
	hash_field(&h, g->fix);
	hash_strings(&h, &g->needs);
	hash_field(&h, g->group);
	hash_strings(&h, &g->files);
	hash_strings(&h, &g->inputs);
	hash_strings(&h, &g->writes);
	hash_field(&h, w->subject);
	hash_field(&h, w->description);
	hash_strings(&h, &w->owner);
	hash_strings(&h, &w->teammate);
	hash_strings(&h, &w->agent_type);
	for (size_t i = 0; i < w->equals_count; i++) {
		hash_field(&h, w->equals[i].key);
		hash_field(&h, w->equals[i].value);
	}
	hash_strings(&h, &w->has);
	hash_strings(&h, &w->changed);
	snprintf(numbers, sizeof(numbers), "%d %lld %d %lld %d %lld %d %u", (int)g->check,
	    (long long)g->timeout_ms, g->warn, (long long)g->retries, g->cache,
	    (long long)g->ttl_ms, (int)w->since, w->on);
	hash_field(&h, numbers);
	hash_end(&h, out);
}

/* Depth first; state: 1 entered, 2 left. */
static int
gate_visit(const struct gates *gs, size_t i, char *state, struct error *e)
{
	const struct gate *g = &gs->item[i];

	if (state[i] == 2)
		return 0;
	if (state[i] == 1)
		return error_set(e, ERROR_INPUT, "gate '%s' needs itself", g->name);
	state[i] = 1;
	for (size_t n = 0; n < g->needs.count; n++) {
		struct gate *other = gates_find(gs, g->needs.item[n]);

		if (other == NULL)
			return error_set(e, ERROR_INPUT,
			    "gate '%s' needs '%s', but there is no gate of that name", g->name,
			    g->needs.item[n]);
		if (gate_visit(gs, (size_t)(other - gs->item), state, e) == -1)
			return -1;
	}
	state[i] = 2;
	return 0;
}

int
gates_check(const struct gates *gs, struct error *e)
{
	char *state = mem_alloc(gs->count + 1);
	int rc = 0;

	for (size_t i = 0; rc == 0 && i < gs->count; i++)
		rc = gate_visit(gs, i, state, e);
	free(state);
	return rc;
}
