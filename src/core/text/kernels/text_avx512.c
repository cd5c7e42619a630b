/*-------------------------------------------------------------------------
 *
 * text_avx512.c
 *		The loops of token_kernels.h over 8 numbers of 64 bits or 64 bytes at a time, in
 *		registers of AVX-512.
 *
 * These loops mostly multiply 64 bits by 64.  AVX-512 has such a multiplication.  AVX2 and NEON do
 * not have it, and were not faster than the portable code.
 *
 *-------------------------------------------------------------------------
 */
#include "text_avx512.h"

#ifdef SIMHASH_X86
#include <immintrin.h>

#include "../bits.h"
#include "../mix.h"
#include "minwise_bins.h"
#include "token_hash.h"

/*
 * The lanes of the next 8 elements, or of the remaining elements if there are
 * fewer.
 */
#define LANES_LEFT(n) ((__mmask8) ((n) < 8 ? (1u << (n)) - 1 : 0xFF))

#define ALL_LANES(x) _mm512_set1_epi64((long long) (x))

CPU_AVX512 static inline __m512i
xor_shifted(__m512i x, __m512i y, unsigned int bits)
{
	return _mm512_xor_si512(x, _mm512_srli_epi64(y, bits));
}

CPU_AVX512 static inline __m512i
mix64_avx512(__m512i x)
{
	x = _mm512_mullo_epi64(xor_shifted(x, x, 30), ALL_LANES(MIX_MULTIPLIER_1));
	x = _mm512_mullo_epi64(xor_shifted(x, x, 27), ALL_LANES(MIX_MULTIPLIER_2));
	return xor_shifted(x, x, 31);
}

/* ----------
 * Reading words
 *
 * The starts and the ends of words become two sets of bits, and the sets become lists, as
 * structural characters do in Lemire and Langdale, "Parsing gigabytes of JSON per second", 2019.
 * So no branch depends on the text.
 * ----------
 */

#define READ_SIZE 64

/*
 * The kinds of characters of 3 bytes that are possible for a first, second or
 * third byte.  The low 6 bits of the byte are the index.
 */
enum
{
	HAN_E4 = 1 << 0,			/* U+4E00 to 4FFF */
	HAN_E5 = 1 << 1,			/* U+5000 to 9FFF */
	HAN = HAN_E4 | HAN_E5,
	DASH = 1 << 2,				/* U+2014 to 2016, 2018 to 201F, 2026 */
	STOP = 1 << 3,				/* U+3000 to 3003, 3008 to 3020 */
	WIDE = 1 << 4				/* U+FF01 to FF0F, FF1A to FF20, without FF03 and FF0B */
};
/* INDENT OFF */
static const uint8_t kinds_by_byte[3][READ_SIZE] = {
	{
		[0x22] = DASH, [0x23] = STOP, [0x24] = HAN_E4,
		[0x25 ... 0x29] = HAN_E5, [0x2F] = WIDE
	},
	{
		[0x00] = HAN_E5 | DASH | STOP, [0x01 ... 0x37] = HAN_E5,
		[0x38 ... 0x3B] = HAN, [0x3C] = HAN | WIDE, [0x3D ... 0x3F] = HAN
	},
	{
		[0x00] = HAN | STOP, [0x01 ... 0x02] = HAN | STOP | WIDE, [0x03] = HAN | STOP,
		[0x04 ... 0x07] = HAN | WIDE, [0x08 ... 0x0A] = HAN | STOP | WIDE, [0x0B] = HAN | STOP,
		[0x0C ... 0x0F] = HAN | STOP | WIDE,
		[0x10 ... 0x13] = HAN | STOP, [0x14 ... 0x16] = HAN | STOP | DASH,
		[0x17] = HAN | STOP, [0x18 ... 0x19] = HAN | STOP | DASH,
		[0x1A ... 0x1F] = HAN | STOP | DASH | WIDE, [0x20] = HAN | STOP | WIDE,
		[0x21 ... 0x25] = HAN, [0x26] = HAN | DASH, [0x27 ... 0x3F] = HAN
	}
};
/* INDENT ON */

