/*
 * What PreToolUse of a completing call has found, for the TaskCompleted of the same call.
 *
 * Unlike the cache this also holds what must run again for another call: a gate whose cache is
 * off, a tree that is not known, a gate that only warns and failed.  So it counts for a minute;
 * each result counts for the same gate, tree, program and environment, as in the cache, and for
 * the same text of the task and the same gate file.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "gate/verify-part.h"
#include "json/json-fields.h"

#define KEPT_MS 60000
#define TRIES_MAX 1000

struct ran {
	char *key, *verdict, *since, *why, *end, *digest;
	int64_t exit, tries, ms, output;
};

static const struct json_field ran_fields[] = {
	JSON_FIELD("key", FIELD_STRING, struct ran, key),
	JSON_FIELD("verdict", FIELD_STRING, struct ran, verdict),
	JSON_FIELD("since", FIELD_STRING, struct ran, since),
	JSON_FIELD("why", FIELD_STRING, struct ran, why),
	JSON_FIELD("end", FIELD_STRING, struct ran, end),
	JSON_FIELD("digest", FIELD_STRING, struct ran, digest),
	JSON_FIELD("exit", FIELD_INT, struct ran, exit),
	JSON_FIELD("tries", FIELD_INT, struct ran, tries),
	JSON_FIELD("ms", FIELD_INT, struct ran, ms),
	JSON_FIELD("output", FIELD_INT, struct ran, output),
	JSON_FIELDS_END,
};

static const struct json_field kept_fields[] = {
	JSON_FIELD("time", FIELD_INT, struct verify_kept, time_ms),
	JSON_FIELD("scanned", FIELD_BOOL, struct verify_kept, scanned),
	JSON_FIELD("paused", FIELD_BOOL, struct verify_kept, paused),
	JSON_FIELD("told", FIELD_STRING, struct verify_kept, told),
	JSON_FIELDS_END,
};

void
verify_kept_key(const struct plan *p, const char *key, char out[HASH_HEX])
{
	struct hash h;

	hash_begin(&h);
	hash_field(&h, "call 1");
	hash_field(&h, key);
	hash_field(&h, p->verify->subject_hash);
	hash_field(&h, p->req->config->project.hash);
	hash_end(&h, out);
}

void
verify_kept_add(const struct plan *p)
{
	for (size_t i = 0; p->req->ran != NULL && i < p->verify->count; i++) {
		struct gate_result *r = &p->verify->result[i];
		struct ran ran = { .key = r->call_key,
			.verdict = (char *)gate_verdict_name(r->verdict),
			.since = (char *)r->since,
			.why = r->why,
			.end = r->end,
			.digest = r->digest,
			.exit = r->exit,
			.tries = r->tries,
			.ms = r->ms,
			.output = (int64_t)r->output_total };

		if (r->tries > 0 && r->gate->check == CHECK_NONE)
			json_fields_write(out_push(p->req->ran, out_object()), &ran, ran_fields);
	}
}

/* Is it what verify_kept_add() writes, for a gate that does not refuse? */
static bool
ran_is_sound(const struct ran *ran, const struct gate *g, enum gate_verdict *verdict)
{
	for (*verdict = GATE_PASSED; *verdict <= GATE_NOT_RUN; ++*verdict)
		if (ran->verdict != NULL && strcmp(ran->verdict, gate_verdict_name(*verdict)) == 0)
			return *verdict != GATE_SKIPPED &&
			       (g->warn || gate_verdict_good(*verdict)) && ran->digest != NULL &&
			       strlen(ran->digest) < HASH_HEX && ran->exit >= -1 &&
			       ran->exit <= 255 && ran->tries > 0 && ran->tries <= TRIES_MAX &&
			       ran->ms >= 0 && ran->output >= 0;
	return false;
}

/* What its `changed` was counted from when it ran; now it would be the tree on which it passed. */
static const char *
ran_since(const struct ran *ran, const char *now)
{
	static const char *const words[] = { "proven", "merge-base", "claim", "head",
		"everything" };

	for (size_t i = 0; ran->since != NULL && i < sizeof(words) / sizeof(words[0]); i++)
		if (strcmp(ran->since, words[i]) == 0)
			return words[i];
	return now;
}

static bool
ran_use(struct gate_result *r, struct ran *ran)
{
	enum gate_verdict verdict;

	if (!ran_is_sound(ran, r->gate, &verdict))
		return false;
	r->verdict = verdict;
	r->since = ran_since(ran, r->since);
	r->exit = (int)ran->exit;
	r->tries = (int)ran->tries;
	r->ms = ran->ms;
	r->output_total = (uint64_t)ran->output;
	snprintf(r->digest, sizeof(r->digest), "%s", ran->digest);
	free(r->why);
	r->why = ran->why;
	free(r->end);
	r->end = ran->end;
	ran->why = ran->end = NULL;
	return true;
}

bool
verify_kept_use(struct plan *p, size_t i)
{
	const struct verify_kept *kept = p->req->kept;
	struct gate_result *r = &p->verify->result[i];
	struct ran ran = { 0 };
	bool used = false;

	if (kept == NULL)
		return false;
	JSON_EACH (&kept->json, json_member(&kept->json, JSON_ROOT, "ran"), at)
		if (!used &&
		    json_equals(&kept->json, json_member(&kept->json, at, "key"), r->call_key)) {
			json_fields_read(&ran, ran_fields, &kept->json, at);
			used = ran_use(r, &ran);
			json_fields_free(&ran, ran_fields);
		}
	return used;
}

struct json_object *
verify_kept_json(const struct verify *v, struct json_object *ran, bool paused)
{
	struct json_object *o = out_object();
	char told[HASH_HEX];
	struct verify_kept kept = { .time_ms = clock_wall_ms(),
		.scanned = v->scanned,
		.paused = paused,
		.told = v->message.len > 0 ? told : NULL };

	hash_text(buf_text(&v->message), v->message.len, told);
	json_fields_write(o, &kept, kept_fields);
	out_add(o, "ran", ran);
	return o;
}

bool
verify_kept_read(struct verify_kept *kept, const struct buf *text)
{
	struct error ignored;
	int64_t now = clock_wall_ms();

	*kept = (struct verify_kept){ 0 };
	if (text->len > 0 && json_parse(&kept->json, text->data, text->len, &ignored) == 0 &&
	    json_kind(&kept->json, JSON_ROOT) == JSON_OBJECT) {
		json_fields_read(kept, kept_fields, &kept->json, JSON_ROOT);
		if (kept->time_ms <= now && now - kept->time_ms < KEPT_MS)
			return true;
	}
	verify_kept_free(kept);
	return false;
}

bool
verify_kept_told(const struct verify_kept *kept, const struct verify *v)
{
	char hash[HASH_HEX];

	hash_text(buf_text(&v->message), v->message.len, hash);
	return kept->told != NULL && strcmp(kept->told, hash) == 0;
}

void
verify_kept_free(struct verify_kept *kept)
{
	json_fields_free(kept, kept_fields);
	json_free(&kept->json);
	*kept = (struct verify_kept){ 0 };
}
