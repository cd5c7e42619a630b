/*-------------------------------------------------------------------------
 *
 * white_space.h
 *		White space that counts.
 *
 *-------------------------------------------------------------------------
 */
#ifndef SIMHASH_WHITE_SPACE_H
#define SIMHASH_WHITE_SPACE_H

#include "links.h"
#include "numerals.h"

/* Must a copy have the white space between two places: is it in a number, or at the end of a link? */
static inline bool
white_space_counts(const Bytes *t, size_t start, size_t end)
{
	return core_space_is_in_number(t, start, end) || core_space_ends_link(t, start, end);
}

#endif
