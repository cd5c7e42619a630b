/*-------------------------------------------------------------------------
 *
 * line_file.c
 *		Files of lines; see line_file.h.
 *
 *-------------------------------------------------------------------------
 */
#include "line_file.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>

#include "fail.h"
#include "format.h"

void
line_file_open(LineFile *lines, const char *path)
{
	memset(lines, 0, sizeof(*lines));
	lines->path = path;
	lines->file = strcmp(path, STANDARD_INPUT) == 0 ? stdin : fopen(path, "r");
	if (lines->file == NULL)
		fail(EXIT_TROUBLE, "%s: %s", path, strerror(errno));
}

bool
line_file_next(LineFile *lines)
{
	ssize_t		n = getline(&lines->line, &lines->room, lines->file);
	size_t		length;
	size_t		mark = 0;

	if (n < 0)
	{
		if (ferror(lines->file))
			fail(EXIT_TROUBLE, "%s: %s", shown_name(lines->path), strerror(errno));
		return false;
	}
	length = (size_t) n;
	length -= length > 0 && lines->line[length - 1] == '\n';
	length -= length > 0 && lines->line[length - 1] == '\r';
	if (lines->number++ == 0)
	{
		check_form(lines->path, lines->line, length);
		mark = byte_order_mark(lines->line, length);
	}
	lines->length = length - mark;
	memmove(lines->line, lines->line + mark, lines->length);
	lines->line[lines->length] = '\0';
	return true;
}

void
line_file_close(LineFile *lines)
{
	free(lines->line);
	if (lines->file != stdin)
		fclose(lines->file);
}
