/*
 * Words by dictionary; see dictionary.h.
 *
 * The iterator and its view of the text live as long as the process: to make one
 * takes milliseconds, and whoever jumps out of the middle of a text leaves nothing
 * behind.  The rules are those of the root locale, which knows all dictionaries.
 */
#include "dictionary.h"

#ifdef SIMHASH_WITH_ICU

#include <unicode/ubrk.h>
#include <unicode/utext.h>

static UBreakIterator *iterator;
static UText view = UTEXT_INITIALIZER;
static size_t text_length;

bool
simhash_dictionary_exists(void)
{
	return true;
}

void
simhash_dictionary_start(const char *utf8, size_t len, const TextEnv *env)
{
	UErrorCode	status = U_ZERO_ERROR;

	if (iterator == NULL)
		iterator = ubrk_open(UBRK_WORD, "", NULL, 0, &status);
	utext_openUTF8(&view, utf8, (int64_t) len, &status);
	if (U_SUCCESS(status))
		ubrk_setUText(iterator, &view, &status);
	if (U_FAILURE(status))
		env->fail(env->arg, u_errorName(status));
	text_length = len;
}

size_t
simhash_dictionary_next(void)
{
	int32_t		boundary = ubrk_next(iterator);

	return boundary == UBRK_DONE ? text_length : (size_t) boundary;
}

#else

bool
simhash_dictionary_exists(void)
{
	return false;
}

void
simhash_dictionary_start(const char *utf8, size_t len, const TextEnv *env)
{
	(void) utf8;
	(void) len;
	env->fail(env->arg, "built without ICU");
}

size_t
simhash_dictionary_next(void)
{
	return 0;
}

#endif
