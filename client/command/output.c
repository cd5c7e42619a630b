/*-------------------------------------------------------------------------
 *
 * output.c
 *		The output; see output.h.
 *
 *-------------------------------------------------------------------------
 */
#include "output.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "escape.h"
#include "fail.h"

/* ---------- ids ---------- */

void
append_copy_text(Buffer *out, const char *bytes, size_t length)
{
	size_t		done = 0;

	for (size_t i = 0; i < length;)
	{
		Character	character = first_character(bytes + i, length - i);
		size_t		end = i + character.length;

		if (character.must_escape && bytes[i] != '\t')
		{
			buffer_append(out, bytes + done, i - done);
			for (done = end; i < end; i++)
				buffer_printf(out, "\\x%02x", (unsigned char) bytes[i]);
		}
		i = end;
	}
	buffer_append(out, bytes + done, length - done);
}

void
append_copy_id(Buffer *out, const char *id, size_t length)
{
	size_t		done = 0;

	for (size_t i = 0; i < length; i++)
	{
		const char *escape = id[i] == '\\' ? "\\\\" : id[i] == '\t' ? "\\t" :
			id[i] == '\n' ? "\\n" : id[i] == '\r' ? "\\r" : NULL;

		if (escape == NULL)
			continue;
		append_copy_text(out, id + done, i - done);
		buffer_append(out, escape, 2);
		done = i + 1;
	}
	append_copy_text(out, id + done, length - done);
}

/* Returns false if the bytes are not UTF-8: JSON has no escape sequence for a byte. */
static bool
escape_for_json(Buffer *out, const char *bytes, size_t length)
{
	buffer_append(out, "\"", 1);
	for (size_t i = 0; i < length;)
	{
		Character	character = first_character(bytes + i, length - i);

		if (!character.is_utf8)
			return false;
		if (bytes[i] == '"' || bytes[i] == '\\')
			buffer_append(out, "\\", 1);
		if (character.must_escape)
			buffer_printf(out, "\\u%04x", character.code);
		else
			buffer_append(out, bytes + i, character.length);
		i += character.length;
	}
	buffer_append(out, "\"", 1);
	return true;
}

/* Write the id, and what precedes the value.  Return NULL, or why nothing is written. */
static const char *
begin_row(const OutputOptions *options, Buffer *out, const Record *record)
{
	size_t		before = out->length;

	if (record->id_length > 0 && memchr(record->id, 0, record->id_length) != NULL)
		return "the id contains U+0000";
	if (options->format == OUTPUT_COPY)
	{
		append_copy_id(out, record->id, record->id_length);
		buffer_append(out, "\t", 1);
		return NULL;
	}
	buffer_append_string(out, "{\"id\": ");
	if (record->id_is_number)
		buffer_append(out, record->id, record->id_length);
	else if (!escape_for_json(out, record->id, record->id_length))
	{
		out->length = before;
		return "the id is not UTF-8";
	}
	buffer_append_string(out, ", \"fp\": ");
	return NULL;
}

/* ---------- values ---------- */

static void
append_hex(Buffer *out, const uint64_t *words, int bits)
{
	char	   *place = buffer_reserve(out, (size_t) bits / 4);

	for (int i = 0; i < bits / 4; i++)
		place[i] = "0123456789abcdef"[words[i / 16] >> (60 - i % 16 * 4) & 15];
	out->length += (size_t) bits / 4;
}

/* The written form of the type. */
static void
append_text(const OutputOptions *options, Buffer *out, const uint64_t *words)
{
	bool		is_string = options->format == OUTPUT_JSON && options->type != TYPE_BIGINT;

	if (is_string)
		buffer_append(out, "\"", 1);
	if (options->type == TYPE_BIGINT)
		buffer_printf(out, "%" PRId64, (int64_t) words[0]);
	else
	{
		if (options->type == TYPE_BIT)
			buffer_append(out, "x", 1);
		append_hex(out, words, options->bits);
	}
	if (is_string)
		buffer_append(out, "\"", 1);
}

const char *
output_fingerprint(const OutputOptions *options, Buffer *out, const Record *record,
				   const uint64_t *fingerprint)
{
	bool		is_json = options->format == OUTPUT_JSON;
	const char *problem = begin_row(options, out, record);

	if (problem != NULL)
		return problem;
	if (fingerprint == NULL)
		buffer_append_string(out, is_json ? "null" : "\\N");
	else
		append_text(options, out, fingerprint);
	buffer_append_string(out, is_json ? "}\n" : "\n");
	return NULL;
}

void
flush_help(void)
{
	if (fflush(stdout) != 0)
		fail(EXIT_TROUBLE, "could not write the output: %s", strerror(errno));
}

void
write_all(int fd, const char *bytes, size_t n, const char *what)
{
	while (n > 0)
	{
		ssize_t		written = write(fd, bytes, n);

		if (written < 0 && errno != EINTR)
			fail(EXIT_TROUBLE, "could not write %s: %s", what, strerror(errno));
		if (written > 0)
		{
			bytes += written;
			n -= (size_t) written;
		}
	}
}

void
close_output(int fd, const char *what)
{
	if (close(fd) != 0)
		fail(EXIT_TROUBLE, "could not write %s: %s", what, strerror(errno));
}

void
write_out(const Buffer *out)
{
	write_all(STDOUT_FILENO, out->bytes, out->length, "the output");
}
