/*-------------------------------------------------------------------------
 *
 * width.h
 *		The type of a fingerprint: "simhash" of 64 bits, or "bit" of several words of 64
 *		bits.
 *
 *-------------------------------------------------------------------------
 */
#ifndef SIMHASH_WIDTH_H
#define SIMHASH_WIDTH_H

#include "postgres.h"

#include "core/widths.h"
#include "fmgr.h"

typedef struct Width
{
	int			words;
	bool		is_bit;			/* of type "bit" */
} Width;

static const Width width_simhash = {1, false};

extern void check_width(int32 bits, int32 step);
extern Width width_of_bits(int32 bits);
extern Datum fingerprint_datum(Width width, const uint64 *words);

/* The width in an argument of a function that returns a fingerprint of type "bit" */
#define PG_GETARG_WIDTH(n)	width_of_bits(PG_GETARG_INT32(n))

#endif							/* SIMHASH_WIDTH_H */
