/*
 * Shortest digits without a big library: of the decimals with p digits the
 * one nearest to the double is what printf gives, so the first p whose
 * decimal reads back is the answer, with two exceptions.
 *
 * At a power of two the double below is only half as far away as the one
 * above.  The nearest decimal may lie below and miss, while the next one
 * above, though farther off, still reads back: JavaScript takes that one
 * (2^-1017, for example), so it is tried as well.
 *
 * Fifteen digits always survive a normal double, so they are tried first
 * and their trailing zeros dropped; a subnormal holds fewer and has to be
 * tried from one digit on.
 */
#include "json/json-number.h"

#include <float.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

double
json_number(const char *text, size_t len)
{
	char near[64], *copy = near;
	double v;

	if (len >= sizeof(near))
		copy = mem_copy(text, len);
	else {
		memcpy(near, text, len);
		near[len] = '\0';
	}
	v = strtod(copy, NULL);
	if (copy != near)
		free(copy);
	return v;
}

/* A positive double as 0.d1d2d3... times ten to the point. */
struct decimal {
	char digit[20];
	int count, point;
};

static double
decimal_value(const struct decimal *d)
{
	char text[48];

	snprintf(text, sizeof(text), "0.%se%d", d->digit, d->point);
	return strtod(text, NULL);
}

static void
decimal_round(struct decimal *d, double v, int digits)
{
	char text[40];

	snprintf(text, sizeof(text), "%.*e", digits - 1, v);
	d->digit[0] = text[0];
	if (digits > 1)
		memcpy(d->digit + 1, text + 2, (size_t)digits - 1);
	d->digit[digits] = '\0';
	d->count = digits;
	d->point = atoi(strchr(text, 'e') + 1) + 1;
}

/* One unit in the last digit more. */
static void
decimal_up(struct decimal *d)
{
	int i = d->count - 1;

	while (i >= 0 && d->digit[i] == '9')
		d->digit[i--] = '0';
	if (i >= 0) {
		d->digit[i]++;
		return;
	}
	d->digit[0] = '1';
	d->point++;
}

static void
decimal_shortest(struct decimal *d, double v)
{
	int exponent;
	bool lopsided = frexp(v, &exponent) == 0.5;

	for (int digits = v < DBL_MIN ? 1 : 15; digits <= 17; digits++) {
		decimal_round(d, v, digits);
		if (decimal_value(d) == v)
			break;
		if (!lopsided)
			continue;
		decimal_up(d);
		if (decimal_value(d) == v)
			break;
	}
	while (d->count > 1 && d->digit[d->count - 1] == '0')
		d->digit[--d->count] = '\0';
}

void
json_number_print(struct buf *out, double v)
{
	static const char zeros[] = "00000000000000000000";
	struct decimal d;

	if (!isfinite(v)) {
		buf_puts(out, "null");
		return;
	}
	if (v == 0) {
		buf_putc(out, '0'); /* minus zero as well */
		return;
	}
	if (v < 0)
		buf_putc(out, '-');
	v = fabs(v);
	if (v < 1e15 && v == (double)(long long)v) {
		buf_printf(out, "%lld", (long long)v);
		return;
	}
	decimal_shortest(&d, v);
	if (d.count <= d.point && d.point <= 21) {
		buf_puts(out, d.digit);
		buf_add(out, zeros, (size_t)(d.point - d.count));
	} else if (d.point > 0 && d.point < d.count) {
		buf_add(out, d.digit, (size_t)d.point);
		buf_putc(out, '.');
		buf_puts(out, d.digit + d.point);
	} else if (d.point > -6 && d.point <= 0) {
		buf_puts(out, "0.");
		buf_add(out, zeros, (size_t)-d.point);
		buf_puts(out, d.digit);
	} else {
		buf_putc(out, d.digit[0]);
		if (d.count > 1) {
			buf_putc(out, '.');
			buf_puts(out, d.digit + 1);
		}
		buf_printf(out, "e%+d", d.point - 1);
	}
}
