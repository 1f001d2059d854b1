#ifndef LIST_FILES_H
#define LIST_FILES_H

#include "list/store-part.h"

/*
 * The layouts with one file per task: the client's own (STORE_NATIVE), and the
 * folder of another tool (STORE_FOLDER).
 */
extern const struct store_ops files_native_ops;
extern const struct store_ops files_folder_ops;

/* "<id>.json", or false if a file of this layout cannot have that name. */
bool files_name(const struct store *, const char *id, char name[256]);
/* The id of a file's name, or false. */
bool files_id(const struct store *, const char *name, char id[256]);

#endif
