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
 * The texts of originals may be large.  So a value is detoasted when its original is
 * compared, and the memory of an original is freed before the next one.
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
#include "utils/memutils.h"

/* Read a column, in the current memory context.  NULL is an empty text. */
static Utf8Text
read_column(const NullableDatum *column)
{
	text	   *value;

	if (column->isnull)
		return utf8_text("", 0);
	value = DatumGetTextPP(column->value);
	return utf8_text(VARDATA_ANY(value), VARSIZE_ANY_EXHDR(value));
}

/* Read the text of a row, in the current memory context. */
static Utf8Text
read_text(const NullableDatum *columns, int n)
{
	StringInfoData joined;

	if (n == 1)
		return read_column(&columns[0]);
	initStringInfo(&joined);
	for (int i = 0; i < n; i++)
	{
		if (i > 0)
			appendStringInfoChar(&joined, ' ');
		if (!columns[i].isnull)
		{
			text	   *value = DatumGetTextPP(columns[i].value);

			appendBinaryStringInfo(&joined, VARDATA_ANY(value), VARSIZE_ANY_EXHDR(value));
		}
	}
	return utf8_text(joined.data, joined.len);
}

static Bytes
text_bytes(const Utf8Text *text)
{
	return bytes_of(text->bytes, text->len, server_env());
}

static bool
are_copies(const Utf8Text *a, const Utf8Text *b)
{
	const Bytes of_a = text_bytes(a);
	const Bytes of_b = text_bytes(b);

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

/* Compare a near original with the new row, in the context for the original. */
static Confirmed
compare(Confirmation *c, const NullableDatum *columns, Parting *partings)
{
	Utf8Text text = read_text(columns, c->target->nconfirm);

	if (are_copies(&c->new_text, &text))
		return COPY;
	return partings != NULL && are_same_document(c, &text, partings) ? VERSION : ANOTHER_DOCUMENT;
}

/* Read the text of the new row for the first original. */
static void
read_new_row(Confirmation *c)
{
	c->new_text = read_text(c->new_columns, c->target->nconfirm);
	if (c->target->arguments.title != NULL)
		c->new_title = read_column(&c->new_columns[0]);
	c->for_original = AllocSetContextCreate(c->context, "simhash original",
											ALLOCSET_DEFAULT_SIZES);
}

/* Begin to read an original.  Switches to the context for it, and returns the old one. */
static MemoryContext
begin_original(Confirmation *c)
{
	MemoryContext old = MemoryContextSwitchTo(c->context);

	if (c->for_original == NULL)
		read_new_row(c);
	MemoryContextSwitchTo(c->for_original);
	return old;
}

static void
end_original(Confirmation *c, MemoryContext old)
{
	MemoryContextSwitchTo(old);
	MemoryContextReset(c->for_original);
}

/* The size of a row's text.  Texts that are stored out of line are not read. */
size_t
confirm_text_size(const Target *target, const NullableDatum *columns)
{
	size_t		size = 0;

	for (int i = 0; i < target->nconfirm; i++)
		if (!columns[i].isnull)
			size += toast_raw_datum_size(columns[i].value);
	return size;
}

bool
confirm_title(Confirmation *c, const NullableDatum *columns)
{
	MemoryContext old;
	Utf8Text	title;
	bool		agree;

	if (c->target->arguments.title == NULL)
		return true;
	old = begin_original(c);
	title = read_column(&columns[0]);
	c->read += title.len;
	agree = core_same_title(c->new_title.bytes, c->new_title.len, title.bytes, title.len,
							server_env());
	end_original(c, old);
	return agree;
}

Confirmed
confirm(Confirmation *c, const NullableDatum *columns, Parting *partings)
{
	MemoryContext old;
	Confirmed	confirmed;

	if (c->target->nconfirm == 0)
		return COPY;
	old = begin_original(c);
	confirmed = compare(c, columns, partings);
	end_original(c, old);
	return confirmed;
}
