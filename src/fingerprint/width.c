/*-------------------------------------------------------------------------
 *
 * width.c
 *		Widths of fingerprints; see width.h.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "simhash.h"
#include "width.h"

/* The width of a fingerprint of type "bit" with so many bits; an error if there is none */
Width
width_of_bits(int32 bits)
{
	Width		width;

	if (bits < WORD_BITS || bits > MOST_WORDS * WORD_BITS || bits % WORD_BITS != 0)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("fingerprint of %d bits is not supported", bits),
				 errhint("The number of bits must be a multiple of %d from %d to %d.",
						 WORD_BITS, WORD_BITS, MOST_WORDS * WORD_BITS)));
	width.words = bits / WORD_BITS;
	width.is_bit = true;
	return width;
}

/* The result of a SQL function */
Datum
fingerprint_datum(Width width, const uint64 *words)
{
	if (width.is_bit)
		return make_bit_string_of_words(words, width.words * WORD_BITS);
	return SimhashGetDatum(words[0]);
}
