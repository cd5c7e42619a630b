/*-------------------------------------------------------------------------
 *
 * two_files.c
 *		Two texts; see two_files.h.
 *
 *-------------------------------------------------------------------------
 */
#include "two_files.h"

#include <string.h>

#include "fail.h"
#include "format.h"
#include "pgsimhash.h"

#define TEXT_PART (1 << 16)		/* bytes read at a time */

static void
read_text(const char *path, Buffer *text)
{
	int			fd = open_input(path);
	size_t		mark;

	while (read_bytes(path, fd, text, TEXT_PART) > 0)
		;
	check_form(path, text->bytes, text->length);
	mark = byte_order_mark(text->bytes, text->length);
	text->length -= mark;
	memmove(text->bytes, text->bytes + mark, text->length);
	close_input(fd);
}

void
read_two_files(char **paths, Buffer *texts)
{
	for (int i = 0; i < 2; i++)
		read_text(paths[i], &texts[i]);
}

void
fail_two_files(char **paths, int result)
{
	fail(result == PGSIMHASH_INVALID_UTF8 ? EXIT_WRONG_RECORD :
		 result == PGSIMHASH_INVALID_OPTION ? EXIT_USAGE : EXIT_TROUBLE,
		 "%s and %s: %s", shown_name(paths[0]), shown_name(paths[1]), pgsimhash_message(result));
}
