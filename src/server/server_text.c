/*-------------------------------------------------------------------------
 *
 * server_text.c
 *		Texts in UTF-8; see server_text.h.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "common/unicode_norm.h"
#include "compat.h"
#include "lib/stringinfo.h"
#include "mb/pg_wchar.h"
#include "server_text.h"
#include "utils/builtins.h"

/*
 * Convert len bytes in the server's encoding to UTF-8.  Encodings without a conversion to
 * UTF-8 raise PostgreSQL's own error.  So do bytes in an SQL_ASCII database that are not
 * UTF-8.
 */
Utf8Text
utf8_text(const char *s, size_t len)
{
	Utf8Text	t;

	t.original = s;
	t.original_len = len;
	t.bytes = pg_server_to_any(s, len, PG_UTF8);
	t.len = t.bytes != s ? strlen(t.bytes) : len;
	return t;
}

Utf8Text
utf8_argument(FunctionCallInfo fcinfo, int arg)
{
	text	   *t = PG_GETARG_TEXT_PP(arg);

	return utf8_text(VARDATA_ANY(t), VARSIZE_ANY_EXHDR(t));
}

/* Compose characters of UTF-8 where a composed character exists. */
static char *
composed(const char *utf8, size_t len)
{
	pg_wchar   *chars = palloc((len + 1) * sizeof(pg_wchar));
	char	   *result;
	char	   *end;
	size_t		n = 0;

	for (size_t i = 0; i < len; i += pg_utf_mblen((const unsigned char *) utf8 + i))
		chars[n++] = utf8_to_unicode((const unsigned char *) utf8 + i);
	chars[n] = 0;
	chars = unicode_normalize(UNICODE_NFC, chars);
	for (n = 0; chars[n] != 0; n++)
		;
	result = end = palloc(n * 4 + 1);
	for (size_t i = 0; i < n; i++)
	{
		unicode_to_utf8(chars[i], (unsigned char *) end);
		end += pg_utf_mblen((const unsigned char *) end);
	}
	*end = '\0';
	return result;
}

/*
 * Convert a normalized text to the server's encoding, to show it.  If the encoding does
 * not have all characters, accents are composed with their letters, because features are
 * decomposed and few encodings have decomposed characters.  Characters that are still
 * missing are written as in an escape string constant.
 */
text *
text_to_show(const char *utf8, size_t len)
{
	StringInfoData shown;
	char	   *rest;
	int			left;

	if (GetDatabaseEncoding() == PG_UTF8 || GetDatabaseEncoding() == PG_SQL_ASCII)
		return cstring_to_text_with_len(utf8, len);
	initStringInfo(&shown);
	rest = composed(utf8, len);
	left = strlen(rest);
	while (left > 0)
	{
		int			done = append_from_utf8(&shown, rest, left);

		rest += done;
		left -= done;
		if (left > 0)
		{
			pg_wchar	c = utf8_to_unicode((unsigned char *) rest);

			appendStringInfo(&shown, c < 0x10000 ? "\\u%04X" : "\\U%08X", c);
			done = pg_utf_mblen((unsigned char *) rest);
			rest += done;
			left -= done;
		}
	}
	return cstring_to_text_with_len(shown.data, shown.len);
}
