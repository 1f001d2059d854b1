#ifndef TASK_MACF_H
#define TASK_MACF_H

#include <stddef.h>

/*
 * Metadata that the MACF tools write into the subject and description of
 * native tasks, because the client drops unknown keys:
 *
 *	subject		[SA:TestEng] Write tests	for which kind of agent
 *			#89 [^#67] Phase 4		its parent
 *	description	<macf_task_metadata version="1.0">
 *			created_cycle: 42
 *			</macf_task_metadata>
 *
 * We leave it in place when we write.
 */
char *macf_agent_type(const char *subject); /* "TestEng"; NULL; owned */
char *macf_parent(const char *subject);     /* "67"; NULL; owned */

/* The block with its tags; NULL if there is none. */
const char *macf_block(const char *description, size_t *len);
char *macf_value(const char *description, const char *key); /* owned; NULL */

/* A new description with the old one's block at its end, unless it has one itself; owned. */
char *macf_keep(const char *old, const char *description);

#endif