/* The lowest n of 64 bits. */
static inline uint64_t
low_bits(size_t n)
{
	return n >= 64 ? ~UINT64_C(0) : (UINT64_C(1) << n) - 1;
}

/* The READ_SIZE bytes from p + skip on.  Bytes from p + len on are zeros. */
CPU_AVX512 static inline __m512i
load_64_bytes(const uint8_t *p, size_t len, size_t skip)
{
	if (len >= skip + READ_SIZE)
		return _mm512_loadu_si512(p + skip);
	return _mm512_maskz_loadu_epi8(len > skip ? low_bits(len - skip) : 0, p + skip);
}

#define ALL_BYTES(x) _mm512_set1_epi8((char) (x))

/* Which bytes are one of the n values from first on? */
CPU_AVX512 static inline uint64_t
among(__m512i bytes, int first, int n)
{
	return _mm512_cmplt_epu8_mask(_mm512_sub_epi8(bytes, ALL_BYTES(first)), ALL_BYTES(n));
}

/* Which bytes have exactly these of the bits of mask? */
CPU_AVX512 static inline uint64_t
have_bits(__m512i bytes, int mask, int bits)
{
	return _mm512_cmpeq_epi8_mask(_mm512_and_si512(bytes, ALL_BYTES(mask)), ALL_BYTES(bits));
}

/*
 * Find the beginnings of the chunk's known characters: ASCII, Chinese, and
 * separators of 3 bytes.  The function stores the beginnings of Chinese characters.
 * It returns the number of bytes before the first character that is unknown or
 * continues behind the chunk.
 */
CPU_AVX512 static inline size_t
find_chinese(const uint8_t *p, size_t len, __m512i bytes, uint64_t ascii, uint64_t *han)
{
	__m512i		second = load_64_bytes(p, len, 1);
	__m512i		third = load_64_bytes(p, len, 2);
	__m512i		kinds;
	uint64_t	known;

	known = have_bits(bytes, 0xF0, 0xE0) & have_bits(second, 0xC0, 0x80) &
		have_bits(third, 0xC0, 0x80) & low_bits(READ_SIZE - 2);
	kinds = _mm512_permutexvar_epi8(bytes, _mm512_loadu_si512(kinds_by_byte[0]));
	kinds = _mm512_and_si512(kinds,
							 _mm512_permutexvar_epi8(second, _mm512_loadu_si512(kinds_by_byte[1])));
	kinds = _mm512_and_si512(kinds,
							 _mm512_permutexvar_epi8(third, _mm512_loadu_si512(kinds_by_byte[2])));
	*han = _mm512_mask_test_epi8_mask(known, kinds, ALL_BYTES(HAN));
	known = _mm512_mask_test_epi8_mask(known, kinds, kinds);
	known |= known << 1 | known << 2 | ascii;
	return known == low_bits(READ_SIZE) ? READ_SIZE : (size_t) __builtin_ctzll(~known);
}

/* Hash the tokens of more than 8 bytes.  are_long has a bit for each. */
static void
hash_long(const uint8_t *chunk, const uint8_t *starts, uint64_t are_long,
		  uint64_t *tokens, uint8_t *lengths)
{
	for (; are_long != 0; are_long &= are_long - 1)
	{
		unsigned int i = (unsigned int) __builtin_ctzll(are_long);

		tokens[i] = token_hash(chunk + starts[i], lengths[i]);
		lengths[i] = 0;
	}
}

/* 0 to 7 in each 8 bytes */
#define EIGHT _mm512_set1_epi64(0x0706050403020100)

/*
 * Store the n tokens of up to 8 bytes, each with zeros behind its bytes.  "start" and
 * "length" have a byte for each token.
 */
