/*-------------------------------------------------------------------------
 *
 * utf8.c
 *		Are bytes UTF-8?
 *
 * The function for AVX2 looks up the errors that two adjacent bytes make, by their halves
 * (Keiser and Lemire: Validating UTF-8 in less than one instruction per byte, 2021).
 *
 *-------------------------------------------------------------------------
 */
#include "arguments.h"
#include "core/text/bits.h"
#include "core/text/bytes.h"

/* ---------- any machine ---------- */

/* Are the first 6 of 8 bytes two characters that begin with E4 to EB, such as Han? */
static inline bool
are_two_wide(uint64_t bytes)
{
	const uint64_t leads = UINT64_C(0x04000004);

	return (bytes & UINT64_C(0xC0C0F0C0C0F0)) == UINT64_C(0x8080E08080E0) &&
		((bytes ^ bytes >> 1) & leads) == leads;
}

static bool
is_valid(const uint8_t *p, const uint8_t *end)
{
	while (p < end)
	{
		uint32_t	code;
		int			n;

		if (*p >= 0x80)
		{
			bool		are_wide = *p >= 0xE4 && end - p >= 8 && are_two_wide(load_le64(p));

			n = are_wide ? 6 : utf8_decode(p, end, &code);
		}
		else if (end - p >= 8)
		{
			uint64_t	others = load_le64(p) & BYTES_ALL(0x80);

			n = others == 0 ? 8 : lowest_bit(others) / 8;
		}
		else
			n = 1;
		if (n == 0)
			return false;
		p += n;
	}
	return true;
}

/* ---------- AVX2 ---------- */

#if defined(__x86_64__) && defined(__GNUC__)
#include <immintrin.h>

#define AVX2 __attribute__((target("avx2")))
#define BLOCK 32

/* What two adjacent bytes can be.  An error is in the tables of all three halves. */
enum
{
	TOO_SHORT = 1,				/* a lead, and no continuation */
	TOO_LONG = 2,				/* ASCII, and a continuation */
	OVERLONG_3 = 4,				/* E0 80 to E0 9F */
	TOO_LARGE = 8,				/* F4 90 to FF BF */
	SURROGATE = 16,				/* ED A0 to ED BF */
	OVERLONG_2 = 32,			/* C0 and C1 */
	OVERLONG_4 = 64,			/* F0 80 to F0 8F, and F5 80 to FF 8F */
	TWO_CONTINUE = 128,			/* right as the third or fourth byte */
	ANY_LOW = TOO_SHORT | TOO_LONG | TWO_CONTINUE
};

#define HIGH_LEADS	TOO_LARGE | OVERLONG_4
#define SECOND		TOO_LONG | TWO_CONTINUE | OVERLONG_2

static const uint8_t first_high[16] = {
	TOO_LONG, TOO_LONG, TOO_LONG, TOO_LONG, TOO_LONG, TOO_LONG, TOO_LONG, TOO_LONG,
	TWO_CONTINUE, TWO_CONTINUE, TWO_CONTINUE, TWO_CONTINUE,
	TOO_SHORT | OVERLONG_2, TOO_SHORT, TOO_SHORT | OVERLONG_3 | SURROGATE,
	TOO_SHORT | HIGH_LEADS
};
static const uint8_t first_low[16] = {
	ANY_LOW | OVERLONG_2 | OVERLONG_3 | OVERLONG_4, ANY_LOW | OVERLONG_2, ANY_LOW, ANY_LOW,
	ANY_LOW | TOO_LARGE, ANY_LOW | HIGH_LEADS, ANY_LOW | HIGH_LEADS, ANY_LOW | HIGH_LEADS,
	ANY_LOW | HIGH_LEADS, ANY_LOW | HIGH_LEADS, ANY_LOW | HIGH_LEADS, ANY_LOW | HIGH_LEADS,
	ANY_LOW | HIGH_LEADS, ANY_LOW | HIGH_LEADS | SURROGATE, ANY_LOW | HIGH_LEADS,
	ANY_LOW | HIGH_LEADS
};
static const uint8_t second_high[16] = {
	TOO_SHORT, TOO_SHORT, TOO_SHORT, TOO_SHORT, TOO_SHORT, TOO_SHORT, TOO_SHORT, TOO_SHORT,
	SECOND | OVERLONG_3 | OVERLONG_4, SECOND | OVERLONG_3 | TOO_LARGE,
	SECOND | SURROGATE | TOO_LARGE, SECOND | SURROGATE | TOO_LARGE,
	TOO_SHORT, TOO_SHORT, TOO_SHORT, TOO_SHORT
};

AVX2 static inline __m256i
table(const uint8_t *bytes)
{
	return _mm256_broadcastsi128_si256(_mm_loadu_si128((const __m128i *) bytes));
}

/* The bytes of a block before its own, "n" bytes back */
#define BYTES_BACK(block, previous, n) \
	_mm256_alignr_epi8(block, _mm256_permute2x128_si256(previous, block, 0x21), 16 - (n))

/* Not 0 where the bytes of a block, behind those of the previous one, are not UTF-8 */
AVX2 static inline __m256i
block_errors(__m256i block, __m256i previous)
{
	const __m256i half = _mm256_set1_epi8(0x0F);
	__m256i		first = BYTES_BACK(block, previous, 1);
	__m256i		errors = _mm256_shuffle_epi8(table(first_high),
											 _mm256_and_si256(_mm256_srli_epi16(first, 4), half));
	__m256i		third = _mm256_subs_epu8(BYTES_BACK(block, previous, 2),
										 _mm256_set1_epi8(0xE0 - 0x80));
	__m256i		fourth = _mm256_subs_epu8(BYTES_BACK(block, previous, 3),
										  _mm256_set1_epi8((char) (0xF0 - 0x80)));
	__m256i		must_continue = _mm256_and_si256(_mm256_or_si256(third, fourth),
												 _mm256_set1_epi8((char) 0x80));

	errors = _mm256_and_si256(errors, _mm256_shuffle_epi8(table(first_low),
														  _mm256_and_si256(first, half)));
	errors = _mm256_and_si256(errors, _mm256_shuffle_epi8(table(second_high),
														  _mm256_and_si256(_mm256_srli_epi16(block, 4), half)));
	return _mm256_xor_si256(errors, must_continue);
}

/* The beginning of the character that continues at p; p if none does.  Errors are found there. */
static const uint8_t *
open_character(const uint8_t *begin, const uint8_t *p)
{
	for (int back = 1; back <= 3 && p - begin >= back; back++)
		if (p[-back] >= 0xC0)
			return p - back;
	return p;
}

AVX2 static bool
is_valid_avx2(const uint8_t *begin, const uint8_t *end)
{
	const uint8_t *p = begin;
	__m256i		previous = _mm256_setzero_si256();
	__m256i		errors = _mm256_setzero_si256();
	bool		was_ascii = true;

	for (; end - p >= BLOCK; p += BLOCK)
	{
		__m256i		block = _mm256_loadu_si256((const __m256i *) p);
		bool		is_ascii = _mm256_movemask_epi8(block) == 0;

		if (!is_ascii || !was_ascii)
			errors = _mm256_or_si256(errors, block_errors(block, previous));
		previous = block;
		was_ascii = is_ascii;
	}
	return _mm256_testz_si256(errors, errors) && is_valid(open_character(begin, p), end);
}
#endif

bool
utf8_is_valid(const char *bytes, size_t length)
{
	const uint8_t *p = (const uint8_t *) bytes;

#ifdef AVX2
	if (__builtin_cpu_supports("avx2"))
		return is_valid_avx2(p, p + length);
#endif
	return is_valid(p, p + length);
}
