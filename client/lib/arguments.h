/*-------------------------------------------------------------------------
 *
 * arguments.h
 *		The checks of arguments.
 *
 *-------------------------------------------------------------------------
 */
#ifndef PGSIMHASH_ARGUMENTS_H
#define PGSIMHASH_ARGUMENTS_H

#include <stdbool.h>

#include "core/text/text_options.h"
#include "core/widths.h"
#include "pgsimhash.h"

#if PGSIMHASH_MOST_BITS != MOST_BITS
#error "PGSIMHASH_MOST_BITS of pgsimhash.h must be MOST_BITS of core/widths.h"
#endif

/* Are they UTF-8, as PostgreSQL has it except that U+0000 is allowed? */
extern bool utf8_is_valid(const char *bytes, size_t length);

/* Turn options into those of core; false if one of them is out of range. */
extern bool options_of_text(const pgsimhash_options *given, TextOptions *options);

/* The same for functions of passages, whose features are n words. */
extern bool options_of_words(const pgsimhash_options *given, int n,
							 TextOptions *options);

/* Has a computed fingerprint so many bits? */
static inline bool
is_text_width(int bits)
{
	return bits >= FEWEST_BITS && bits <= MOST_BITS && bits % WORD_BITS == 0;
}

/* Can the join compare fingerprints of so many bits? */
static inline bool
is_join_width(int bits)
{
	return bits >= FEWEST_BITS && bits <= MOST_BITS && bits % BITS_STEP == 0;
}

/* Has any fingerprint so many bits? */
static inline bool
is_width(int bits)
{
	return bits >= 1 && bits <= MOST_BITS;
}

#endif
