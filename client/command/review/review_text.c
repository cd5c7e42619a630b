/*-------------------------------------------------------------------------
 *
 * review_text.c
 *		Parts of texts, and their JSON; see review_text.h.
 *
 *-------------------------------------------------------------------------
 */
#include "review_text.h"

#include <string.h>

#include "../escape.h"

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

size_t
count_characters(Part part)
{
	size_t		n = 0;

	for (size_t at = 0; at < part.length; n++)
		at = forward(part.bytes, at, part.length, 1);
	return n;
}

/* ---------- JSON ---------- */

void
append_json(Buffer *out, Part part)
{
	size_t		length;

	buffer_append_string(out, "\"");
	for (size_t i = 0; i < part.length; i += length)
	{
		const char *c = part.bytes + i;
		Character	character = first_character(c, part.length - i);

		length = character.length;
		if (!character.is_utf8)
			buffer_append_string(out, "\\ufffd");
		else if (character.must_escape || *c == '<')
			buffer_printf(out, "\\u%04x", *c == '<' ? '<' : character.code);
		else
		{
			buffer_append(out, "\\", *c == '"' || *c == '\\');
			buffer_append(out, c, length);
		}
	}
	buffer_append_string(out, "\"");
}