CPU_AVX512 static inline void
store_short(__m512i bytes, __m512i start, __m512i length, uint64_t are_long,
			uint64_t *tokens, size_t n)
{
	/* copies the lowest byte of each 8 to all of them */
	const __m512i spread = _mm512_set4_epi32(0x08080808, 0x08080808, 0, 0);

	for (size_t i = 0; i < n; i += 8)
	{
		__m512i		from = _mm512_cvtepu8_epi64(_mm512_castsi512_si128(start));
		__m512i		size = _mm512_cvtepu8_epi64(_mm512_castsi512_si128(length));
		__mmask64	inside = _mm512_cmplt_epu8_mask(EIGHT, _mm512_shuffle_epi8(size, spread));
		__m512i		token;

		from = _mm512_add_epi8(_mm512_shuffle_epi8(from, spread), EIGHT);
		token = _mm512_maskz_permutexvar_epi8(inside, from, bytes);
		_mm512_mask_storeu_epi64(tokens + i, (__mmask8) ~(are_long >> i), token);
		start = _mm512_alignr_epi64(start, start, 1);
		length = _mm512_alignr_epi64(length, length, 1);
	}
}

CPU_AVX512 size_t
core_read_64_avx512(const uint8_t *p, size_t len, uint8_t fold,
					uint64_t *tokens, uint8_t *lengths, size_t *n_tokens)
{
	const __m512i places = _mm512_add_epi8(EIGHT,
										   _mm512_set_epi64(0x3838383838383838, 0x3030303030303030,
															0x2828282828282828, 0x2020202020202020,
															0x1818181818181818, 0x1010101010101010,
															0x0808080808080808, 0));
	__m512i		bytes = load_64_bytes(p, len, 0);
	uint64_t	ascii = ~(uint64_t) _mm512_movepi8_mask(bytes);
	uint64_t	word = among(_mm512_or_si512(bytes, ALL_BYTES(0x20)), 'a', 26) |
		among(bytes, '0', 10);
	uint64_t	han = 0;
	uint64_t	signs;
	uint64_t	starts;
	uint64_t	ends;
	uint64_t	are_long;
	size_t		n_read = READ_SIZE;
	size_t		n;
	__m512i		start;
	__m512i		length;

	if (ascii != low_bits(READ_SIZE))
		n_read = find_chinese(p, len, bytes, ascii, &han);
	/* a sign + or # that may belong to the word before it */
	signs = have_bits(bytes, ~('+' ^ '#'), '#') & word << 1 & ~(word >> 1);
	if ((signs & low_bits(n_read)) != 0)
		n_read = (size_t) __builtin_ctzll(signs);
	word &= low_bits(n_read);
	han &= low_bits(n_read);
	starts = (word & ~(word << 1)) | han;
	ends = ((~word & word << 1) | han << 3) & low_bits(n_read);

	/* the last word continues behind the chunk, or marks may follow */
	n = (size_t) __builtin_popcountll(ends);
	if ((size_t) __builtin_popcountll(starts) > n)
		n_read = READ_SIZE - 1 - (size_t) __builtin_clzll(starts);

	bytes = _mm512_or_si512(bytes, _mm512_maskz_set1_epi8(word, (char) fold));
	start = _mm512_maskz_compress_epi8(starts, places);
	length = _mm512_sub_epi8(_mm512_maskz_compress_epi8(ends, places), start);
	_mm256_storeu_si256((__m256i *) lengths, _mm512_castsi512_si256(length));
	are_long = _mm512_mask_cmpgt_epu8_mask(low_bits(n), length, ALL_BYTES(8));
	if (are_long != 0)
	{
		uint8_t		chunk[READ_SIZE];
		uint8_t		all_starts[READ_SIZE];

		_mm512_storeu_si512(chunk, bytes);
		_mm512_storeu_si512(all_starts, start);
		hash_long(chunk, all_starts, are_long, tokens, lengths);
	}
	store_short(bytes, start, length, are_long, tokens, n);
	*n_tokens = n;
	return n_read < len ? n_read : len;
}

