/*
 * tool-receipts: print the export of the list that the environment selects; for
 * tests of --ci without claude-tasks.
 */
#include <err.h>
#include <stdio.h>

#include "list/receipt.h"

int
main(void)
{
	struct list_query q = { 0 };
	struct list list = { 0 };
	struct store st = STORE_INIT;
	struct buf out = { 0 };
	struct error e;

	if (list_find(&list, &q, &e) == -1 || store_open(&st, list.dir, false, &e) != 1 ||
	    receipt_export(&list, &st, &out, &e) == -1)
		errx(1, "%s", e.text);
	fwrite(out.data, 1, out.len, stdout);
	buf_free(&out);
	store_close(&st);
	list_free(&list);
	return 0;
}
