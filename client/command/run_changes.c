/*-------------------------------------------------------------------------
 *
 * run_changes.c
 *		The command changes: what differs between two texts.
 *
 *-------------------------------------------------------------------------
 */
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "command_options.h"
#include "escape.h"
#include "fail.h"
#include "input/format.h"
#include "internal.h"

#define TEXT_PART	(1 << 16)		/* bytes read at a time */

#define RED		"\033[31m"
#define GREEN	"\033[32m"
#define NORMAL	"\033[m"

/* Append a file, or standard input if the path is -, without a byte order mark. */
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

/* Fail because of an error of the library. */
static void
fail_both(char **paths, int result)
{
	fail(EXIT_TROUBLE, "%s and %s: %s", shown_name(paths[0]), shown_name(paths[1]),
		 pgsimhash_message(result));
}

/* Counts lines and characters from the beginning of a text to its end. */
typedef struct LineCounter
{
	const char *text;
	size_t		bytes;			/* counted so far */
	size_t		line;
	size_t		column;
} LineCounter;

static void
count_to(LineCounter *counter, size_t byte)
{
	for (; counter->bytes < byte; counter->bytes++)
	{
		char		c = counter->text[counter->bytes];

		if (c == '\n')
		{
			counter->line++;
			counter->column = 1;
		}
		else
			counter->column += (c & 0xC0) != 0x80;
	}
}

/*
 * Write a text on one line: a space instead of white space, and an escape sequence instead of
 * another control character.
 */
static void
append_shown(Buffer *out, const char *text, size_t n)
{
	bool		in_space = false;
	size_t		length;

	for (size_t i = 0; i < n; i += length)
	{
		bool		is_space = text[i] == ' ' || (text[i] >= '\t' && text[i] <= '\r');
		Character	character = first_character(text + i, n - i);
		char		escaped[ESCAPED_BYTES + 1];

		length = character.length;
		if (is_space)
			buffer_append_string(out, in_space ? "" : " ");
		else if (character.must_escape)
			buffer_append(out, escaped, show_escaped(escaped, character));
		else
			buffer_append(out, text + i, length);
		in_space = is_space;
	}
}

static void
append_side(Buffer *out, const char *text, const pgsimhash_place *place, char sign,
			const char *color)
{
	if (place->bytes == 0)
		return;
	buffer_append_string(out, " ");
	if (color != NULL)
		buffer_append_string(out, color);
	buffer_printf(out, "%c%c", sign == '-' ? '[' : '{', sign);
	append_shown(out, text + place->byte, place->bytes);
	buffer_printf(out, "%c%c", sign, sign == '-' ? ']' : '}');
	if (color != NULL)
		buffer_append_string(out, NORMAL);
}

static void
append_changes(Buffer *out, const Buffer *texts, const pgsimhash_change *changes, size_t n)
{
	bool		has_color = isatty(STDOUT_FILENO);
	LineCounter a = {texts[0].bytes, 0, 1, 1};
	LineCounter b = {texts[1].bytes, 0, 1, 1};

	for (size_t i = 0; i < n; i++)
	{
		const pgsimhash_change *change = &changes[i];

		count_to(&a, change->a.byte);
		count_to(&b, change->b.byte);
		buffer_printf(out, "%zu:%zu,%zu:%zu %s:", a.line, a.column, b.line, b.column,
					  pgsimhash_change_name(change->kind));
		append_side(out, a.text, &change->a, '-', has_color ? RED : NULL);
		append_side(out, b.text, &change->b, '+', has_color ? GREEN : NULL);
		if (change->times > 1)
			buffer_printf(out, " (%zu times)", change->times);
		buffer_append_string(out, "\n");
	}
}

int
run_changes(const Options *options, char **arguments, int n)
{
	Buffer		texts[2] = {{NULL, 0, 0, 0}, {NULL, 0, 0, 0}};
	Buffer		out = {NULL, 0, 0, 0};
	pgsimhash_change *changes;
	size_t		n_changes;
	const char *reason;
	int			result;

	fail_as_diff();
	if (n != 2)
		fail(EXIT_USAGE, "changes requires two files");
	for (int i = 0; i < 2; i++)
		read_text(arguments[i], &texts[i]);
	result = pgsimhash_changes(texts[0].bytes, texts[0].length, texts[1].bytes, texts[1].length,
							   &options->text, &changes, &n_changes);
	if (result < 0)
		fail_both(arguments, result);
	if (n_changes > 0)
	{
		result = difference_of_documents(texts[0].bytes, texts[0].length, texts[1].bytes, texts[1].length, &reason);
		if (result < 0)
			fail_both(arguments, result);
		append_changes(&out, texts, changes, n_changes);
		buffer_printf(&out, reason == NULL ? "same document: yes\n" : "same document: no (%s)\n", reason);
	}
	write_out(&out);
	pgsimhash_free(changes);
	buffer_free(&out);
	buffer_free(&texts[0]);
	buffer_free(&texts[1]);
	return n_changes > 0 ? 1 : 0;
}
