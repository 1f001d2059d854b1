#ifndef JSON_JSON_NUMBER_H
#define JSON_JSON_NUMBER_H

#include <stddef.h>

#include "base/buf.h"

/*
 * Numbers as JavaScript has them: doubles, written with the fewest digits
 * that read back as the same double.  The locale must be "C" in
 * LC_NUMERIC (it is, unless a program calls setlocale()).
 */

/* The value of a number's text that json_parse() has found valid;
 * infinite if it is too large. */
double json_number(const char *text, size_t len);

/* As JSON.stringify writes it: 1e21 is 1e+21, infinity and NaN are null. */
void json_number_print(struct buf *, double);

#endif
