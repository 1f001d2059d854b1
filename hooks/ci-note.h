#ifndef HOOKS_CI_NOTE_H
#define HOOKS_CI_NOTE_H

#include "ci-task.h"

/* Add the notes on a receipt that holds. */
void ci_note_receipt(const struct ci_judge *, const struct task *, const struct receipt *);

#endif
