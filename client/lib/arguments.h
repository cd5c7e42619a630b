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

/* More than any search takes, and the least with which it is not slow */
#define ENOUGH_MEMORY (SIZE_MAX / 4)
#define LEAST_MEMORY (1 << 20)

/* The bytes that a search uses if its caller allows this number; 0: all in memory. */
static inline size_t
search_memory(size_t memory)
{
	return memory == 0 || memory > ENOUGH_MEMORY ? ENOUGH_MEMORY :
		memory < LEAST_MEMORY ? LEAST_MEMORY : memory;
}

/* The distance of a search, which may be out of range */
static inline int
search_distance(int distance, int bits)
{
	return distance < -1 ? -1 : distance > bits ? bits : distance;
}

/* Can a fingerprint be computed in this width? */
static inline bool
is_text_width(int bits)
{
	return bits >= FEWEST_BITS && bits <= MOST_BITS && bits % WORD_BITS == 0;
}

/* Can a fingerprint have this width? */
static inline bool
is_width(int bits)
{
	return bits >= 1 && bits <= MOST_BITS;
}

#endif
