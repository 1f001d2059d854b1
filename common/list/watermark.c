/*
 * Numbers of tasks.
 *
 * The client gives max(highest number at the front of any *.json name,
 * number at the front of .highwatermark) + 1, in doubles, and writes
 * .highwatermark only when a task is deleted: until then its name counts.
 * It does not read the files for this, and neither do we.
 */
#include "list/watermark.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sys/dir.h"

#define WATERMARK ".highwatermark"

double
watermark_number(const char *s)
{
	char digits[257];
	size_t len;

	while (*s == ' ' || (*s >= '\t' && *s <= '\r'))
		s++;
	if (*s == '+')
		s++;
	len = strspn(s, "0123456789");
	if (len == 0)
		return -1;
	if (len >= sizeof(digits))
		len = sizeof(digits) - 1;
	memcpy(digits, s, len);
	digits[len] = '\0';
	return strtod(digits, NULL);
}

/* Like String(n) below 1e21: the fewest digits that give n, then zeros. */
void
watermark_print(char out[32], double n)
{
	char digits[40];
	int precision, places, i, k = 0;

	for (precision = 0; precision < 16; precision++) {
		snprintf(digits, sizeof(digits), "%.*e", precision, n);
		if (strtod(digits, NULL) == n)
			break;
	}
	if (precision == 16)
		snprintf(digits, sizeof(digits), "%.16e", n);
	places = atoi(strchr(digits, 'e') + 1) + 1;
	for (i = 0; digits[i] != 'e'; i++)
		if (digits[i] != '.' && k < places && k < 31)
			out[k++] = digits[i];
	while (k < places && k < 31)
		out[k++] = '0';
	out[k] = '\0';
}

/* The highest number among the names; also removes temporary files of killed writers. */
static int
highest_name(struct store *s, double *highest, struct error *err)
{
	DIR *dir = dir_read(s->dirfd, ".");
	struct dirent *e;
	bool temps = false;
	double n;
	size_t len;
	int failed;

	if (dir == NULL)
		return error_sys(err, "cannot read '%s'", s->dir);
	while (errno = 0, (e = readdir(dir)) != NULL) {
		len = strlen(e->d_name);
		temps |= file_is_temp(e->d_name);
		if (len < 6 || strcmp(e->d_name + len - 5, ".json") != 0)
			continue;
		n = watermark_number(e->d_name);
		if (n > *highest)
			*highest = n;
	}
	failed = errno;
	closedir(dir);
	if (failed != 0) {
		errno = failed;
		return error_sys(err, "cannot read '%s'", s->dir);
	}
	if (temps)
		file_sweep(s->dirfd);
	return 0;
}

/* A mark that is not a number (a word, a directory) counts as none, as with the client; one that
 * cannot be read is an error, because numbers could be given twice. */
static int
mark_read(struct store *s, double *mark, struct error *err)
{
	struct buf text = { 0 };
	int rc = file_read(s->dirfd, WATERMARK, 0, 4096, &text, err);

	*mark = rc == 1 ? watermark_number(buf_text(&text)) : 0;
	if (*mark < 0)
		*mark = 0;
	buf_free(&text);
	return rc == -1 && err->kind != ERROR_INPUT ? -1 : 0;
}

static int
mark_write(struct store *s, double n, struct error *err)
{
	char text[32];
	double now;

	if (mark_read(s, &now, err) == -1)
		return -1;
	if (n < 1 || n >= 1e21 || n <= now)
		return 0;
	watermark_print(text, n);
	return file_replace(s->dirfd, WATERMARK, text, strlen(text), 0, s->durability, err);
}

int
watermark_next(struct store *s, char id[32], struct error *err)
{
	double n;

	if (mark_read(s, &n, err) == -1 || highest_name(s, &n, err) == -1)
		return -1;
	if (n + 1 >= 1e21)
		return error_set(
		    err, ERROR_REFUSED, "'%s' has no number left for a new task", s->dir);
	watermark_print(id, n + 1);
	return 0;
}

int
watermark_raise(struct store *s, const char *id, struct error *err)
{
	return mark_write(s, watermark_number(id), err);
}
