/*
 * What install records of a settings file.
 */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/hash.h"
#include "commands.h"
#include "install-part.h"

/* Put the entries and programs of this text into the record. */
static void
note(const struct registration *r, struct job *job, const struct buf *text)
{
	struct strings recorded = { 0 };

	guard_recorded(&recorded, r->config, r->project);
	job->note = guard_note(&job->record, &recorded, buf_text(text), text->len, job->flags);
	strings_free(&recorded);
}

/* The record of the first install is kept until uninstall: its backup is the original file. */
int
install_note_edit(const struct registration *r, const char *path, struct job *job,
    const struct settings_edit *e, struct error *err)
{
	struct install_record *m = &job->record;
	char hex[HASH_HEX];

	(void)install_record_load(r->config, path, m, err);
	hash_text(e->before.data, e->before.len, hex);
	if (strcmp(hex, m->after) != 0) {
		free(m->backup);
		m->backup = NULL;
		m->existed = e->existed;
		if (e->existed && (m->backup = install_record_backup(r->config, path,
				       e->before.data, e->before.len, err)) == NULL)
			return -1;
	}
	for (size_t i = 0; i < job->plan.values.name.count; i++)
		if (job->change.set[i])
			settings_values_add(&m->values, job->plan.values.name.item[i],
			    job->plan.values.text.item[i]);
	note(r, job, &job->result);
	hash_text(job->result.data, job->result.len, m->after);
	return install_record_save(r->config, path, m, err);
}

int
install_note_again(
    const struct registration *r, const char *path, struct job *job, struct error *err)
{
	struct buf text = { 0 };
	int rc = settings_read(path, &text, err);

	if (rc == 1) {
		(void)install_record_load(r->config, path, &job->record, err);
		note(r, job, &text);
		rc = job->note == GUARD_SAME
			 ? 0
			 : install_record_save(r->config, path, &job->record, err);
	}
	buf_free(&text);
	return rc;
}

int
install_note_forget(
    const struct registration *r, const char *path, struct job *job, struct error *err)
{
	job->forgotten = install_record_load(r->config, path, &job->record, err) == 1 && !job->dry;
	return job->forgotten ? install_record_save(r->config, path, NULL, err) : 0;
}

bool
install_note_there(const struct registration *r, const char *path)
{
	struct install_record m;
	struct error ignored;
	bool is = install_record_load(r->config, path, &m, &ignored) == 1;

	install_record_free(&m);
	return is;
}
