/*-------------------------------------------------------------------------
 *
 * original_confirm.c
 *		Confirms by the texts that a near original is the original of a new row.
 *
 * The text of a row is its columns of "confirm", joined by a space.  NULL is an empty
 * text.  With "title", the text begins with this column, and an original is confirmed
 * only if the titles agree, too.  The comparisons are C functions of core, so nothing of
 * any schema is called.
 *
 * The texts of originals may be large.  So a text is detoasted when it is compared, and the
 * caller frees the memory of an original before the next one.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "access/detoast.h"
#include "core/changes/copy.h"
#include "core/changes/same_document.h"
#include "core/changes/same_title.h"
#include "lib/stringinfo.h"
#include "original_confirm.h"
#include "server/compat.h"
#include "utils/builtins.h"

/* Read columns, joined by a space. */
static Utf8Text
read_columns(const NullableDatum *columns, int n)
{
	StringInfoData joined;

	if (n > 1)
		initStringInfo(&joined);
	for (int i = 0; i < n; i++)
	{
		text	   *value = columns[i].isnull ? cstring_to_text("") : DatumGetTextPP(columns[i].value);

		if (n == 1)
			return utf8_text(VARDATA_ANY(value), VARSIZE_ANY_EXHDR(value));
		if (i > 0)
			appendStringInfoChar(&joined, ' ');
		appendBinaryStringInfo(&joined, VARDATA_ANY(value), VARSIZE_ANY_EXHDR(value));
	}
	return utf8_text(joined.data, joined.len);
}

/* Read the texts of the new row for the first original. */
static void
read_new_row(Confirmation *c)
{
	MemoryContext old = MemoryContextSwitchTo(c->context);

	c->new_text = read_columns(c->new_texts, c->target->ntexts);
	c->new_title = read_columns(c->new_texts, 1);
	c->has_new_text = true;
	MemoryContextSwitchTo(old);
}

/*
 * Does the title of a near original agree with that of the new row?  Most originals of the
 * same template differ already in their titles.
 */
static bool
titles_agree(Confirmation *c, const NullableDatum *title)
{
	Utf8Text	read = read_columns(title, 1);

	c->read += read.len;
	return core_same_title(c->new_title.bytes, c->new_title.len, read.bytes, read.len, server_env());
}

static bool
are_copies(const Utf8Text *a, const Utf8Text *b)
{
	const Bytes of_a = bytes_of(a->bytes, a->len, server_env());
	const Bytes of_b = bytes_of(b->bytes, b->len, server_env());

	return core_are_copies(&of_a, &of_b);
}

/*
 * Do the words of a near original and of the new row show the same document?  If so,
 * store where the texts part.
 */
static bool
are_same_document(Confirmation *c, const Utf8Text *text, Parting *partings)
{
	NumbersToRead numbers = c->target->numbers ? SORTED_NUMBERS : NO_NUMBERS;
	ReadText	words;

	if (!c->has_new_words)
	{
		MemoryContext old = MemoryContextSwitchTo(c->context);

		core_read_text(c->new_text.bytes, c->new_text.len, numbers, server_env(), &c->new_words);
		c->has_new_words = true;
		MemoryContextSwitchTo(old);
	}
	core_read_text(text->bytes, text->len, numbers, server_env(), &words);
	if (!core_same_document_of_read(&c->new_words, &words, c->target->numbers, server_env()))
		return false;
	core_partings(&c->new_words, &words, server_env(), partings);
	return true;
}

Confirmed
confirm(Confirmation *c, const NullableDatum *texts, Parting *partings)
{
	int			n = c->target->ntexts;
	Utf8Text	text;

	if (n == 0)
		return COPY;
	if (!c->has_new_text)
		read_new_row(c);
	if (c->target->has_title && !titles_agree(c, &texts[0]))
		return ANOTHER_DOCUMENT;
	for (int i = 0; i < n; i++)
		c->read += texts[i].isnull ? 0 : toast_raw_datum_size(texts[i].value);
	text = read_columns(texts, n);
	if (are_copies(&c->new_text, &text))
		return COPY;
	return partings != NULL && are_same_document(c, &text, partings) ? VERSION : ANOTHER_DOCUMENT;
}