/* ----------
 * Hashes of words
 * ----------
 */

/* token_hash_1to8 of 8 tokens */
CPU_AVX512 static inline __m512i
token_hash_avx512(__m512i bytes, __m512i length)
{
	const __m512i byte = ALL_LANES(0xFF);
	const __m512i eight_times = _mm512_slli_epi64(length, 3);
	const __mmask8 is_long = _mm512_cmpgt_epu64_mask(length, ALL_LANES(3));
	__m512i		h3;
	__m512i		h8;
	__m512i		h;

	/*
	 * the steps up to the first multiplication, for 1 to 3 bytes and for 4 to
	 * 8
	 */
	h3 = _mm512_srlv_epi64(bytes, _mm512_and_si512(_mm512_slli_epi64(length, 2),
												   ALL_LANES(~UINT64_C(7))));
	h3 = _mm512_slli_epi64(_mm512_and_si512(h3, byte), 24);
	h3 = _mm512_or_si512(h3, _mm512_slli_epi64(_mm512_and_si512(bytes, byte), 16));
	h3 = _mm512_or_si512(h3, _mm512_srlv_epi64(bytes, _mm512_sub_epi64(eight_times, ALL_LANES(8))));
	h3 = _mm512_or_si512(h3, _mm512_slli_epi64(length, 8));
	h3 = _mm512_xor_si512(h3, ALL_LANES(TOKEN_HASH_FLIP_1TO3));
	h3 = xor_shifted(h3, h3, 33);

	if (is_long == 0)
	{
		/* Chinese */
		h = _mm512_mullo_epi64(h3, ALL_LANES(TOKEN_HASH_PRIME_1TO3_1));
		h = _mm512_mullo_epi64(xor_shifted(h, h, 29), ALL_LANES(TOKEN_HASH_PRIME_1TO3_2));
		return xor_shifted(h, h, 32);
	}

	h8 = _mm512_srlv_epi64(bytes, _mm512_sub_epi64(eight_times, ALL_LANES(32)));
	h8 = _mm512_and_si512(h8, ALL_LANES(0xFFFFFFFF));
	h8 = _mm512_add_epi64(h8, _mm512_slli_epi64(bytes, 32));
	h8 = _mm512_xor_si512(h8, ALL_LANES(TOKEN_HASH_FLIP_4TO8));
	h8 = _mm512_xor_si512(h8, _mm512_xor_si512(_mm512_rol_epi64(h8, 49),
											   _mm512_rol_epi64(h8, 24)));

	/* the following steps differ in constants only */
	h = _mm512_mask_blend_epi64(is_long, h3, h8);
	h = _mm512_mullo_epi64(h, _mm512_mask_blend_epi64(is_long, ALL_LANES(TOKEN_HASH_PRIME_1TO3_1),
													  ALL_LANES(TOKEN_HASH_PRIME_4TO8)));
	h = _mm512_xor_si512(h, _mm512_mask_add_epi64(_mm512_srli_epi64(h, 29), is_long,
												  _mm512_srli_epi64(h, 35), length));
	h = _mm512_mullo_epi64(h, _mm512_mask_blend_epi64(is_long, ALL_LANES(TOKEN_HASH_PRIME_1TO3_2),
													  ALL_LANES(TOKEN_HASH_PRIME_4TO8)));
	return _mm512_xor_si512(h, _mm512_mask_blend_epi64(is_long, _mm512_srli_epi64(h, 32),
													   _mm512_srli_epi64(h, 28)));
}

