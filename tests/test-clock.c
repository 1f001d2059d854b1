#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/clock.h"

Test(clock, a_deadline_is_absolute)
{
	struct deadline d = deadline_in(60000), past = deadline_in(0);

	cr_expect_gt(deadline_left(d), 50000);
	cr_expect_leq(deadline_left(d), 60000);
	cr_expect(deadline_past(past));
	cr_expect_eq(deadline_left(past), 0);
	cr_expect(deadline_past(deadline_in(-5)));
	cr_expect_not(deadline_past(d));
	cr_expect_eq(deadline_left(DEADLINE_NEVER), INT64_MAX);
	cr_expect_not(deadline_past(DEADLINE_NEVER));
	cr_expect_eq(deadline_in(INT64_MAX).at_ms, INT64_MAX);
	cr_expect_eq(deadline_first(d, past).at_ms, past.at_ms);
	cr_expect_eq(deadline_first(past, d).at_ms, past.at_ms);
	cr_expect_eq(deadline_first(DEADLINE_NEVER, d).at_ms, d.at_ms);
}

Test(clock, sleeps_at_least_as_long_as_asked)
{
	int64_t before = clock_ms();

	clock_sleep_us(20000);
	clock_sleep_us(0);
	clock_sleep_us(-1);
	cr_expect_geq(clock_ms() - before, 19);
}

Test(clock, prints_and_reads_dates)
{
	static const struct {
		int64_t ms;
		const char *text, *seconds;
	} rows[] = {
		{ 0, "1970-01-01T00:00:00.000Z", "1970-01-01T00:00:00Z" },
		{ 1, "1970-01-01T00:00:00.001Z", "1970-01-01T00:00:00Z" },
		{ -1, "1969-12-31T23:59:59.999Z", "1969-12-31T23:59:59Z" },
		{ 951782400000, "2000-02-29T00:00:00.000Z", "2000-02-29T00:00:00Z" },
		{ 1770410460123, "2026-02-06T20:41:00.123Z", "2026-02-06T20:41:00Z" },
		{ 4107542399999, "2100-02-28T23:59:59.999Z", "2100-02-28T23:59:59Z" },
		{ 4107542400000, "2100-03-01T00:00:00.000Z", "2100-03-01T00:00:00Z" },
	};
	char out[CLOCK_ISO];
	int64_t back;

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		clock_iso(out, rows[i].ms);
		cr_expect_str_eq(out, rows[i].text);
		cr_expect_eq(clock_parse_iso(out, &back), 0, "%s", out);
		cr_expect_eq(back, rows[i].ms, "%s", out);
		clock_iso_seconds(out, rows[i].ms);
		cr_expect_str_eq(out, rows[i].seconds);
	}
}

/* Compared with the C library, over four centuries. */
Test(clock, agrees_with_gmtime)
{
	char out[CLOCK_ISO], want[CLOCK_ISO];
	struct tm tm;
	int64_t back;

	for (int64_t s = -6000000000; s < 6000000000; s += 1234567) {
		time_t t = (time_t)s;

		gmtime_r(&t, &tm);
		strftime(want, sizeof(want), "%Y-%m-%dT%H:%M:%SZ", &tm);
		clock_iso_seconds(out, s * 1000);
		cr_assert_str_eq(out, want);
		cr_assert_eq(clock_parse_iso(out, &back), 0);
		cr_assert_eq(back, s * 1000);
	}
}

Test(clock, reads_dates_of_other_programs)
{
	static const struct {
		const char *text;
		int64_t ms; /* INT64_MIN: refused */
	} rows[] = {
		{ "2026-02-06T20:41:00+00:00", 1770410460000 },
		{ "2026-02-06T21:41:00+01:00", 1770410460000 },
		{ "2026-02-06T14:11:00-0630", 1770410460000 },
		{ "2026-02-06T20:41:00.123456Z", 1770410460123 },
		{ "2026-02-06T20:41:00,5Z", 1770410460500 },
		{ "2026-02-06t20:41:00z", 1770410460000 },
		{ "2026-02-06 20:41:00", 1770410460000 },
		{ "2026-02-06", 1770336000000 },
		{ "", INT64_MIN },
		{ "2026", INT64_MIN },
		{ "2026-02-30", INT64_MIN },
		{ "2026-13-01", INT64_MIN },
		{ "2026-00-01", INT64_MIN },
		{ "2026-02-06T", INT64_MIN },
		{ "2026-02-06T24:00:00Z", INT64_MIN },
		{ "2026-02-06T20:41:00.Z", INT64_MIN },
		{ "2026-02-06T20:41:00Zx", INT64_MIN },
		{ "2026-02-06T20:41:00+25:00", INT64_MIN },
		{ "yesterday", INT64_MIN },
	};
	int64_t ms;

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		ms = INT64_MIN;
		cr_expect_eq(clock_parse_iso(rows[i].text, &ms), rows[i].ms == INT64_MIN ? -1 : 0,
		    "'%s'", rows[i].text);
		cr_expect_eq(ms, rows[i].ms, "'%s'", rows[i].text);
	}
}
