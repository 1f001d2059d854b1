/*
 * A task whose subject gives it to a type of agents: [SA:TestEng].
 */
#include <stdlib.h>
#include <string.h>

#include "agent/agent.h"
#include "agent/claim-part.h"
#include "base/text.h"
#include "task/macf.h"

/* How an agent that is to do the task changes for whom it is. */
static void
add_way_out(struct buf *b, const struct task *t, const char *wanted, const char *type)
{
	buf_printf(b, ". If you are to do it, first %s [SA:", type != NULL ? "change" : "remove");
	text_show(b, wanted, strlen(wanted), TEXT_LINE, 80);
	buf_printf(b, "] %s its subject: claude-tasks update ", type != NULL ? "in" : "from");
	/* A name that means something to a shell is not put into a command. */
	buf_puts(b, text_plain_word(t->id) ? t->id : "N");
	buf_puts(b, " --subject '");
	if (type != NULL)
		buf_printf(b, "[SA:%.80s] ", text_plain_word(type) ? type : "TYPE");
	buf_puts(b, "...'; ");
}

void
claim_type_text(struct buf *b, const struct task *t, const char *type, bool refuse)
{
	const char *else_do =
	    type != NULL ? "take another task" : "start an agent of that type for it";
	char *wanted = macf_agent_type(t->subject);

	if (wanted == NULL || (type != NULL && macf_same_type(wanted, type))) {
		free(wanted);
		return;
	}
	buf_puts(b, "Task ");
	task_name(b, t);
	buf_puts(b, " is meant for an agent of type ");
	text_show(b, wanted, strlen(wanted), TEXT_LINE, 80);
	buf_puts(b, type != NULL ? "; yours is " : "; you are the main thread");
	if (type != NULL)
		text_show(b, type, strlen(type), TEXT_LINE, 80);
	if (refuse) {
		add_way_out(b, t, wanted, type);
		buf_printf(b, "else %s.", else_do);
	} else {
		buf_printf(b, ". If you are not to do it, set it to pending and %s.", else_do);
	}
	free(wanted);
}

void
claim_type_find(
    struct buf *b, const struct task *t, const struct claim_request *req, const struct list *list)
{
	char *wanted = req->type != CLAIM_TYPE_PASS ? macf_agent_type(t->subject) : NULL;
	char *type = wanted != NULL ? agent_find_type(&req->agent, list) : NULL;

	if (type != NULL)
		claim_type_text(b, t, type, req->type == CLAIM_TYPE_REFUSE);
	free(wanted);
	free(type);
}
