/*
 * A journal of any bytes, and a valid journal with a few bytes changed,
 * removed or added: only the valid one is accepted.
 *
 * A mutated input never has a valid hash, so the second part starts from a
 * valid chain that is created once.
 */
#include <err.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "fuzz.h"
#include "list/journal.h"
#include "sys/file.h"
#include "json/out.h"

static struct buf good;

int
LLVMFuzzerInitialize(int *argc, char ***argv)
{
	char dir[] = "/tmp/fuzz-journal-XXXXXX", bytes[4096];
	struct deadline deadline = deadline_in(60000);
	struct list list = { .name = (char *)"list", .has_state = true };
	struct error e;
	int fd, file;
	ssize_t n;

	(void)argc, (void)argv;
	if (mkdtemp(dir) == NULL || (fd = open(dir, O_DIRECTORY | O_CLOEXEC)) == -1)
		err(1, "%s", dir);
	list.statefd = fd;
	for (int i = 0; i < 4; i++) {
		struct journal_entry entry = { .event = "claim",
			.task = "3",
			.agent = "a1",
			.session = "s",
			.why = "because of \x1b[31m this",
			.to = out_object() };

		out_int(entry.to, "n", i);
		if (journal_append(&list, DURABILITY_OFF, &entry, deadline, &e) == -1)
			errx(1, "%s", e.text);
	}
	if ((file = openat(fd, JOURNAL_FILE, O_RDONLY | O_CLOEXEC)) == -1)
		err(1, "%s", dir);
	while ((n = read(file, bytes, sizeof(bytes))) > 0)
		buf_add(&good, bytes, (size_t)n);
	close(file);
	close(fd);
	strcpy(bytes, "rm -rf ");
	strcat(bytes, dir);
	return system(bytes) != 0;
}

static void
check(const char *text, size_t len)
{
	struct journal_check c;
	struct error e;
	int rc = journal_verify_text(text, len, NULL, &c, &e);

	FUZZ_ASSERT(rc == 0 || c.bad_line == c.lines + 1);
	FUZZ_ASSERT(strlen(c.head) == (c.lines > 0 ? 64 : 0));
}

/* Edits of the valid journal: position, number of removed bytes, added bytes. */
static void
tamper(const uint8_t *data, size_t len)
{
	size_t at = (size_t)(data[0] | data[1] << 8) % good.len, out = data[2] % 16, in = len - 3;
	struct journal_check c;
	struct buf b = { 0 };
	struct error e;
	bool same;

	if (out > good.len - at)
		out = good.len - at;
	buf_add(&b, good.data, at);
	buf_add(&b, data + 3, in);
	buf_add(&b, good.data + at + out, good.len - at - out);
	same = b.len == good.len && memcmp(b.data, good.data, b.len) == 0;
	/* the chain cannot show that complete lines are missing at the end */
	if (!same && b.len < good.len && memcmp(b.data, good.data, b.len) == 0 &&
	    (b.len == 0 || b.data[b.len - 1] == '\n'))
		same = true;
	FUZZ_ASSERT((journal_verify_text(b.data, b.len, "list", &c, &e) == 0) == same);
	buf_free(&b);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
	char *text = malloc(len > 0 ? len : 1);

	if (len > 0)
		memcpy(text, data, len);
	check(text, len);
	if (len >= 3 && len < 64)
		tamper(data, len);
	free(text);
	return 0;
}
