/*-------------------------------------------------------------------------
 *
 * literal.c
 *		Parsing and printing of a fingerprint, without PostgreSQL.
 *
 *-------------------------------------------------------------------------
 */
#include "literal.h"

bool
literal_is_space(char c)
{
	return c == ' ' || (c >= '\t' && c <= '\r');
}

int
literal_hex_digit(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	if (c >= 'a' && c <= 'f')
		return c - 'a' + 10;
	if (c >= 'A' && c <= 'F')
		return c - 'A' + 10;
	return -1;
}

bool
fingerprint_parse(const char *s, size_t len, uint64_t *result)
{
	uint64_t	f = 0;

	while (len > 0 && literal_is_space(s[0]))
		s++, len--;
	while (len > 0 && literal_is_space(s[len - 1]))
		len--;

	if (len == FINGERPRINT_BINARY_DIGITS)
	{
		for (size_t i = 0; i < len; i++)
		{
			if (s[i] != '0' && s[i] != '1')
				return false;
			f = f << 1 | (uint64_t) (s[i] - '0');
		}
		*result = f;
		return true;
	}

	if (len == FINGERPRINT_HEX_DIGITS + 2 && s[0] == '0' && (s[1] | 0x20) == 'x')
		s += 2, len -= 2;
	if (len != FINGERPRINT_HEX_DIGITS)
		return false;
	for (size_t i = 0; i < len; i++)
	{
		int			digit = literal_hex_digit(s[i]);

		if (digit < 0)
			return false;
		f = f << 4 | (uint64_t) digit;
	}
	*result = f;
	return true;
}

void
fingerprint_format(uint64_t f, char *out)
{
	for (int i = FINGERPRINT_HEX_DIGITS - 1; i >= 0; i--, f >>= 4)
		out[i] = "0123456789abcdef"[f & 15];
	out[FINGERPRINT_HEX_DIGITS] = '\0';
}
