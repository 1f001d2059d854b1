/*
 * transcript: find out whether a call is over.
 *
 * A transcript grows without bound, and the result that is asked for is near
 * its end: the last part is read.  The path comes from an event: it is opened
 * for reading only, and only if it is a regular file.
 */
#include "agent/transcript.h"

#include <sys/stat.h>

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/mem.h"
#include "json/json.h"

#define TAIL (1u << 20)

/* The last TAIL bytes; false if it is not a regular file. */
static bool
read_tail(const char *path, struct buf *b)
{
	struct stat st;
	bool plain = false;
	ssize_t n;
	int fd;

	if ((fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOFOLLOW)) == -1)
		return false;
	if (fstat(fd, &st) == 0 && S_ISREG(st.st_mode)) {
		off_t from = st.st_size > (off_t)TAIL ? st.st_size - (off_t)TAIL : 0;

		plain = true;
		buf_need(b, TAIL);
		while (b->len < TAIL &&
		       (n = pread(fd, b->data + b->len, TAIL - b->len, from + (off_t)b->len)) > 0)
			b->len += (size_t)n;
	}
	close(fd);
	return plain;
}

static bool
tail_has(const char *path, const char *needle)
{
	struct buf b = { 0 };
	bool found = read_tail(path, &b) && memmem(b.data, b.len, needle, strlen(needle)) != NULL;

	buf_free(&b);
	return found;
}

/* Where an agent's own transcript is, in newer and in older clients. */
static bool
agent_tail_has(const char *transcript, const char *agent_id, const char *needle)
{
	const char *slash = strrchr(transcript, '/'), *dot = strrchr(transcript, '.');
	char *path;
	bool found;

	if (slash == NULL || dot == NULL || dot < slash || strchr(agent_id, '/') != NULL)
		return false;
	path = mem_printf(
	    "%.*s/subagents/agent-%s.jsonl", (int)(dot - transcript), transcript, agent_id);
	found = tail_has(path, needle);
	free(path);
	if (!found) {
		path = mem_printf(
		    "%.*s/agent-%s.jsonl", (int)(slash - transcript), transcript, agent_id);
		found = tail_has(path, needle);
		free(path);
	}
	return found;
}

bool
transcript_call_over(const char *transcript, const char *agent_id, const char *tool_use_id)
{
	char *needle;
	bool over;

	if (transcript == NULL || transcript[0] != '/' || tool_use_id == NULL)
		return false;
	needle = mem_printf("\"tool_use_id\":\"%s\"", tool_use_id);
	over = tail_has(transcript, needle) ||
	       (agent_id != NULL && agent_tail_has(transcript, agent_id, needle));
	free(needle);
	return over;
}

bool
transcript_has_call(const char *transcript, const char *tool_use_id)
{
	char *needle;
	bool made;

	if (transcript == NULL || transcript[0] != '/' || tool_use_id == NULL)
		return false;
	needle = mem_printf("\"id\":\"%s\"", tool_use_id);
	made = tail_has(transcript, needle);
	free(needle);
	return made;
}

char *
transcript_version(const char *transcript)
{
	struct buf b = { 0 };
	struct json j = { 0 };
	struct error e;
	char *version = NULL;

	if (transcript == NULL || transcript[0] != '/' || !read_tail(transcript, &b)) {
		buf_free(&b);
		return NULL;
	}
	/* From the end: the first line may be cut, and the client may have been updated. */
	for (size_t end = b.len; end > 0 && version == NULL;) {
		size_t start = end;

		while (start > 0 && b.data[start - 1] != '\n')
			start--;
		if (json_parse(&j, b.data + start, end - start, &e) == 0)
			version = json_member_string(&j, JSON_ROOT, "version");
		if (version != NULL &&
		    (strlen(version) > 40 ||
			strspn(version, "0123456789.abcdefghijklmnopqrstuvwxyz+-") !=
			    strlen(version))) {
			free(version);
			version = NULL;
		}
		end = start > 0 ? start - 1 : 0;
	}
	json_free(&j);
	buf_free(&b);
	return version;
}
