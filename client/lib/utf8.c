/*
 * Are bytes UTF-8?
 */
#include "arguments.h"
#include "core/text/bytes.h"

/* Is the byte one of 10xxxxxx? */
static inline bool
continues(uint8_t byte)
{
	return (byte & 0xC0) == 0x80;
}

/* The length of the character at p, which is not ASCII; 0 if it is not UTF-8 */
static inline size_t
character_length(const uint8_t *p, size_t left)
{
	if (p[0] < 0xC2 || left < 2 || !continues(p[1]))
		return 0;
	if (p[0] < 0xE0)
		return 2;
	if (left < 3 || !continues(p[2]))
		return 0;
	if (p[0] < 0xF0)
	{
		bool		is_overlong = p[0] == 0xE0 && p[1] < 0xA0;
		bool		is_surrogate = p[0] == 0xED && p[1] >= 0xA0;

		return is_overlong || is_surrogate ? 0 : 3;
	}
	if (p[0] > 0xF4 || left < 4 || !continues(p[3]) ||
		(p[0] == 0xF0 && p[1] < 0x90) || (p[0] == 0xF4 && p[1] >= 0x90))
		return 0;
	return 4;
}

bool
utf8_is_valid(const char *bytes, size_t length)
{
	const uint8_t *p = (const uint8_t *) bytes;
	const uint8_t *end = p + length;

	while (p < end)
	{
		size_t		n = 1;

		if (end - p >= 32 &&
			((load_le64(p) | load_le64(p + 8) | load_le64(p + 16) | load_le64(p + 24)) &
			 BYTES_ALL(0x80)) == 0)
			n = 32;
		else if (*p >= 0x80 && (n = character_length(p, (size_t) (end - p))) == 0)
			return false;
		p += n;
	}
	return true;
}
