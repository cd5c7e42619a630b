/*-------------------------------------------------------------------------
 *
 * fingerprint_list.c
 *		Ids and fingerprints; see fingerprint_list.h.
 *
 *-------------------------------------------------------------------------
 */
#include "fingerprint_list.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fail.h"
#include "format.h"
#include "output.h"

static int
digit_value(char c)
{
	return c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 :
		c >= 'A' && c <= 'F' ? c - 'A' + 10 : 16;
}

/* Digits of 1 or 4 bits, the first most significant; the number of bits, or 0. */
static int
parse_digits(const char *digits, size_t length, int bits, uint64_t *words)
{
	size_t		nbits = length * (size_t) bits;

	if (nbits < 1 || nbits > PGSIMHASH_MOST_BITS)
		return 0;
	memset(words, 0, PGSIMHASH_MOST_WORDS * sizeof(uint64_t));
	for (size_t i = 0; i < length; i++)
	{
		size_t		bit = i * (size_t) bits;
		int			value = digit_value(digits[i]);

		if (value >= 1 << bits)
			return 0;
		words[bit / 64] |= (uint64_t) value << (64 - bits - (int) (bit % 64));
	}
	return (int) nbits;
}

static int
parse_bigint(const char *bytes, size_t length, uint64_t *words)
{
	char		digits[24];
	char	   *end;

	if (length == 0 || length >= sizeof(digits))
		return 0;
	memcpy(digits, bytes, length);
	digits[length] = '\0';
	errno = 0;
	words[0] = (uint64_t) strtoll(digits, &end, 10);
	return errno != 0 || *end != '\0' ? 0 : 64;
}

/*
 * Read a fingerprint and return its number of bits, or 0 if there is none.  The forms are 16
 * hexadecimal digits; x and hexadecimal digits; 64 or more binary digits; or a bigint.
 */
static int
parse_fingerprint(const char *bytes, size_t length, bool is_bigint, uint64_t *words)
{
	if (is_bigint)
		return parse_bigint(bytes, length, words);
	if (length == 16)
		return parse_digits(bytes, length, 4, words);
	if (length > 0 && (*bytes == 'x' || *bytes == 'X'))
		return parse_digits(bytes + 1, length - 1, 4, words);
	return length >= 64 ? parse_digits(bytes, length, 1, words) : 0;
}

static void
add_line(FingerprintList *list, const char *name, size_t number, const char *line,
		 size_t length)
{
	const char *tab = memrchr(line, '\t', length);
	const char *value = tab == NULL ? line : tab + 1;
	size_t		value_length = (size_t) (line + length - value);
	uint64_t	words[PGSIMHASH_MOST_WORDS];
	int			bits;

	if (value_length == 2 && memcmp(value, "\\N", 2) == 0)
		return;
	bits = tab == NULL ? 0 : parse_fingerprint(value, value_length, list->is_bigint, words);
	if (bits == 0)
		fail(EXIT_WRONG_RECORD, "%s:%zu: not an id, a tab and a %s", shown_name(name), number,
			 list->is_bigint ? "bigint" : "fingerprint (--bigint reads numbers)");
	if (list->bits == 0)
		list->bits = bits;
	if (bits != list->bits)
		fail(EXIT_WRONG_RECORD, "%s:%zu: the fingerprint has %d bits, but others have %d",
			 shown_name(name), number, bits, list->bits);
	buffer_append(&list->words, words, (size_t) PGSIMHASH_WORDS(bits) * sizeof(uint64_t));
	buffer_append(&list->ids, line, (size_t) (tab - line));
	buffer_append(&list->id_ends, &list->ids.length, sizeof(size_t));
	list->n++;
}

/* Read the lines of a file, without their ends and without a byte order mark. */
static void
read_list(FingerprintList *list, const char *path)
{
	FILE	   *file = strcmp(path, STANDARD_INPUT) == 0 ? stdin : fopen(path, "r");
	char	   *line = NULL;
	size_t		room = 0;
	ssize_t		n;

	if (file == NULL)
		fail(EXIT_TROUBLE, "%s: %s", path, strerror(errno));
	for (size_t number = 1; (n = getline(&line, &room, file)) >= 0; number++)
	{
		size_t		length = (size_t) n;
		size_t		mark = 0;

		length -= length > 0 && line[length - 1] == '\n';
		length -= length > 0 && line[length - 1] == '\r';
		if (number == 1)
		{
			check_form(path, line, length);
			mark = byte_order_mark(line, length);
		}
		add_line(list, path, number, line + mark, length - mark);
	}
	if (ferror(file))
		fail(EXIT_TROUBLE, "%s: %s", shown_name(path), strerror(errno));
	free(line);
	if (file != stdin)
		fclose(file);
}

void
list_read(FingerprintList *list, char **paths, int n_paths)
{
	if (list->on_disk)
	{
		buffer_move_to_disk(&list->words);
		buffer_move_to_disk(&list->ids);
		buffer_move_to_disk(&list->id_ends);
	}
	for (int i = 0; i < n_paths; i++)
		read_list(list, paths[i]);
	if (n_paths == 0)
		read_list(list, STANDARD_INPUT);
}

void
list_free(FingerprintList *list)
{
	buffer_free(&list->words);
	buffer_free(&list->ids);
	buffer_free(&list->id_ends);
}

const uint64_t *
list_words(const FingerprintList *list)
{
	return (const uint64_t *) list->words.bytes;
}

void
append_id(Buffer *out, const FingerprintList *list, size_t i)
{
	const size_t *ends = (const size_t *) list->id_ends.bytes;
	size_t		start = i == 0 ? 0 : ends[i - 1];

	append_copy_text(out, list->ids.bytes + start, ends[i] - start);
}
