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
#include <unistd.h>

#include "progress.h"

static bool as_diff = false;

void
fail_as_diff(void)
{
	as_diff = true;
}

/* Other threads may be in the middle of anything, so nothing is cleaned up. */
void
fail(int status, const char *format,...)
{
	va_list		args;

	progress_end();
	fputs("pgsimhash: ", stderr);
	va_start(args, format);
	vfprintf(stderr, format, args);
	va_end(args);
	fputs("\n", stderr);
	if (status == EXIT_USAGE)
		fputs("Try \"pgsimhash --help\" for more information.\n", stderr);
	_exit(as_diff ? EXIT_AS_DIFF : status);
}
