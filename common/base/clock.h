#ifndef BASE_CLOCK_H
#define BASE_CLOCK_H

#include <stdbool.h>
#include <stdint.h>
#include <time.h>

/*
 * Two clocks: the monotonic one for deadlines, the wall clock for people and
 * other programs.  A deadline is absolute; it is made once at the top and
 * passed down.
 */
struct deadline {
	int64_t at_ms; /* monotonic; INT64_MAX: never */
};

#define DEADLINE_NEVER ((struct deadline){ INT64_MAX })

int64_t clock_ns(void);      /* monotonic, nanoseconds */
int64_t clock_ms(void);      /* the same in milliseconds */
int64_t clock_wall_ms(void); /* since 1970 */
struct deadline deadline_in(int64_t ms);
struct deadline deadline_first(struct deadline, struct deadline);
int64_t deadline_left(struct deadline); /* ms, 0 when past; INT64_MAX never */
bool deadline_past(struct deadline);
void clock_sleep_us(int64_t us); /* the whole time, even if signals arrive */
/* Before a file that another program may be writing is read again: waits 0.2, 1 and 5 ms; then
 * false.  *tries starts with 0. */
bool clock_wait_again(size_t *tries);

/* "2026-02-06T20:41:00.123Z" / without fraction; room of CLOCK_ISO bytes. */
#define CLOCK_ISO 32
void clock_iso(char out[CLOCK_ISO], int64_t wall_ms);
void clock_iso_seconds(char out[CLOCK_ISO], int64_t wall_ms);
int clock_parse_iso(const char *, int64_t *wall_ms); /* 0, or -1 */

#endif
