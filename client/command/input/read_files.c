/*-------------------------------------------------------------------------
 *
 * read_files.c
 *		Files that are texts. A batch has their paths, which are their ids.
 *
 *-------------------------------------------------------------------------
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "../fail.h"
#include "format.h"

#define FILE_PART (1 << 16)		/* bytes read at a time */

/* Add a path to the batch. */
static void
file_read(Input *input)
{
	const InputFile *file = &input->files->list[input->file];
	Batch	   *batch = input_batch(input);

	buffer_append(&batch->data, file->path, strlen(file->path) + 1);
	batch->input_bytes += (uint64_t) file->status.st_size;
	if (batch->input_bytes >= BATCH_BYTES || batch->data.length >= BATCH_BYTES)
		input_submit(input);
}

static RecordStatus
file_next(RecordReader *reader, Record *record)
{
	const char *path = reader->batch->data.bytes + reader->at;
	int			fd = STDIN_FILENO;
	size_t		mark;
	const char *problem;

	if (reader->at == reader->batch->data.length)
		return RECORD_END;
	reader->at += strlen(path) + 1;
	reader->name = path;
	reader->line = 0;
	if (strcmp(path, STANDARD_INPUT) != 0 && (fd = open(path, O_RDONLY)) < 0)
	{
		snprintf(reader->error, sizeof(reader->error), "%s", strerror(errno));
		return RECORD_WRONG;
	}
	reader->file.length = 0;
	while (read_bytes(path, fd, &reader->file, FILE_PART) > 0)
		;
	close_input(fd);
	problem = problem_of_form(reader->file.bytes, reader->file.length);
	if (problem != NULL)
	{
		snprintf(reader->error, sizeof(reader->error), "%s", problem);
		return RECORD_WRONG;
	}
	record->id = path;
	record->id_length = strlen(path);
	record->id_is_number = false;
	mark = byte_order_mark(reader->file.bytes, reader->file.length);
	record->text = reader->file.bytes + mark;
	record->text_length = reader->file.length - mark;
	return RECORD_FOUND;
}

const Format format_file = {file_read, file_next, NULL};
