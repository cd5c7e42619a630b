/*-------------------------------------------------------------------------
 *
 * width.c
 *		Widths of fingerprints; see width.h.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "type/bit_value.h"
#include "width.h"

/*
 * Raises an error unless a fingerprint can have so many bits.  "step" is WORD_BITS for a
 * fingerprint to be computed, and BITS_STEP for a value to be compared.
 */
void
check_width(int32 bits, int32 step)
{
	if (bits < FEWEST_BITS || bits > MOST_BITS || bits % step != 0)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("fingerprint of %d bits is not supported", bits),
				 errhint("The number of bits must be a multiple of %d from %d to %d.",
						 step, FEWEST_BITS, MOST_BITS)));
}

/*
 * Return the width of a fingerprint of type "bit".  Raises an error if no fingerprint
 * has this number of bits.
 */
Width
width_of_bits(int32 bits)
{
	Width		width;

	check_width(bits, WORD_BITS);
	width.words = bits / WORD_BITS;
	width.is_bit = true;
	return width;
}

/* Return a fingerprint as the result of a SQL function. */
Datum
fingerprint_datum(Width width, const uint64 *words)
{
	if (width.is_bit)
		return make_bit_value_of_words(words, width.words * WORD_BITS);
	return SimhashGetDatum(words[0]);
}
