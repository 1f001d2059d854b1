/*
 * All words are looked for at once (Wu and Manber): the pair of bytes that ends a place of the
 * length of the shortest word says how far the next place is where one can begin.
 */
#include "settings/client-words.h"

#include <sys/stat.h>

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/mem.h"

#define PART (256u << 10)      /* bytes of one read */
#define CLIENT_MAX (4ll << 30) /* bytes of a program */
#define WORD_MAX 100

struct search {
	struct client_word *word;
	size_t count, left; /* words not found yet */
	size_t shortest, longest;
	unsigned char skip[1u << 16];
	unsigned char text[1 + WORD_MAX + 1 + PART];
};

static unsigned int
pair(const unsigned char *p)
{
	return p[0] << 8 | p[1];
}

static void
begin_search(struct search *s)
{
	s->shortest = WORD_MAX;
	for (size_t i = 0; i < s->count; i++) {
		size_t n = strlen(s->word[i].word);

		s->shortest = n < s->shortest ? n : s->shortest;
		s->longest = n > s->longest ? n : s->longest;
		s->word[i].found = false;
	}
	s->left = s->count;
	memset(s->skip, (int)s->shortest - 1, sizeof(s->skip));
	for (size_t i = 0; i < s->count; i++)
		for (size_t k = 0; k + 1 < s->shortest; k++) {
			unsigned char *skip =
			    &s->skip[pair((const unsigned char *)s->word[i].word + k)];

			if (*skip > s->shortest - 2 - k)
				*skip = (unsigned char)(s->shortest - 2 - k);
		}
}

static bool
in_name(unsigned char c)
{
	return isalnum(c) || c == '_' || c == '$';
}

/* p: where a word may begin; there is a byte before it. */
static void
compare(struct search *s, const unsigned char *p, const unsigned char *end)
{
	for (size_t i = 0; i < s->count; i++) {
		struct client_word *w = &s->word[i];
		size_t n = strlen(w->word);

		if (w->found || (size_t)(end - p) < n || memcmp(p, w->word, n) != 0 ||
		    in_name(p[-1]) || (p + n < end && in_name(p[n])))
			continue;
		w->found = true;
		s->left--;
	}
}

/* Search text[1..len); last: nothing follows.  Returns where the next search must begin: a word
 * that begins there may continue in the next part. */
static size_t
search_part(struct search *s, size_t len, bool last)
{
	size_t at = 1, room = last ? s->shortest : s->longest + 1;

	while (at + room <= len) {
		unsigned char skip = s->skip[pair(s->text + at + s->shortest - 2)];

		if (skip == 0)
			compare(s, s->text + at, s->text + len);
		at += skip > 0 ? skip : 1;
	}
	return at;
}

static int
search_file(struct search *s, int fd, const char *path, struct error *e)
{
	size_t len = 1, at;
	int64_t all = 0;
	ssize_t n;

	s->text[0] = ' ';
	do {
		n = read(fd, s->text + len, PART);
		if (n == -1 && errno == EINTR)
			continue;
		if (n == -1)
			return error_sys(e, "cannot read '%s'", path);
		if ((all += n) > CLIENT_MAX)
			return error_set(e, ERROR_INPUT, "'%s' is too large", path);
		len += (size_t)n;
		at = search_part(s, len, n == 0);
		if (n > 0) {
			len -= at - 1;
			memmove(s->text, s->text + at - 1, len);
		}
	} while (n != 0 && s->left > 0);
	return 0;
}

int
client_words_find(const char *path, struct client_word *word, size_t count, struct error *e)
{
	struct search *s = mem_grow(NULL, 1, sizeof(*s));
	struct stat st;
	int fd, rc = -1;

	memset(s, 0, sizeof(*s));
	s->word = word;
	s->count = count;
	begin_search(s);
	if ((fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY)) == -1 ||
	    fstat(fd, &st) == -1)
		error_sys(e, "cannot read '%s'", path);
	else if (!S_ISREG(st.st_mode))
		error_set(e, ERROR_INPUT, "'%s' is not a regular file", path);
	else
		rc = search_file(s, fd, path, e);
	if (fd != -1)
		close(fd);
	free(s);
	return rc;
}
