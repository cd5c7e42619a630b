/*-------------------------------------------------------------------------
 *
 * widths.h
 *		The widths of fingerprints: every limit on the number of bits derives from these.
 *
 * A word is 64 bits of a fingerprint.  (The words of a text are tokens: text/tokens.h.)
 *
 * Indexes and joins accept each multiple of BITS_STEP from FEWEST_BITS to MOST_BITS.
 * Fingerprints that the extension computes consist of whole words.
 *
 * To change the largest width, change MOST_BITS_LOG2.  The sizes of arrays and the texts of
 * the server's errors follow.  The compiler names the two other places: the interface of the
 * C library, and for more than 1024 bits the arithmetic of pigeonhole.h.  Messages of the
 * command and of the Python package repeat the number: git grep 1024 client.
 *
 *-------------------------------------------------------------------------
 */
#ifndef SIMHASH_WIDTHS_H
#define SIMHASH_WIDTHS_H

#define WORD_BITS		64
#define FEWEST_BITS		WORD_BITS
#define BITS_STEP		16
#define MOST_BITS_LOG2	10
#define MOST_BITS		(1 << MOST_BITS_LOG2)
#define MOST_WORDS		(MOST_BITS / WORD_BITS)

#endif
