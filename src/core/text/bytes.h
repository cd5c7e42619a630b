/*-------------------------------------------------------------------------
 *
 * bytes.h
 *		Unaligned words in little-endian and big-endian order, on machines of any byte order,
 *		and UTF-8.
 *
 *-------------------------------------------------------------------------
 */
#ifndef SIMHASH_BYTES_H
#define SIMHASH_BYTES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#define BYTES_ALL(byte) (UINT64_C(0x0101010101010101) * (byte))

static inline uint64_t
load_le64(const uint8_t *p)
{
#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
	uint64_t	word;

	memcpy(&word, p, sizeof(word));
	return word;
#else
	uint64_t	word = 0;

	for (int i = 7; i >= 0; i--)
		word = word << 8 | p[i];
	return word;
#endif
}

static inline void
store_le64(uint8_t *p, uint64_t word)
{
#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
	memcpy(p, &word, sizeof(word));
#else
	for (int i = 0; i < 8; i++)
		p[i] = (uint8_t) (word >> 8 * i);
#endif
}

static inline uint32_t
load_le32(const uint8_t *p)
{
#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
	uint32_t	word;

	memcpy(&word, p, sizeof(word));
	return word;
#else
	return p[0] | (uint32_t) p[1] << 8 | (uint32_t) p[2] << 16 | (uint32_t) p[3] << 24;
#endif
}

/* The number in size bytes, at most 8, the most significant first. */
static inline uint64_t
load_be(const uint8_t *p, size_t size)
{
	uint64_t	number = 0;

	for (; size > 0; size--)
		number = number << 8 | *p++;
	return number;
}

/* Store a number in size bytes, and return their end. */
static inline uint8_t *
store_be(uint8_t *p, uint64_t number, size_t size)
{
	for (size_t i = size; i > 0; i--)
	{
		p[i - 1] = (uint8_t) number;
		number >>= 8;
	}
	return p + size;
}

static inline bool
is_ascii_letter(uint8_t byte)
{
	return (uint8_t) ((byte | 0x20) - 'a') < 26;
}

/* An ASCII letter or digit */
static inline bool
is_ascii_word(uint8_t byte)
{
	return is_ascii_letter(byte) || (uint8_t) (byte - '0') < 10;
}

/*
 * Decode the code point at p < end and return its length in bytes.  Return 0 if the
 * bytes are not well-formed UTF-8: overlong, a surrogate, above U+10FFFF or cut
 * off.
 */
static inline int
utf8_decode(const uint8_t *p, const uint8_t *end, uint32_t *cp)
{
	size_t		left = (size_t) (end - p);
	uint32_t	c = p[0];

	if (c < 0x80)
	{
		*cp = c;
		return 1;
	}
	if (c < 0xE0)
	{
		if (c < 0xC2 || left < 2 || (p[1] & 0xC0) != 0x80)
			return 0;
		*cp = (c & 0x1F) << 6 | (p[1] & 0x3F);
		return 2;
	}
	if (c < 0xF0)
	{
		if (left < 3 || (p[1] & 0xC0) != 0x80 || (p[2] & 0xC0) != 0x80)
			return 0;
		c = (c & 0x0F) << 12 | (uint32_t) (p[1] & 0x3F) << 6 | (p[2] & 0x3F);
		if (c < 0x800 || (c >= 0xD800 && c <= 0xDFFF))
			return 0;
		*cp = c;
		return 3;
	}
	if (c > 0xF4 || left < 4 || (p[1] & 0xC0) != 0x80 ||
		(p[2] & 0xC0) != 0x80 || (p[3] & 0xC0) != 0x80)
		return 0;
	c = (c & 0x07) << 18 | (uint32_t) (p[1] & 0x3F) << 12 |
		(uint32_t) (p[2] & 0x3F) << 6 | (p[3] & 0x3F);
	if (c < 0x10000 || c > 0x10FFFF)
		return 0;
	*cp = c;
	return 4;
}

/* Encode cp at p, which has room for 4 bytes, and return its length. */
static inline int
utf8_encode(uint8_t *p, uint32_t cp)
{
	if (cp < 0x80)
	{
		p[0] = (uint8_t) cp;
		return 1;
	}
	if (cp < 0x800)
	{
		p[0] = (uint8_t) (0xC0 | cp >> 6);
		p[1] = (uint8_t) (0x80 | (cp & 0x3F));
		return 2;
	}
	if (cp < 0x10000)
	{
		p[0] = (uint8_t) (0xE0 | cp >> 12);
		p[1] = (uint8_t) (0x80 | (cp >> 6 & 0x3F));
		p[2] = (uint8_t) (0x80 | (cp & 0x3F));
		return 3;
	}
	p[0] = (uint8_t) (0xF0 | cp >> 18);
	p[1] = (uint8_t) (0x80 | (cp >> 12 & 0x3F));
	p[2] = (uint8_t) (0x80 | (cp >> 6 & 0x3F));
	p[3] = (uint8_t) (0x80 | (cp & 0x3F));
	return 4;
}

#endif
