/*
 * Two texts; see two_files.h.
 */
#include "two_files.h"

#include <stdio.h>
#include <string.h>

#include "fail.h"
#include "pgsimhash.h"

static void
read_text(const char *path, Buffer *text)
{
	FILE	   *file = strcmp(path, "-") == 0 ? stdin : fopen(path, "rb");
	size_t		n;

	if (file == NULL)
		fail(EXIT_TROUBLE, "%s: could not be opened", path);
	while ((n = fread(buffer_reserve(text, 1 << 16), 1, 1 << 16, file)) > 0)
		text->length += n;
	if (ferror(file))
		fail(EXIT_TROUBLE, "%s: could not be read", path);
	if (file != stdin)
		fclose(file);
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
		 "%s and %s: %s", paths[0], paths[1], pgsimhash_message(result));
}
