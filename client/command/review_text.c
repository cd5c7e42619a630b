/*-------------------------------------------------------------------------
 *
 * review_text.c
 *		Parts of texts, and their HTML; see review_text.h.
 *
 *-------------------------------------------------------------------------
 */
#include "review_text.h"

#include <string.h>

#include "escape.h"

/* ---------- characters ---------- */

bool
is_space(char c)
{
	return c == ' ' || (c >= '\t' && c <= '\r');
}

static bool
continues(char c)
{
	return (c & 0xC0) == 0x80;
}

size_t
forward(const char *text, size_t at, size_t end, size_t n)
{
	for (; n > 0 && at < end; n--)
		for (at++; at < end && continues(text[at]);)
			at++;
	return at;
}

size_t
backward(const char *text, size_t at, size_t begin, size_t n)
{
	for (; n > 0 && at > begin; n--)
		for (at--; at > begin && continues(text[at]);)
			at--;
	return at;
}

Part
part_of(const char *text, size_t start, size_t end)
{
	Part		part = {text + start, end > start ? end - start : 0};

	return part;
}

Part
left_part(Part part, size_t n)
{
	return part_of(part.bytes, 0, forward(part.bytes, 0, part.length, n));
}

Part
right_part(Part part, size_t n)
{
	return part_of(part.bytes, backward(part.bytes, part.length, 0, n), part.length);
}

Part
without_first_word(Part part)
{
	size_t		at = 0;

	for (int n = 0; n < 20 && at < part.length && !is_space(part.bytes[at]); n++)
		at = forward(part.bytes, at, part.length, 1);
	if (at == part.length || !is_space(part.bytes[at]))
		return part;
	while (at < part.length && is_space(part.bytes[at]))
		at++;
	return part_of(part.bytes, at, part.length);
}

Part
without_last_word(Part part)
{
	size_t		at = part.length;

	for (int n = 0; n < 20 && at > 0 && !is_space(part.bytes[at - 1]); n++)
		at = backward(part.bytes, at, 0, 1);
	if (at == 0 || !is_space(part.bytes[at - 1]))
		return part;
	while (at > 0 && is_space(part.bytes[at - 1]))
		at--;
	return part_of(part.bytes, 0, at);
}

bool
is_blank(Part part)
{
	for (size_t i = 0; i < part.length; i++)
		if (!is_space(part.bytes[i]))
			return false;
	return true;
}

/* ---------- HTML ---------- */

/* Must a page not contain a character, or does it turn the text around it? */
static bool
is_forbidden(Character character, const char *bytes)
{
	const unsigned char *c = (const unsigned char *) bytes;

	if (character.must_escape)
		return true;
	if (character.length == 3)
		return (c[0] == 0xE2 && c[1] == 0x80 && c[2] >= 0xAA && c[2] <= 0xAE) ||
			(c[0] == 0xE2 && c[1] == 0x81 && c[2] >= 0xA6 && c[2] <= 0xA9) ||
			(c[0] == 0xEF && c[1] == 0xBF && c[2] >= 0xBE);
	return character.length == 4 && (c[1] & 0x0F) == 0x0F && c[2] == 0xBF && c[3] >= 0xBE;
}

void
append_html(Buffer *out, Part part)
{
	static const char special[] = "&<>\"'";
	static const char *const entities[] = {"&amp;", "&lt;", "&gt;", "&quot;", "&#39;"};
	size_t		length;

	for (size_t i = 0; i < part.length; i += length)
	{
		const char *c = part.bytes + i;
		const char *found = *c == '\0' ? NULL : strchr(special, *c);
		Character	character = first_character(c, part.length - i);

		length = character.length;
		if (is_space(*c))
		{
			while (i + length < part.length && is_space(c[length]))
				length++;
			buffer_append_string(out, " ");
		}
		else if (found != NULL)
			buffer_append_string(out, entities[found - special]);
		else if (is_forbidden(character, c))
			buffer_append_string(out, "&#xFFFD;");
		else
			buffer_append(out, c, length);
	}
}

void
append_with_commas(Buffer *out, size_t n)
{
	if (n >= 1000)
	{
		append_with_commas(out, n / 1000);
		buffer_printf(out, ",%03zu", n % 1000);
	}
	else
		buffer_printf(out, "%zu", n);
}
