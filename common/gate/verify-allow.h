#ifndef GATE_VERIFY_ALLOW_H
#define GATE_VERIFY_ALLOW_H

#include <stdbool.h>

#include "base/mem.h"
#include "json/json.h"

/*
 * May the verify command of a task run?
 *
 * metadata.verify is written by a model.  It runs only if an entry of the
 * allow list permits it:
 *
 *   - an entry that equals the command permits it as it is (a command with
 *     shell syntax is then given to the shell);
 *   - else both are split at blanks and compared word by word: a word of the entry is
 *     a pattern (* ? [] {}), a last word ** matches any further words.
 *     The command must be plain words (nothing that is special to a shell) and
 *     runs without a shell.  A pattern matches a word that begins with '-' only if
 *     the pattern does too: "make *" permits "make test" and not "make --eval=...".
 */

/* metadata.verify: a text, or an array of words.  1 and the command to run (shell: as
 * written, if a shell is needed); 0 not allowed, -1 malformed; text shows it. */
int verify_allow(const struct strings *allow, const struct json *, json_ref, struct strings *argv,
    char **shell, char **text);

#endif
