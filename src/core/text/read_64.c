/*-------------------------------------------------------------------------
 *
 * read_64.c
 *		Words of ASCII and Chinese characters, 64 bytes at a time, with AVX-512; see
 *		token_kernels.h. The starts and the ends of words become two sets of bits, and the
 *		sets become lists, as structural characters do in Lemire and Langdale, "Parsing
 *		gigabytes of JSON per second", 2019. So no branch depends on the text.
 *
 *-------------------------------------------------------------------------
 */
#include "read_64.h"
#include "token_hash.h"

#ifdef SIMHASH_X86
#include <immintrin.h>

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
	WIDE = 1 << 4				/* U+FF01 to FF0F, FF1A to FF20 */
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
		[0x00] = HAN | STOP, [0x01 ... 0x03] = HAN | STOP | WIDE,
		[0x04 ... 0x07] = HAN | WIDE, [0x08 ... 0x0F] = HAN | STOP | WIDE,
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
load_chunk(const uint8_t *p, size_t len, size_t skip)
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
	__m512i		second = load_chunk(p, len, 1);
	__m512i		third = load_chunk(p, len, 2);
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
simhash_read_64_avx512(const uint8_t *p, size_t len, uint8_t fold,
					   uint64_t *tokens, uint8_t *lengths, size_t *n_tokens)
{
	const __m512i places = _mm512_add_epi8(EIGHT,
										   _mm512_set_epi64(0x3838383838383838, 0x3030303030303030,
															0x2828282828282828, 0x2020202020202020,
															0x1818181818181818, 0x1010101010101010,
															0x0808080808080808, 0));
	__m512i		bytes = load_chunk(p, len, 0);
	uint64_t	ascii = ~(uint64_t) _mm512_movepi8_mask(bytes);
	uint64_t	word = among(_mm512_or_si512(bytes, ALL_BYTES(0x20)), 'a', 26) |
		among(bytes, '0', 10);
	uint64_t	han = 0;
	uint64_t	starts;
	uint64_t	ends;
	uint64_t	are_long;
	size_t		n_read = READ_SIZE;
	size_t		n;
	__m512i		start;
	__m512i		length;

	if (ascii != low_bits(READ_SIZE))
		n_read = find_chinese(p, len, bytes, ascii, &han);
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

#endif
