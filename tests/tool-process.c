/*
 * tool-process: what common/os/ says about a process, for the tests.
 *
 *	tool-process start PID		its start, as the claims have it
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "os/os.h"

int
main(int argc, char **argv)
{
	struct os_process p;

	if (argc != 3 || strcmp(argv[1], "start") != 0) {
		fprintf(stderr, "usage: tool-process start PID\n");
		return 64;
	}
	if (os_process_read((pid_t)strtol(argv[2], NULL, 10), &p) != 1) {
		perror("tool-process");
		return 1;
	}
	printf("%" PRIu64 "\n", p.start);
	return 0;
}
