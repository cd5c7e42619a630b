/*-------------------------------------------------------------------------
 *
 * literal.h
 *		The text form of a fingerprint of 64 bits, and tests of its characters.
 *
 *-------------------------------------------------------------------------
 */
#ifndef SIMHASH_LITERAL_H
#define SIMHASH_LITERAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Length of the output form, without the terminating zero. */
#define FINGERPRINT_HEX_DIGITS	16
#define FINGERPRINT_BINARY_DIGITS	64

/* Is c white space?  PostgreSQL ignores the same characters around numbers. */
extern bool literal_is_space(char c);

/* The value of a hexadecimal digit in either case; -1 for any other character. */
extern int	literal_hex_digit(char c);

/*
 * Read 16 hexadecimal digits in either case, after an optional 0x, or exactly
 * 64 binary digits, the most significant first.  Ignore white space around the
 * digits, as PostgreSQL does for numbers.  Return false for any other string.
 */
extern bool fingerprint_parse(const char *s, size_t len, uint64_t *result);

/* Write the 16 lower-case digits of f and a zero byte to out. */
extern void fingerprint_format(uint64_t f, char *out);

#endif							/* SIMHASH_LITERAL_H */
