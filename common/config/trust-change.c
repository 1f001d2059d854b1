/*
 * Describe the difference between two gate files: by gates and not by lines,
 * because a person has to judge which commands would run.
 */
#include <string.h>

#include "base/text.h"
#include "config/trust.h"

static void
add_item(struct buf *b, const char *what)
{
	buf_printf(b, "%s%s", b->len > 0 ? "; " : "", what);
}

static void
add_command(struct buf *b, const struct gate *g)
{
	struct buf command = { 0 };

	gate_command(&command, g);
	buf_putc(b, '\'');
	text_show(b, buf_text(&command), command.len, TEXT_LINE, 160);
	buf_putc(b, '\'');
	buf_free(&command);
}

static void
compare_gate(struct buf *b, const struct gate *old, const struct gate *new)
{
	struct buf a = { 0 }, c = { 0 };
	char ha[HASH_HEX], hc[HASH_HEX];

	gate_hash(old, ha);
	gate_hash(new, hc);
	if (strcmp(ha, hc) == 0)
		return;
	gate_command(&a, old);
	gate_command(&c, new);
	add_item(b, "gate ");
	text_quote(b, new->name, 64);
	if (strcmp(buf_text(&a), buf_text(&c)) != 0) {
		buf_puts(b, " runs ");
		add_command(b, new);
		buf_puts(b, " instead of ");
		add_command(b, old);
	} else
		buf_puts(b, " has other settings");
	buf_free(&a);
	buf_free(&c);
}

static void
compare_gates(struct buf *b, const struct gates *old, const struct gates *new)
{
	for (size_t i = 0; i < old->count; i++) {
		const struct gate *now = gates_find(new, old->item[i].name);

		if (now != NULL) {
			compare_gate(b, &old->item[i], now);
			continue;
		}
		add_item(b, "gate ");
		text_quote(b, old->item[i].name, 64);
		buf_puts(b, " was removed");
	}
	for (size_t i = 0; i < new->count; i++)
		if (gates_find(old, new->item[i].name) == NULL) {
			add_item(b, "gate ");
			text_quote(b, new->item[i].name, 64);
			buf_puts(b, " is new and runs ");
			add_command(b, &new->item[i]);
		}
}

static bool
same_sync(const struct config *a, const struct config *b)
{
	if (a->mirror_count != b->mirror_count)
		return false;
	for (size_t i = 0; i < a->mirror_count; i++)
		if (!strings_equal(&a->mirror[i].argv, &b->mirror[i].argv) ||
		    a->mirror[i].timeout_ms != b->mirror[i].timeout_ms)
			return false;
	return true;
}

void
trust_difference(
    struct buf *b, const char *old_text, size_t old_len, const char *new_text, size_t new_len)
{
	struct config old, new;
	struct buf out = { 0 };
	struct error e;
	int known = config_parse(&old, "trusted", old_text, old_len, &e);

	if (config_parse(&new, "now", new_text, new_len, &e) == -1)
		add_item(&out, "it can no longer be read");
	else if (known == -1)
		add_item(&out, "the text that was trusted can no longer be read");
	else {
		compare_gates(&out, &old.gates, &new.gates);
		if (!same_sync(&old, &new))
			add_item(&out, "the sync commands have changed");
		if (!strings_equal(&old.verify.allow, &new.verify.allow))
			add_item(&out, "the list of allowed verify commands has changed");
		if (out.len == 0)
			add_item(&out, "settings or comments, but no command");
	}
	text_show(b, buf_text(&out), out.len, TEXT_LINE, 2000);
	buf_free(&out);
	config_free(&old);
	config_free(&new);
}
