/*-------------------------------------------------------------------------
 *
 * fail.c
 *		The end of the program; see fail.h.
 *
 *-------------------------------------------------------------------------
 */
#include "fail.h"

#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "escape.h"
#include "progress.h"

static bool as_diff = false;

void
fail_as_diff(void)
{
	as_diff = true;
}

static size_t
make_message_va(char *shown, const char *format, va_list args)
{
	static const char prefix[] = "pgsimhash: ";
	char		text[MESSAGE_BYTES - sizeof(prefix)];
	size_t		length = sizeof(prefix) - 1;
	size_t		n;

	vsnprintf(text, sizeof(text), format, args);
	n = strlen(text);
	memcpy(shown, prefix, length);
	for (size_t i = 0; i < n;)
	{
		Character	character = first_character(text + i, n - i);

		if (character.must_escape)
			length += show_escaped(shown + length, character);
		else
		{
			memcpy(shown + length, text + i, character.length);
			length += character.length;
		}
		i += character.length;
	}
	shown[length++] = '\n';
	return length;
}

size_t
make_message(char *shown, const char *format,...)
{
	va_list		args;
	size_t		length;

	va_start(args, format);
	length = make_message_va(shown, format, args);
	va_end(args);
	return length;
}

void
say(const char *format,...)
{
	char		shown[SHOWN_BYTES];
	va_list		args;

	va_start(args, format);
	progress_message(shown, make_message_va(shown, format, args));
	va_end(args);
}

/* Other threads may be in the middle of anything, so nothing is cleaned up. */
void
fail(int status, const char *format,...)
{
	char		shown[SHOWN_BYTES];
	va_list		args;

	progress_end();
	va_start(args, format);
	progress_message(shown, make_message_va(shown, format, args));
	va_end(args);
	if (status == EXIT_USAGE)
		fputs("Try \"pgsimhash --help\" for more information.\n", stderr);
	_exit(as_diff ? EXIT_AS_DIFF : status);
}
