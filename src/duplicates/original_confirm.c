/*-------------------------------------------------------------------------
 *
 * original_confirm.c
 *		Confirms by the texts that a near original is the original of a new row.
 *
 * The text of a row is its columns of "confirm", joined by a space.  NULL is an empty text.
 * With "title", the text begins with this column, and an original is confirmed only if the titles
 * agree, too.  The comparisons are C functions of core, so nothing of any schema is called.
 *
 * The search may return thousands of originals with large texts.  So a value is
 * detoasted when its original is compared, and the memory of an original is freed
 * before the next one.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "core/changes/same_title.h"
#include "lib/stringinfo.h"
#include "original_confirm.h"
#include "server/compat.h"
#include "utils/memutils.h"

/* Read a title, in the current memory context. */
static Utf8Text
read_title(const NullableDatum *column)
{
	text	   *value;

	if (column->isnull)
		return utf8_text("", 0);
	value = DatumGetTextPP(column->value);
	return utf8_text(VARDATA_ANY(value), VARSIZE_ANY_EXHDR(value));
}

/* Read the text of a row, in the current memory context. */
static ReadText
read_row(const NullableDatum *columns, int n)
{
	StringInfoData joined;
	Utf8Text	utf8;
	ReadText	result;

	if (n == 1 && !columns[0].isnull)
	{
		text	   *value = DatumGetTextPP(columns[0].value);

		utf8 = utf8_text(VARDATA_ANY(value), VARSIZE_ANY_EXHDR(value));
	}
	else
	{
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
		utf8 = utf8_text(joined.data, joined.len);
	}
	simhash_read_text(utf8.bytes, utf8.len, text_env(), &result);
	return result;
}

/* new_columns: the new row's title and columns of "confirm", which stay valid until the end */
Confirmation
begin_confirmation(const Target *target, const NullableDatum *new_columns)
{
	Confirmation c = {0};

	c.n = target->nconfirm;
	c.titles = target->titles;
	c.numbers = target->numbers;
	c.new_columns = new_columns;
	c.context = CurrentMemoryContext;
	return c;
}

/* Does the title of a near original agree with that of the new row? */
static bool
titles_agree(const Confirmation *c, const NullableDatum *columns)
{
	Utf8Text	title = read_title(&columns[0]);

	return simhash_same_title(c->new_title.bytes, c->new_title.len, title.bytes, title.len,
							  text_env());
}

/* Is the text of a near original the same document as that of the new row? */
static bool
texts_agree(Confirmation *c, const NullableDatum *columns)
{
	ReadText text;

	if (!c->has_new_text)
	{
		MemoryContext old = MemoryContextSwitchTo(c->context);

		c->new_text = read_row(c->new_columns, c->n);
		c->has_new_text = true;
		MemoryContextSwitchTo(old);
	}
	text = read_row(columns, c->n);

	return simhash_same_document_of_read(&c->new_text, &text, c->numbers, text_env());
}

/* Do the columns of a near original confirm that it is the new row's original? */
bool
is_confirmed(Confirmation *c, const NullableDatum *columns)
{
	MemoryContext old;
	bool		same;

	if (c->n == 0)
		return true;
	old = MemoryContextSwitchTo(c->context);
	if (c->for_original == NULL)
	{
		if (c->titles)
			c->new_title = read_title(&c->new_columns[0]);
		c->for_original = AllocSetContextCreate(c->context, "simhash original",
												ALLOCSET_DEFAULT_SIZES);
	}
	MemoryContextSwitchTo(c->for_original);
	same = (!c->titles || titles_agree(c, columns)) && texts_agree(c, columns);
	MemoryContextSwitchTo(old);
	MemoryContextReset(c->for_original);
	return same;
}
