/*-------------------------------------------------------------------------
 *
 * input.c
 *		The records of the input; see input.h.
 *
 *-------------------------------------------------------------------------
 */
#include "input.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "../fail.h"
#include "format.h"
#include "../output.h"
#include "../progress.h"

#define LARGE_TEXT (16 << 20)	/* bytes; a book has 1 MB */

/* ---------- the reading thread ---------- */

static bool
ends_in(const char *path, const char *ending)
{
	size_t		length = strlen(path);

	return length >= strlen(ending) && strcmp(path + length - strlen(ending), ending) == 0;
}

/* Say that the first file which looks like many texts is read as one. */
static void
hint_at_records(const Input *input)
{
	for (size_t i = 0; i < input->files->n; i++)
	{
		const char *path = input->files->list[i].path;

		if (input->files->list[i].status.st_size < LARGE_TEXT && !ends_in(path, ".jsonl") &&
			!ends_in(path, ".ndjson") && !ends_in(path, ".csv"))
			continue;
		say("hint: %s was read as one text; use --field NAME for records of JSON Lines or CSV, or "
			"--lines for lines", path);
		return;
	}
}

static const Format *
format_of(const InputOptions *options, const char *path)
{
	static const Format *const formats[] = {[INPUT_FILES] = &format_file,[INPUT_LINES] = &format_line,
	[INPUT_JSON] = &format_json,[INPUT_CSV] = &format_csv};

	if (options->kind != INPUT_FIELDS)
		return formats[options->kind];
	return ends_in(path, ".csv") ? &format_csv : &format_json;
}

/* Read a file, and let its records be read again if they are kept. */
static void
read_file(Input *input, InputFile *file)
{
	bool		keep = input->options->keep_records;

	input->format = format_of(input->options, file->path);
	input->fd = input->format == &format_file ? STDIN_FILENO : open_input(file->path);
	if (keep && (!S_ISREG(file->status.st_mode) || strcmp(file->path, STANDARD_INPUT) == 0))
		file->copy = new_temporary_file();
	else if (keep)
		file->status = input_file_status(file, input->fd);
	input->format->read(input);
	if (keep && file->copy < 0)
		check_input_file(file, input->fd);
	close_input(input->fd);
}

Input *
input_open(const InputOptions *options, char **paths, int n_paths)
{
	Input	   *input = allocate(sizeof(Input));

	memset(input, 0, sizeof(Input));
	input->options = options;
	input->number = 1;
	input->files = find_input_files(options->known, options->n_known, paths, n_paths, options->outputs);
	if (options->kind == INPUT_FILES)
		hint_at_records(input);
	return input;
}

void
input_read(Input *input, Pool *pool)
{
	input->pool = pool;
	progress_begin(NULL, input->files->size);
	for (input->file = 0; input->file < input->files->n; input->file++)
	{
		if (input->file == input->files->n_known)
			input->number = 1;
		read_file(input, &input->files->list[input->file]);
	}
	input_submit(input);
	/* workers use the names until the end of the program */
}

void
input_read_again(Input *input, Pool *pool, ChosenRecords *chosen)
{
	const Place *place;

	input->pool = pool;
	input->chosen = chosen;
	place_reader_begin(&input->reader, input->files);
	while ((place = next_chosen(chosen)) != NULL)
	{
		input->file = place->file;
		input->at_beginning = true;
		input->format = format_of(input->options, input->files->list[place->file].path);
		input->format->read(input);
	}
	place_reader_end(&input->reader);
}

const char *
id_field(const InputOptions *options)
{
	return options->id != NULL ? options->id : DEFAULT_ID_FIELD;
}

Batch *
input_batch(Input *input)
{
	if (input->batch == NULL)
	{
		input->batch = pool_batch(input->pool);
		input->batch->format = input->format;
		input->batch->file = input->files->list[input->file].path;
		input->batch->file_number = input->file;
		input->batch->number = input->number;
	}
	return input->batch;
}

void
decide_id(Input *input, bool first_has_it)
{
	if (!input->id_is_decided)
		input->id_is_field = first_has_it || input->options->id != NULL;
	input->id_is_decided = true;
}

void
input_submit(Input *input)
{
	Batch	   *batch = input->batch;
	bool		has_id;

	if (batch == NULL)
		return;
	if (!input->id_is_decided && batch->format->first_has_id != NULL &&
		batch->format->first_has_id(input->options, batch, &has_id))
		decide_id(input, has_id);
	batch->id_is_field = input->id_is_field;
	input->batch = NULL;
	pool_submit(input->pool);
}

