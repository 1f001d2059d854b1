/*
 * The calendar is computed here instead of with gmtime(3) and timegm(3): a
 * static glibc reads /etc/localtime for them, which costs a hook four system
 * calls, and the result is in UTC anyway.
 */
#include "base/clock.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#define DAY_MS INT64_C(86400000)

static int64_t
clock_read(clockid_t id)
{
	struct timespec now;

	clock_gettime(id, &now);
	return now.tv_sec * INT64_C(1000000000) + now.tv_nsec;
}

int64_t
clock_ns(void)
{
	return clock_read(CLOCK_MONOTONIC);
}

int64_t
clock_ms(void)
{
	return clock_ns() / 1000000;
}

int64_t
clock_wall_ms(void)
{
	return clock_read(CLOCK_REALTIME) / 1000000;
}

struct deadline
deadline_in(int64_t ms)
{
	int64_t now = clock_ms();

	if (ms < 0)
		ms = 0;
	if (ms >= INT64_MAX - now)
		return DEADLINE_NEVER;
	return (struct deadline){ now + ms };
}

struct deadline
deadline_first(struct deadline a, struct deadline b)
{
	return a.at_ms < b.at_ms ? a : b;
}

int64_t
deadline_left(struct deadline d)
{
	int64_t now;

	if (d.at_ms == INT64_MAX)
		return INT64_MAX;
	now = clock_ms();
	return d.at_ms > now ? d.at_ms - now : 0;
}

bool
deadline_past(struct deadline d)
{
	return deadline_left(d) == 0;
}

void
clock_sleep_us(int64_t us)
{
	struct timespec left = { (time_t)(us / 1000000), (long)(us % 1000000) * 1000 };

	if (us <= 0)
		return;
	while (nanosleep(&left, &left) == -1 && errno == EINTR)
		;
}

bool
clock_wait_again(size_t *tries)
{
	static const int waits_us[] = { 200, 1000, 5000 };

	if (*tries == sizeof(waits_us) / sizeof(waits_us[0]))
		return false;
	clock_sleep_us(waits_us[(*tries)++]);
	return true;
}

/* Days since 1970-01-01 of a date in the proleptic Gregorian calendar.  The
 * year begins in March here, so that the leap day is its last. */
static int64_t
days_of(int64_t year, int month, int day)
{
	int64_t y = month <= 2 ? year - 1 : year;
	int64_t era = (y >= 0 ? y : y - 399) / 400;
	int64_t of_era = y - era * 400;
	int64_t of_year = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1;

	return era * 146097 + of_era * 365 + of_era / 4 - of_era / 100 + of_year - 719468;
}

static void
date_of(int64_t days, int64_t *year, int *month, int *day)
{
	int64_t z = days + 719468;
	int64_t era = (z >= 0 ? z : z - 146096) / 146097;
	int64_t of_era = z - era * 146097;
	int64_t y = (of_era - of_era / 1460 + of_era / 36524 - of_era / 146096) / 365;
	int64_t of_year = of_era - (365 * y + y / 4 - y / 100);
	int64_t m = (5 * of_year + 2) / 153;

	*day = (int)(of_year - (153 * m + 2) / 5 + 1);
	*month = (int)(m < 10 ? m + 3 : m - 9);
	*year = y + era * 400 + (*month <= 2);
}

static void
iso_print(char out[CLOCK_ISO], int64_t wall_ms, bool fraction)
{
	int64_t days = wall_ms / DAY_MS, ms = wall_ms % DAY_MS, year;
	int month, day, n;

	if (ms < 0) {
		ms += DAY_MS;
		days--;
	}
	date_of(days, &year, &month, &day);
	/* readers expect four digits */
	if (year < 0)
		year = 0;
	if (year > 9999)
		year = 9999;
	n = snprintf(out, CLOCK_ISO, "%04d-%02d-%02dT%02d:%02d:%02d", (int)year, month, day,
	    (int)(ms / 3600000), (int)(ms / 60000 % 60), (int)(ms / 1000 % 60));
	if (fraction)
		snprintf(out + n, CLOCK_ISO - (size_t)n, ".%03dZ", (int)(ms % 1000));
	else
		snprintf(out + n, CLOCK_ISO - (size_t)n, "Z");
}

void
clock_iso(char out[CLOCK_ISO], int64_t wall_ms)
{
	iso_print(out, wall_ms, true);
}

void
clock_iso_seconds(char out[CLOCK_ISO], int64_t wall_ms)
{
	iso_print(out, wall_ms, false);
}

/* Exactly `count` digits; moves *s past them. */
static int
digits(const char **s, int count, int *value)
{
	*value = 0;
	for (; count > 0; count--, (*s)++) {
		if (**s < '0' || **s > '9')
			return -1;
		*value = *value * 10 + (**s - '0');
	}
	return 0;
}

static int
expect(const char **s, const char *any)
{
	if (**s == '\0' || strchr(any, **s) == NULL)
		return -1;
	(*s)++;
	return 0;
}

/* "Z", "+01:00", "-0130"; minutes east of Greenwich. */
static int
zone(const char **s, int *minutes)
{
	int hour, minute, sign;

	*minutes = 0;
	if (**s == 'Z' || **s == 'z') {
		(*s)++;
		return 0;
	}
	sign = **s == '-' ? -1 : 1;
	if (expect(s, "+-") == -1 || digits(s, 2, &hour) == -1)
		return -1;
	if (**s == ':')
		(*s)++;
	if (digits(s, 2, &minute) == -1 || hour > 23 || minute > 59)
		return -1;
	*minutes = sign * (hour * 60 + minute);
	return 0;
}

int
clock_parse_iso(const char *s, int64_t *wall_ms)
{
	static const int length[] = { 31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31 };
	int year, month, day, hour = 0, minute = 0, second = 0, ms = 0, east = 0, scale = 100;
	bool leap;

	if (digits(&s, 4, &year) == -1 || expect(&s, "-") == -1 || digits(&s, 2, &month) == -1 ||
	    expect(&s, "-") == -1 || digits(&s, 2, &day) == -1)
		return -1;
	leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
	if (month < 1 || month > 12 || day < 1 || day > length[month - 1] ||
	    (month == 2 && day == 29 && !leap))
		return -1;
	if (*s != '\0') {
		if (expect(&s, "Tt ") == -1 || digits(&s, 2, &hour) == -1 ||
		    expect(&s, ":") == -1 || digits(&s, 2, &minute) == -1 ||
		    expect(&s, ":") == -1 || digits(&s, 2, &second) == -1)
			return -1;
		if (hour > 23 || minute > 59 || second > 60)
			return -1;
		if (*s == '.' || *s == ',') {
			s++;
			if (*s < '0' || *s > '9')
				return -1;
			for (; *s >= '0' && *s <= '9'; s++, scale /= 10)
				ms += (*s - '0') * scale;
		}
		/* without a zone it is UTC, like everything we write */
		if (*s != '\0' && zone(&s, &east) == -1)
			return -1;
	}
	if (*s != '\0')
		return -1;
	*wall_ms = days_of(year, month, day) * DAY_MS +
		   ((int64_t)hour * 3600 + ((int64_t)minute - east) * 60 + second) * 1000 + ms;
	return 0;
}