CPU_AVX512 void
core_hash_tokens_avx512(uint64_t *tokens, const uint8_t *lengths, size_t n)
{
	for (size_t i = 0; i < n; i += 8)
	{
		__mmask8	lanes = LANES_LEFT(n - i);
		__m512i		bytes = _mm512_maskz_loadu_epi64(lanes, tokens + i);
		uint64_t	eight = 0;
		__m512i		length;

		if (n - i >= 8)
			memcpy(&eight, lengths + i, 8);
		else
			memcpy(&eight, lengths + i, n - i);
		if (eight == 0)
			continue;
		length = _mm512_cvtepu8_epi64(_mm_cvtsi64_si128((long long) eight));
		/* store nothing for a length of 0 */
		lanes &= _mm512_test_epi64_mask(length, length);
		_mm512_mask_storeu_epi64(tokens + i, lanes, token_hash_avx512(bytes, length));
	}
}

CPU_AVX512 void
core_pairs_avx512(const uint64_t *tokens, size_t n, uint64_t *features)
{
	for (size_t i = 0; i < n; i += 8)
	{
		__mmask8	lanes = LANES_LEFT(n - i);
		__m512i		first = _mm512_maskz_loadu_epi64(lanes, tokens + i);
		__m512i		second = _mm512_maskz_loadu_epi64(lanes, tokens + i + 1);
		__m512i		x = _mm512_mullo_epi64(first, ALL_LANES(MIX_FACTOR));

		_mm512_mask_storeu_epi64(features + i, lanes,
								 mix64_avx512(_mm512_add_epi64(x, second)));
	}
}

CPU_AVX512 void
core_mix_avx512(const uint64_t *hashes, size_t n, uint64_t salt, uint64_t *mixed)
{
	for (size_t i = 0; i < n; i += 8)
	{
		__mmask8	lanes = LANES_LEFT(n - i);
		__m512i		hash = _mm512_maskz_loadu_epi64(lanes, hashes + i);

		_mm512_mask_storeu_epi64(mixed + i, lanes,
								 mix64_avx512(_mm512_xor_si512(hash, ALL_LANES(salt))));
	}
}

/* ----------
 * Bins of min-wise fingerprints
 * ----------
 */

#define LANES 8					/* bins in a register */
#define REGISTERS (MINWISE_BINS / LANES)

#define MIXED_AT_ONCE 256		/* hashes between two looks at the bins */

/* The highest byte of each bin */
CPU_AVX512 static inline __m512i
high_bytes(const uint64_t *bins)
{
	static const uint8_t highest[16] = {
		7, 15, 23, 31, 39, 47, 55, 63, 71, 79, 87, 95, 103, 111, 119, 127
	};
	const __m512i places = _mm512_maskz_loadu_epi8(0xFFFF, highest);
	__m512i		quarters[4];

	for (int i = 0; i < 4; i++)
	{
		__m512i		first = _mm512_loadu_si512(bins + 2 * i * LANES);
		__m512i		second = _mm512_loadu_si512(bins + (2 * i + 1) * LANES);

		quarters[i] = _mm512_permutex2var_epi8(first, places, second);
	}
	quarters[0] = _mm512_inserti64x2(quarters[0], _mm512_castsi512_si128(quarters[1]), 1);
	quarters[0] = _mm512_inserti64x2(quarters[0], _mm512_castsi512_si128(quarters[2]), 2);
	return _mm512_inserti64x2(quarters[0], _mm512_castsi512_si128(quarters[3]), 3);
}

/*
 * Store the chosen lanes of x one after another and return their number.  The
 * function may overwrite the places behind them, up to the number of lanes.  It
 * does not compress into memory, which is slow on some machines.
 */
CPU_AVX512 static inline size_t
store_chosen(uint64_t *to, __mmask8 chosen, __m512i x, __mmask8 lanes)
{
	x = _mm512_maskz_compress_epi64(chosen, x);
	if (lanes == 0xFF)
		_mm512_storeu_si512(to, x);
	else
		_mm512_mask_storeu_epi64(to, lanes, x);
	return (size_t) __builtin_popcount(chosen);
}

/*
 * Take up to 8 hashes.  Store mix64 of a hash if the hash may lower its bin: if the highest
 * byte of its rank is at most the highest byte of the bin.  Return the number stored.
 */
