#ifndef AGENT_TRANSCRIPT_H
#define AGENT_TRANSCRIPT_H

#include <stdbool.h>

/*
 * Is a tool call over?  The client writes the result of every call, also of
 * one that was refused, into the transcript of its session (or of its
 * agent), under the call's id.
 *
 * True: a result is there.  False: it is not, or not yet, or nothing can be
 * read; so false means "unknown", never "still running".
 */
bool transcript_call_over(const char *transcript, const char *agent_id, const char *tool_use_id);

/* Was this call made in this transcript? */
bool transcript_has_call(const char *transcript, const char *tool_use_id);

/* Which version of the client wrote it: owned, NULL if that cannot be told. */
char *transcript_version(const char *transcript);

#endif
