/*-------------------------------------------------------------------------
 *
 * places.c
 *		Records that are read again; see places.h.
 *
 *-------------------------------------------------------------------------
 */
#include "places.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "../fail.h"

#define PART_BYTES (1 << 16)	/* read at a time */

const Place *
next_chosen(ChosenRecords *chosen)
{
	while (chosen->next < chosen->n && !chosen->is_chosen[chosen->next])
		chosen->next++;
	return chosen->next < chosen->n ? &chosen->places[chosen->next] : NULL;
}

uint64_t
chosen_bytes(const ChosenRecords *chosen)
{
	uint64_t	bytes = 0;

	for (size_t i = 0; i < chosen->n; i++)
		bytes += chosen->is_chosen[i] ? chosen->places[i].length : 0;
	return bytes;
}

void
append_record(Buffer *out, const char *bytes, size_t length)
{
	length -= length > 0 && bytes[length - 1] == '\n';
	buffer_append(out, bytes, length);
	buffer_append(out, "\n", 1);
}

void
place_reader_begin(PlaceReader *reader, const InputFiles *files)
{
	memset(reader, 0, sizeof(*reader));
	reader->files = files;
	reader->fd = -1;
}

static void
close_file(PlaceReader *reader)
{
	if (reader->fd >= 0)
		input_close_file(reader->files, reader->file, reader->fd);
}

static void
open_file(PlaceReader *reader, uint32_t file)
{
	close_file(reader);
	reader->fd = input_open_file(reader->files, file);
	reader->file = file;
	reader->part.length = 0;
	reader->start = 0;
}

/* Read the bytes from a place on, at least n. */
static void
read_part(PlaceReader *reader, uint64_t offset, size_t n)
{
	size_t		room = n < PART_BYTES ? PART_BYTES : n;
	ssize_t		n_read;

	reader->start = offset;
	reader->part.length = 0;
	buffer_reserve(&reader->part, room);
	while (reader->part.length < n)
	{
		n_read = pread(reader->fd, reader->part.bytes + reader->part.length,
					   room - reader->part.length, (off_t) (offset + reader->part.length));
		if (n_read < 0 && errno == EINTR)
			continue;
		if (n_read < 0)
			fail(EXIT_TROUBLE, "%s: %s", reader->files->list[reader->file].path, strerror(errno));
		if (n_read == 0)
			input_changed(reader->files);
		reader->part.length += (size_t) n_read;
	}
}

void
place_reader_append(PlaceReader *reader, const Place *place, Buffer *out)
{
	size_t		length = (size_t) place->length;

	if (reader->fd < 0 || reader->file != place->file)
		open_file(reader, place->file);
	if (place->offset < reader->start ||
		place->offset + length > reader->start + reader->part.length)
		read_part(reader, place->offset, length);
	append_record(out, reader->part.bytes + (place->offset - reader->start), length);
}

void
place_reader_end(PlaceReader *reader)
{
	close_file(reader);
	buffer_free(&reader->part);
}
