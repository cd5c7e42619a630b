/*-------------------------------------------------------------------------
 *
 * dictionary.c
 *		Words by dictionary; see dictionary.h.
 *
 * The iterator and its view of the text live as long as the process, because
 * creating an iterator takes milliseconds.  A caller that leaves in the middle
 * of a text leaves no memory behind.  The rules are those of the root locale,
 * which has all dictionaries.
 *
 * ICU reads a stretch without spaces as a whole, cannot be interrupted during
 * that time, and takes ten times the length of the stretch in memory.  So ICU
 * gets the text in pieces, with a check for interrupts before each piece.
 *
 * If ICU gets no memory in the middle of a text, it reports no error: it
 * leaves out words, crashes, or loops forever.  So before each piece this file
 * allocates more memory from the environment than ICU can need, and frees the
 * memory again for ICU.  If there is no memory, the environment raises its
 * error.
 *
 *-------------------------------------------------------------------------
 */
#include "dictionary.h"

#ifdef SIMHASH_WITH_ICU

#include <unicode/ubrk.h>
#include <unicode/utext.h>

/*
 * Most bytes that ICU reads at a time.  Words in longer stretches depend on this
 * number.
 */
#ifndef DICTIONARY_PIECE
#define DICTIONARY_PIECE 16384
#endif

/*
 * The size of the memory that is allocated and freed again.  ICU 72 allocates
 * less than 0.3 MB for a piece, and 0.5 MB for the dictionaries that it loads
 * when it first needs them.
 */
#define ROOM_FOR_ICU	(2 * 1024 * 1024)

static UBreakIterator *iterator;
static UText view = UTEXT_INITIALIZER;

static const uint8_t *text;
static size_t text_length;
static size_t piece;			/* beginning of the piece */
static size_t piece_length;
static bool cut_in_stretch;		/* does a stretch continue behind the piece? */
static size_t boundary;			/* last one found, from the piece's start */

bool
core_dictionary_exists(void)
{
	return true;
}

static void
check_status(UErrorCode status, const Env *env)
{
	if (U_FAILURE(status))
		env->fail(env->arg, status == U_MEMORY_ALLOCATION_ERROR, u_errorName(status));
}

/*
 * Does a character begin here that ends a word in every context?  These are ASCII
 * space and control characters, "!", "?", ideographic space, comma and full stop
 * (U+3000 to U+3002), wide "!" and "?" (U+FF01, U+FF1F).  Characters such as full
 * stop and comma do not count: there may be letters or digits on both sides of them
 * without a boundary, and ICU would read the text behind them differently.  The
 * text does not end here.
 */
static bool
separator_at(size_t place)
{
	const uint8_t *p = text + place;

	if (*p < 0x80)
		return *p <= ' ' || *p == '!' || *p == '?';
	if (text_length - place < 3)
		return false;
	return (p[0] == 0xE3 && p[1] == 0x80 && p[2] <= 0x82) ||
		(p[0] == 0xEF && p[1] == 0xBC && (p[2] == 0x81 || p[2] == 0x9F));
}

/*
 * Give ICU the piece that begins at "start".  The piece ends before the last
 * separator that is possible.  If the piece has no separator, its stretch is cut,
 * and core_dictionary_next reads the last word again together with the following
 * text.
 */
static void
begin_piece(size_t start, const Env *env)
{
	UErrorCode	status = U_ZERO_ERROR;
	size_t		end = text_length;

	check_interrupts(env);
	env_free(env, env_alloc(env, ROOM_FOR_ICU));

	cut_in_stretch = false;
	if (text_length - start > DICTIONARY_PIECE)
	{
		end = start + DICTIONARY_PIECE;
		while (end > start && !separator_at(end))
			end--;
		cut_in_stretch = end == start;
		if (cut_in_stretch)
		{
			end = start + DICTIONARY_PIECE;
			/* not within a character, if the text is UTF-8 */
			for (int i = 0; i < 3 && (text[end] & 0xC0) == 0x80; i++)
				end--;
		}
	}
	piece = start;
	piece_length = end - start;
	boundary = 0;

	if (iterator == NULL)
		iterator = ubrk_open(UBRK_WORD, "", NULL, 0, &status);
	check_status(status, env);
	utext_openUTF8(&view, (const char *) text + piece, (int64_t) piece_length, &status);
	check_status(status, env);
	ubrk_setUText(iterator, &view, &status);
	check_status(status, env);
}

void
core_dictionary_start(const char *utf8, size_t len, const Env *env)
{
	text = (const uint8_t *) utf8;
	text_length = len;
	begin_piece(0, env);
}

size_t
core_dictionary_next(const Env *env)
{
	for (;;)
	{
		/*
		 * Return the boundaries that ICU finds within the piece.  The end of
		 * the piece needs more care, because ICU always reports a boundary
		 * there.
		 *
		 * If the text ends there, it is a boundary.  If the piece ends before
		 * a separator, it is a boundary too, because a separator ends a word
		 * in every context.  Return it, and begin the next piece there.
		 *
		 * If the piece was cut within a stretch, its last word may continue
		 * after the cut.  Do not return the cut, but begin the next piece at
		 * the last boundary found, so that ICU reads the last word again
		 * together with the following text.  That boundary has been returned
		 * already.  If the piece has no boundary, a single word fills it;
		 * then return the cut, because a new piece from the same place would
		 * be cut in the same way.
		 */
		int32_t		next = ubrk_next(iterator);
		size_t		end;

		if (next != UBRK_DONE && (size_t) next < piece_length)
		{
			boundary = (size_t) next;
			return piece + boundary;
		}
		end = piece + piece_length;
		if (end == text_length)
			return end;
		if (!cut_in_stretch || boundary == 0)
		{
			begin_piece(end, env);
			return end;
		}
		begin_piece(piece + boundary, env);
	}
}

#else

bool
core_dictionary_exists(void)
{
	return false;
}

void
core_dictionary_start(const char *utf8, size_t len, const Env *env)
{
	(void) utf8;
	(void) len;
	env->fail(env->arg, false, "built without ICU");
}

size_t
core_dictionary_next(const Env *env)
{
	(void) env;
	return 0;
}

#endif
