/*
 * The version of the client that wrote a transcript.
 */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "agent/transcript.h"

Test(transcript, the_version_of_the_client_is_found)
{
	static const struct {
		const char *text, *want;
	} rows[] = {
		{ "{\"type\":\"user\",\"version\":\"2.1.34\",\"x\":1}\n", "2.1.34" },
		{ "{\"version\":\"2.1.34\"}\n{\"version\":\"2.1.197\"}\n", "2.1.197" },
		{ "{\"version\":\"2.1.34\"}\n{\"type\":\"summary\"}\n{\"half\":", "2.1.34" },
		{ "cut off\"}\n{\"version\":\"2.1.325\"}", "2.1.325" },
		/* A version in a message does not count. */
		{ "{\"result\":{\"version\":\"9.9.9\"}}\n", NULL },
		{ "{\"text\":\"\\\"version\\\":\\\"9.9.9\\\"\"}\n", NULL },
		{ "{\"version\":\"<script>\"}\n", NULL },
		{ "{\"version\":3}\n", NULL },
		{ "\n\n", NULL },
		{ "", NULL },
	};
	char path[] = "/tmp/test-transcript-XXXXXX";
	int fd = mkstemp(path);

	cr_assert_neq(fd, -1);
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		size_t len = strlen(rows[i].text);
		char *version;

		cr_assert_eq(ftruncate(fd, 0), 0);
		cr_assert_eq(pwrite(fd, rows[i].text, len, 0), (ssize_t)len);
		version = transcript_version(path);
		if (rows[i].want == NULL)
			cr_expect_null(version, "%s", rows[i].text);
		else
			cr_expect(version != NULL && strcmp(version, rows[i].want) == 0, "%s: %s",
			    rows[i].text, version != NULL ? version : "none");
		free(version);
	}
	close(fd);
	unlink(path);
	cr_expect_null(transcript_version(path));
	cr_expect_null(transcript_version(NULL));
	cr_expect_null(transcript_version("relative"));
	cr_expect_null(transcript_version("/tmp"));
}
