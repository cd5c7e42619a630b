/*-------------------------------------------------------------------------
 *
 * ascii_block.h
 *		Three sets of bits for 64 bytes, with bit i for byte i: the bytes that are ASCII letters
 *		or digits, the bytes that are not ASCII, and the signs + and #, which may belong to a word.
 *		The functions use registers that every x86-64 and arm64 processor has, or plain C.
 *
 *-------------------------------------------------------------------------
 */
#ifndef SIMHASH_ASCII_BLOCK_H
#define SIMHASH_ASCII_BLOCK_H

#include "../bytes.h"

#if defined(__SSE2__)
#include <emmintrin.h>
#elif defined(__aarch64__) && (defined(__GNUC__) || defined(__clang__))
#include <arm_neon.h>
#endif

#define ASCII_BLOCK 64

/*
 * All bytes of x are below 0x80.  The high bit of each byte of the result: is
 * the byte at least c?
 */
#define BYTES_AT_LEAST(x, c) ((x) + BYTES_ALL(0x80 - (c)))

/*
 * Gather the highest bits of the 8 bytes, the first byte lowest.  The other bits
 * must be 0.
 */
static inline unsigned int
bytes_high_bits(uint64_t high)
{
	return (unsigned int) ((high >> 7) * UINT64_C(0x0102040810204080) >> 56);
}

/* A bit for each byte: is the byte an ASCII letter or digit? */
static inline unsigned int
ascii_word_bits(uint64_t bytes)
{
	uint64_t	ascii = bytes & BYTES_ALL(0x7F);
	uint64_t	lower = ascii | BYTES_ALL(0x20);
	uint64_t	letters = BYTES_AT_LEAST(lower, 'a') & ~BYTES_AT_LEAST(lower, 'z' + 1);
	uint64_t	digits = BYTES_AT_LEAST(ascii, '0') & ~BYTES_AT_LEAST(ascii, '9' + 1);

	return bytes_high_bits((letters | digits) & ~bytes & BYTES_ALL(0x80));
}

/* + and # differ in one bit, which is clear in # */
#define BUT_SIGN_BIT 0xF7

/* A bit for each byte: is it + or #? */
static inline unsigned int
sign_bits(uint64_t bytes)
{
	uint64_t	differ = (bytes & BYTES_ALL(BUT_SIGN_BIT)) ^ BYTES_ALL('#');

	differ |= (differ & BYTES_ALL(0x7F)) + BYTES_ALL(0x7F);
	return bytes_high_bits(~differ & BYTES_ALL(0x80));
}

static inline uint64_t
ascii_block_portable(const uint8_t *p, uint64_t *other, uint64_t *signs)
{
	uint64_t	word = 0;

	*signs = 0;
	*other = 0;
	for (int i = 0; i < ASCII_BLOCK; i += 8)
	{
		uint64_t	bytes = load_le64(p + i);

		word |= (uint64_t) ascii_word_bits(bytes) << i;
		*other |= (uint64_t) bytes_high_bits(bytes & BYTES_ALL(0x80)) << i;
		*signs |= (uint64_t) sign_bits(bytes) << i;
	}
	return word;
}

#if defined(__SSE2__)

/*
 * Is each byte one of the n values from first on?  SSE2 has signed comparisons
 * only.
 */
#define BYTES_AMONG(x, first, n) \
	_mm_cmplt_epi8(_mm_add_epi8(x, _mm_set1_epi8((char) (0x80 - (first)))), \
				   _mm_set1_epi8((char) ((n) - 0x80)))

static inline uint64_t
ascii_block(const uint8_t *p, uint64_t *other, uint64_t *signs)
{
	uint64_t	word = 0;
	__m128i		sign[ASCII_BLOCK / 16];

	*signs = 0;
	*other = 0;
	for (int i = 0; i < ASCII_BLOCK; i += 16)
	{
		__m128i		bytes = _mm_loadu_si128((const __m128i *) (p + i));
		__m128i		lower = _mm_or_si128(bytes, _mm_set1_epi8(0x20));
		__m128i		found = _mm_or_si128(BYTES_AMONG(lower, 'a', 26),
										 BYTES_AMONG(bytes, '0', 10));

		sign[i / 16] = _mm_cmpeq_epi8(_mm_and_si128(bytes, _mm_set1_epi8((char) BUT_SIGN_BIT)),
									  _mm_set1_epi8('#'));
		word |= (uint64_t) (unsigned int) _mm_movemask_epi8(found) << i;
		*other |= (uint64_t) (unsigned int) _mm_movemask_epi8(bytes) << i;
	}
	/* most blocks have no sign */
	if (_mm_movemask_epi8(_mm_or_si128(_mm_or_si128(sign[0], sign[1]),
									   _mm_or_si128(sign[2], sign[3]))) != 0)
	{
		for (int i = 0; i < ASCII_BLOCK; i += 16)
			*signs |= (uint64_t) (unsigned int) _mm_movemask_epi8(sign[i / 16]) << i;
	}
	return word;
}

#elif defined(__aarch64__) && (defined(__GNUC__) || defined(__clang__))

/* One bit for each byte.  The bits of a byte are all set or all clear. */
static inline uint64_t
block_bits(const uint8x16_t *bytes)
{
	const uint8x16_t places = vreinterpretq_u8_u64(vdupq_n_u64(UINT64_C(0x8040201008040201)));
	uint8x16_t	low = vpaddq_u8(vandq_u8(bytes[0], places), vandq_u8(bytes[1], places));
	uint8x16_t	high = vpaddq_u8(vandq_u8(bytes[2], places), vandq_u8(bytes[3], places));

	low = vpaddq_u8(low, high);
	low = vpaddq_u8(low, low);
	return vgetq_lane_u64(vreinterpretq_u64_u8(low), 0);
}

static inline uint64_t
ascii_block(const uint8_t *p, uint64_t *other, uint64_t *signs)
{
	uint8x16_t	words[4];
	uint8x16_t	others[4];
	uint8x16_t	all_signs[4];

	for (int i = 0; i < 4; i++)
	{
		uint8x16_t	bytes = vld1q_u8(p + 16 * i);
		uint8x16_t	lower = vorrq_u8(bytes, vdupq_n_u8(0x20));

		words[i] = vorrq_u8(vcltq_u8(vsubq_u8(lower, vdupq_n_u8('a')), vdupq_n_u8(26)),
							vcltq_u8(vsubq_u8(bytes, vdupq_n_u8('0')), vdupq_n_u8(10)));
		others[i] = vcgeq_u8(bytes, vdupq_n_u8(0x80));
		all_signs[i] = vceqq_u8(vandq_u8(bytes, vdupq_n_u8(BUT_SIGN_BIT)), vdupq_n_u8('#'));
	}
	*signs = block_bits(all_signs);
	*other = block_bits(others);
	return block_bits(words);
}

#else

static inline uint64_t
ascii_block(const uint8_t *p, uint64_t *other, uint64_t *signs)
{
	return ascii_block_portable(p, other, signs);
}

#endif

#endif
