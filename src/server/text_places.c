/*-------------------------------------------------------------------------
 *
 * text_places.c
 *		Places in a text argument; see text_places.h.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "compat.h"
#include "mb/pg_wchar.h"
#include "miscadmin.h"
#include "text_places.h"

/*
 * Characters are code points of the UTF-8, with two exceptions.  The characters of
 * SQL_ASCII are bytes.  Some characters of EUC_JIS_2004 are two code points, so each one
 * is converted.
 */

/* Count the next character of EUC_JIS_2004. */
static void
count_converted(CharacterCounter *c)
{
	const char *p = c->t->original + c->original;
	size_t		len = Min(pg_encoding_mblen(PG_EUC_JIS_2004, p), c->t->original_len - c->original);
	char	   *converted = pg_server_to_any(p, len, PG_UTF8);

	c->utf8 += converted != p ? strlen(converted) : len;
	c->original += len;
	c->characters++;
	if (converted != p)
		pfree(converted);
}

size_t
count_characters(CharacterCounter *c, size_t byte)
{
	if (GetDatabaseEncoding() == PG_SQL_ASCII)
		c->utf8 = c->characters = byte;
	while (c->utf8 < byte)
	{
		CHECK_FOR_INTERRUPTS();
		if (GetDatabaseEncoding() == PG_EUC_JIS_2004)
			count_converted(c);
		else
		{
			const char *utf8 = c->t->bytes;
			size_t		end = Min(byte, c->utf8 + STEPS_BETWEEN_CHECKS);

			for (; c->utf8 < end; c->utf8++)
				c->characters += (utf8[c->utf8] & 0xC0) != 0x80;
		}
	}
	return c->characters;
}

size_t
count_whole_characters(CharacterCounter *c, size_t byte)
{
	size_t		begin = count_characters(c, byte);

	return c->utf8 > byte ? begin - 1 : begin;
}

size_t
find_character(CharacterFinder *f, size_t characters)
{
	if (pg_database_encoding_max_length() == 1)
		return characters;
	while (f->characters < characters)
	{
		const char *p = f->t->original + f->bytes;
		size_t		left = f->t->original_len - f->bytes;

		f->bytes += Min(pg_encoding_mblen(GetDatabaseEncoding(), p), left);
		if (++f->characters % STEPS_BETWEEN_CHECKS == 0)
			CHECK_FOR_INTERRUPTS();
	}
	return f->bytes;
}