CPU_AVX512 static inline size_t
store_small_ranks(uint64_t *to, __m512i hash, __m512i salt, __m512i limits, __mmask8 lanes)
{
	const __mmask64 lowest_bytes = UINT64_C(0x0101010101010101);
	__m512i		y = mix64_avx512(_mm512_xor_si512(hash, salt));
	__m512i		limit = _mm512_maskz_permutexvar_epi8(lowest_bytes,
													  _mm512_srli_epi64(y, 58), limits);
	__m512i		highest = _mm512_srli_epi64(_mm512_slli_epi64(y, 6), 56);

	return store_chosen(to, _mm512_mask_cmple_epu64_mask(lanes, highest, limit), y, lanes);
}

CPU_AVX512 void
core_add_to_bins_avx512(uint64_t *bins, const uint64_t *hashes, size_t n,
						uint64_t salt)
{
	const __m512i salts = ALL_LANES(salt);

	while (n > 0)
	{
		uint64_t	mixed[MIXED_AT_ONCE];
		size_t		part = n < MIXED_AT_ONCE ? n : MIXED_AT_ONCE;
		size_t		n_left = 0;
		__m512i		limits = part < MINWISE_BINS ? ALL_LANES(~UINT64_C(0)) : high_bytes(bins);
		size_t		i;

		for (i = 0; i + LANES <= part; i += LANES)
			n_left += store_small_ranks(mixed + n_left, _mm512_loadu_si512(hashes + i),
										salts, limits, 0xFF);
		if (i < part)
		{
			__mmask8	lanes = LANES_LEFT(part - i);

			n_left += store_small_ranks(mixed + n_left,
										_mm512_maskz_loadu_epi64(lanes, hashes + i),
										salts, limits, lanes);
		}
		for (i = 0; i < n_left; i++)
			keep_smallest(bins, mixed[i]);
		hashes += part;
		n -= part;
	}
}

CPU_AVX512 uint64_t
core_bits_of_bins_avx512(const uint64_t *bins)
{
	const __m512i empty = ALL_LANES(MINWISE_EMPTY);
	const __m512i lanes = _mm512_set_epi64(7, 6, 5, 4, 3, 2, 1, 0);
	__m512i		ranks[REGISTERS];
	__m512i		places = ALL_LANES(0);
	unsigned int any = 0;
	uint64_t	bits = 0;

	for (int i = 0; i < REGISTERS; i++)
	{
		ranks[i] = _mm512_loadu_si512(bins + i * LANES);
		any |= _mm512_cmpeq_epi64_mask(ranks[i], empty);
	}
	for (unsigned int p = 1; any != 0; p = next_place(p))
	{
		__m512i		from = _mm512_xor_si512(lanes, ALL_LANES(p % LANES));

		any = 0;
		for (int i = 0; i < REGISTERS; i++)
		{
			__m512i		other = _mm512_loadu_si512(bins + (i ^ p / LANES) * LANES);
			__mmask8	to_fill = _mm512_cmpeq_epi64_mask(ranks[i], empty);

			/* an empty bin remains empty if the other is empty, too */
			ranks[i] = _mm512_mask_permutexvar_epi64(ranks[i], to_fill, from, other);
			any |= _mm512_cmpeq_epi64_mask(ranks[i], empty);
		}
	}
	places = _mm512_mullo_epi64(lanes, ALL_LANES(MIX_FACTOR));
	for (int i = 0; i < REGISTERS; i++)
	{
		__m512i		mixed = mix64_avx512(_mm512_add_epi64(ranks[i], places));

		bits |= (uint64_t) _mm512_test_epi64_mask(mixed, ALL_LANES(1)) << i * LANES;
		places = _mm512_add_epi64(places, ALL_LANES(LANES * MIX_FACTOR));
	}
	return bits;
}

#endif							/* SIMHASH_X86 */
