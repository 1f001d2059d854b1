/*
 * Sign an export and check its signature, with the ssh-keygen of OpenSSH.
 */
#include <sys/mman.h>

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/text.h"
#include "list/receipt.h"
#include "sys/child.h"
#include "sys/file.h"

#define KEYGEN_MS 60000 /* a key on a token waits for a touch */
#define OUTPUT_MAX (64u << 10)

/* Run ssh-keygen with the text as input.  1 and its output; 0 it failed, and why; -1. */
static int
keygen(const char *const *words, const char *text, size_t len, struct buf *out, struct error *e)
{
	struct strings argv = { 0 };
	struct child c = CHILD_INIT;
	int fd = memfd_create("signature", MFD_CLOEXEC), rc = -1;
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

int
receipt_signed(const char *allowed, const char *signature_path, const char *text, size_t len,
    char **who_or_why, struct error *e)
{
	const char *const find[] = { "-Y", "find-principals", "-s", signature_path, "-f", allowed,
		NULL };
	struct buf out = { 0 };
	char *who = NULL;
	int rc;

	if (access(allowed, R_OK) == -1)
		return error_sys(e, "cannot read the signers in '%s'", allowed);
	if (access(signature_path, R_OK) == -1) {
		*who_or_why = mem_printf(
		    "there is no signature '%s' (claude-tasks receipts export --sign writes one)",
		    signature_path);
		return 0;
	}
	if ((rc = keygen(find, text, len, &out, e)) == 1) {
		who = mem_copy(buf_text(&out), strcspn(buf_text(&out), "\r\n"));
		buf_reset(&out);
		rc = keygen((const char *const[]){ "-Y", "verify", "-n", RECEIPT_NAMESPACE, "-I",
				who, "-s", signature_path, "-f", allowed, NULL },
		    text, len, &out, e);
	}
	if (rc == 0)
		*who_or_why = mem_printf(
		    who == NULL ? "not signed by any of the allowed signers: ssh-keygen: %s"
				: "its signature does not match this text: ssh-keygen: %s",
		    buf_text(&out));
	else if (rc == 1)
		*who_or_why = mem_string(who);
	free(who);
	buf_free(&out);
	return rc;
}
