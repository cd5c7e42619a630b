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

extern bool literal_is_space(char c);
extern int	literal_hex_digit(char c);
extern bool fingerprint_parse(const char *s, size_t len, uint64_t *result);
extern void fingerprint_format(uint64_t f, char *out);

#endif							/* SIMHASH_LITERAL_H */