size_t
input_bytes(Input *input, Buffer *buffer, size_t n)
{
	const InputFile *file = &input->files->list[input->file];
	size_t		before = buffer->length;
	Place		header = {0, file->beginning, input->file};
	const Place *place;

	if (input->chosen == NULL)
	{
		n = read_bytes(file->path, input->fd, buffer, n);
		if (file->copy >= 0)
			write_all(file->copy, buffer->bytes + before, n, "a temporary file");
		return n;
	}
	if (input->at_beginning && header.length > 0)
		place_reader_append(&input->reader, &header, buffer);
	input->at_beginning = false;
	while (buffer->length - before < n && (place = next_chosen(input->chosen)) != NULL &&
		   place->file == input->file)
	{
		place_reader_append(&input->reader, place, buffer);
		input->chosen->next++;
	}
	return buffer->length - before;
}

const char *
problem_of_form(const char *bytes, size_t length)
{
	/* ? is any byte */
	static const char *const forms[][2] = {
		{"\x1f\x8b", "compressed with gzip; decompress it first: zcat FILE | pgsimhash ..."},
		{"\x28\xb5\x2f\xfd", "compressed with zstd; decompress it first: zstdcat FILE | pgsimhash ..."},
		{"\xfd" "7zXZ", "compressed with xz; decompress it first: xzcat FILE | pgsimhash ..."},
		{"BZh?1AY&SY", "compressed with bzip2; decompress it first: bzcat FILE | pgsimhash ..."},
		{"\xff\xfe", "UTF-16, not UTF-8; convert it first: iconv -f UTF-16 -t UTF-8 FILE | pgsimhash ..."},
		{"\xfe\xff", "UTF-16, not UTF-8; convert it first: iconv -f UTF-16 -t UTF-8 FILE | pgsimhash ..."}
	};

	for (size_t i = 0; i < sizeof(forms) / sizeof(forms[0]); i++)
	{
		const char *form = forms[i][0];
		size_t		n = 0;

		while (form[n] != '\0' && n < length && (form[n] == '?' || form[n] == bytes[n]))
			n++;
		if (form[n] == '\0')
			return forms[i][1];
	}
	return NULL;
}

void
check_form(const char *name, const char *bytes, size_t length)
{
	const char *problem = problem_of_form(bytes, length);

	if (problem != NULL)
		fail(EXIT_TROUBLE, "%s: %s", shown_name(name), problem);
}

/* ---------- workers ---------- */

void
pack_record(Buffer *out, const Record *record)
{
	buffer_append(out, record, sizeof(Record));
	buffer_append(out, record->id, record->id_length);
	buffer_append(out, record->title, record->title_length);
	buffer_append(out, record->text, record->text_length);
	buffer_append(out, record->bytes, record->n_bytes);
}

void
unpack_record(const Buffer *from, size_t *at, Record *record)
{
	memcpy(record, from->bytes + *at, sizeof(Record));
	record->id = from->bytes + *at + sizeof(Record);
	record->title = record->id + record->id_length;
	record->text = record->title + record->title_length;
	record->bytes = record->text + record->text_length;
	*at = (size_t) (record->bytes + record->n_bytes - from->bytes);
}

void
record_reader_init(RecordReader *reader, const InputOptions *options)
{
	memset(reader, 0, sizeof(*reader));
	reader->options = options;
}

void
record_reader_free(RecordReader *reader)
{
	json_reader_free(reader->json);
	buffer_free(&reader->file);
}

void
record_reader_begin(RecordReader *reader, const Batch *batch)
{
	reader->batch = batch;
	reader->at = 0;
	reader->line = batch->line;
	reader->name = batch->file;
	reader->fields = 0;
}

RecordStatus
record_reader_next(RecordReader *reader, Record *record)
{
	record->is_utf8 = record->is_header = false;
	record->title = record->bytes = "";
	record->title_length = record->n_bytes = 0;
	record->place.file = reader->batch->file_number;
	return reader->batch->format->next(reader, record);
}

void
set_number(RecordReader *reader, Record *record, uint64_t number)
{
	record->id = reader->number;
	record->id_length = (size_t) snprintf(reader->number, sizeof(reader->number), "%llu",
										  (unsigned long long) number);
	record->id_is_number = true;
}
