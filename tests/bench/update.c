/*
 * update: as many locked updates of one task as possible in a given time.
 *
 *	update DIR ID MS	or -N: exactly N of them
 *
 * Each takes the client's lock on the task, reads it, sets metadata.n to n + 1, and
 * replaces the file.  Prints the number of updates.  (update.js does the
 * same with proper-lockfile.)
 */
#include <err.h>
#include <stdio.h>
#include <stdlib.h>

#include "list/store.h"

int
main(int argc, char **argv)
{
	struct store st = STORE_INIT;
	struct change change = CHANGE_INIT;
	struct error e = { 0 };
	struct deadline end;
	char metadata[64];
	long done = 0, limit;

	if (argc != 4)
		errx(64, "usage: update DIR ID MS|-N");
	if (store_open(&st, argv[1], false, &e) != 1)
		errx(1, "%s: %s", argv[1], e.text);
	st.durability = DURABILITY_OFF; /* update.js does not sync either */
	limit = atol(argv[3]);
	end = deadline_in(limit);
	while (limit < 0 ? done < -limit : !deadline_past(end)) {
		snprintf(metadata, sizeof(metadata), "{\"n\":%ld}", done + 1);
		change.metadata = metadata;
		if (store_update(&st, argv[2], &change, NULL, NULL, NULL, NULL, deadline_in(60000),
			&e) == -1)
			errx(1, "%s", e.text);
		done++;
	}
	store_close(&st);
	printf("%ld\n", done);
	return 0;
}
