/*
 * Sign an export and check its signature, with the ssh-keygen of OpenSSH.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/text.h"
#include "list/receipt.h"
#include "os/os.h"
#include "sys/child.h"
#include "sys/file.h"

#define KEYGEN_MS 60000 /* a key on a token waits for a touch */
#define OUTPUT_MAX (64u << 10)
#define SIGNERS_MAX (16u << 20)

/* Run ssh-keygen with the text as input.  1 and its output; 0 it failed, and why; -1. */
static int
keygen(const char *const *words, const char *text, size_t len, struct buf *out, struct error *e)
{
	struct strings argv = { 0 };
	struct child c = CHILD_INIT;
	int fd = os_memory_file(), rc = -1;
	struct child_spec spec = {
		.deadline = deadline_in(KEYGEN_MS), .input = text, .input_len = len, .output = &fd
	};

	if (fd == -1)
		return error_sys(e, "cannot make a file for the output of ssh-keygen");
	strings_add(&argv, "ssh-keygen");
	for (; *words != NULL; words++)
		strings_add(&argv, *words);
	strings_take(&argv, NULL);
	spec.argv = argv.item;
	if (child_run(&c, &spec, e) == -1)
		goto out;
	if (c.end == CHILD_NOT_RUN && c.status == ENOENT)
		error_set(e, ERROR_FAULT,
		    "signatures need ssh-keygen, which is not installed (package openssh-client)");
	else if (c.end == CHILD_EXITED && c.status == 0) {
		lseek(fd, 0, SEEK_SET);
		rc = file_read_fd(fd, OUTPUT_MAX, out, e) == -1 ? -1 : 1;
	} else {
		child_describe(out, &c);
		buf_puts(out, ": ");
		text_show(out, buf_text(&c.tail), c.tail.len, TEXT_LINE, 300);
		rc = 0;
	}
out:
	strings_free(&argv);
	child_free(&c);
	close(fd);
	return rc;
}

int
receipt_sign(const char *key, const char *text, size_t len, struct buf *signature, struct error *e)
{
	const char *const words[] = { "-Y", "sign", "-n", RECEIPT_NAMESPACE, "-f", key, NULL };
	int rc = keygen(words, text, len, signature, e);

	if (rc == 0)
		error_set(e, ERROR_INPUT, "cannot sign with '%s': ssh-keygen: %s", key,
		    buf_text(signature));
	return rc == 1 ? 0 : -1;
}

/* The names that ssh-keygen printed, one on each line. */
static void
add_printed(struct strings *names, const struct buf *out)
{
	for (const char *p = buf_text(out); *p != '\0'; p += strspn(p, "\r\n")) {
		size_t len = strcspn(p, "\r\n");

		strings_take(names, mem_copy(p, len));
		p += len;
	}
}

/* The names of all signers, which begin each line, perhaps in quotes, with commas. */
static int
add_allowed(struct strings *names, const char *allowed, struct error *e)
{
	struct buf text = { 0 };
	int rc = file_read_path(allowed, SIGNERS_MAX, &text, e);

	for (const char *p = buf_text(&text); rc == 1 && *p != '\0'; p += *p == '\n') {
		bool quoted;
		const char *end;

		p += strspn(p, " \t");
		quoted = *p == '"';
		p += quoted;
		for (end = p + strcspn(p, quoted ? "\"\n" : " \t\r\n"); *p != '#' && p < end; p++) {
			size_t len = strcspn(p, ",");

			len = len < (size_t)(end - p) ? len : (size_t)(end - p);
			strings_take(names, mem_copy(p, len));
			if ((p += len) == end)
				break;
		}
		p += strcspn(p, "\n");
	}
	buf_free(&text);
	return rc == -1 ? -1 : 0;
}

/* Has one of these signed the text?  1 and who; 0 and what ssh-keygen said of the first; -1. */
static int
try_names(const struct strings *names, const char *allowed, const char *signature_path,
    const char *text, size_t len, char **who_or_why, struct error *e)
{
	struct buf out = { 0 };
	char *why = NULL;
	void *seen = NULL;
	int rc = 0;

	for (size_t i = 0; rc == 0 && i < names->count; i++) {
		const char *who = names->item[i];
		const char *const words[] = { "-Y", "verify", "-n", RECEIPT_NAMESPACE, "-I", who,
			"-s", signature_path, "-f", allowed, NULL };

		/* "!name" excludes a name. */
		if (*who == '!' || !strings_first(&seen, who))
			continue;
		buf_reset(&out);
		rc = keygen(words, text, len, &out, e);
		if (rc == 1)
			*who_or_why = mem_string(who);
		else if (why == NULL)
			why = buf_take(&out);
	}
	if (rc == 0)
		*who_or_why = mem_printf("its signature does not match this text: ssh-keygen: %s",
		    why != NULL ? why : "it names no signer");
	strings_forget(seen);
	free(why);
	buf_free(&out);
	return rc;
}

int
receipt_signed(const char *allowed, const char *signature_path, const char *text, size_t len,
    char **who_or_why, struct error *e)
{
	const char *const find[] = { "-Y", "find-principals", "-s", signature_path, "-f", allowed,
		NULL };
	struct strings names = { 0 };
	struct buf out = { 0 };
	int rc;

	if (access(allowed, R_OK) == -1)
		return error_sys(e, "cannot read the signers in '%s'", allowed);
	if (access(signature_path, R_OK) == -1) {
		*who_or_why = mem_printf(
		    "there is no signature '%s' (claude-tasks receipts export --sign writes one)",
		    signature_path);
		return 0;
	}
	/* It prints the names in the first line that has the key; this one may be for another
	 * namespace, or have expired. */
	if ((rc = keygen(find, text, len, &out, e)) == 1) {
		add_printed(&names, &out);
		rc = add_allowed(&names, allowed, e) == -1
			 ? -1
			 : try_names(&names, allowed, signature_path, text, len, who_or_why, e);
	} else if (rc == 0)
		*who_or_why = mem_printf(
		    "not signed by any of the allowed signers: ssh-keygen: %s", buf_text(&out));
	strings_free(&names);
	buf_free(&out);
	return rc;
}
