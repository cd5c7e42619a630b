/*-------------------------------------------------------------------------
 *
 * input.c
 *		The files of the input; see input.h.
 *
 *-------------------------------------------------------------------------
 */
#include "input.h"

#include <errno.h>
#include <fcntl.h>
#include <fts.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "fail.h"
#include "format.h"
#include "output.h"
#include "progress.h"

#define LARGE_TEXT (16 << 20)	/* bytes; a book has 1 MB */

/* ---------- the reading thread ---------- */

/* Are these the same regular file? */
static bool
is_same_file(const struct stat *a, const struct stat *b)
{
	return S_ISREG(a->st_mode) && a->st_dev == b->st_dev && a->st_ino == b->st_ino;
}

static void
add_file(Input *input, const char *path, const struct stat *status)
{
	InputFile  *file;

	if (input->n_files == input->room)
	{
		input->room = 2 * input->room + 16;
		input->files = realloc(input->files, input->room * sizeof(InputFile));
		if (input->files == NULL)
			fail(EXIT_TROUBLE, "out of memory");
	}
	file = &input->files[input->n_files++];
	memset(file, 0, sizeof(InputFile));
	file->copy = -1;
	file->path = strcpy(allocate(strlen(path) + 1), path);
	file->status = *status;
	if (!S_ISREG(status->st_mode))
		file->status.st_size = 0;
	input->size += (uint64_t) file->status.st_size;
}

static void
add_standard_input(Input *input)
{
	struct stat status;

	if (fstat(STDIN_FILENO, &status) != 0)
		memset(&status, 0, sizeof(status));
	status.st_size = 0;			/* some of it may have been read */
	add_file(input, STANDARD_INPUT, &status);
}

/* Fail if an output is one of the files: it would be emptied, or would never end. */
static void
check_output(const Input *input, const char *name, const struct stat *output)
{
	for (size_t i = 0; i < input->n_files; i++)
	{
		const InputFile *file = &input->files[i];

		if (is_same_file(&file->status, output))
			fail(EXIT_USAGE, "%s would overwrite the input file %s", name, shown_name(file->path));
	}
}

/*
 * Open the outputs.  Fail if one would overwrite a file of the input or another output.  Only open
 * files can be compared: several names may lead to one file that did not exist.
 */
static void
open_outputs(Input *input)
{
	const char *const *outputs = input->options->outputs;
	struct stat standard;
	struct stat files[N_OUTPUTS];

	if (fstat(STDOUT_FILENO, &standard) != 0)
		memset(&standard, 0, sizeof(standard));
	check_output(input, "the output", &standard);
	for (size_t i = 0; i < N_OUTPUTS; i++)
	{
		input->outputs[i] = -1;
		if (outputs[i] == NULL)
			continue;
		input->outputs[i] = open(outputs[i], O_WRONLY | O_CREAT | O_CLOEXEC, 0666);
		if (input->outputs[i] < 0 || fstat(input->outputs[i], &files[i]) != 0)
			fail(EXIT_TROUBLE, "%s: %s", outputs[i], strerror(errno));
		check_output(input, outputs[i], &files[i]);
		if (is_same_file(&files[i], &standard))
			fail(EXIT_USAGE, "%s would overwrite the output", shown_name(outputs[i]));
		for (size_t j = 0; j < i; j++)
			if (input->outputs[j] >= 0 && is_same_file(&files[i], &files[j]))
				fail(EXIT_USAGE, "%s is the file of two outputs", shown_name(outputs[i]));
	}
}

/* Compare pointers to files for qsort: names of one file are neighbours, and in their order. */
static int
compare_files(const void *a, const void *b)
{
	const InputFile *x = *(const InputFile *const *) a;
	const InputFile *y = *(const InputFile *const *) b;

	if (x->status.st_dev != y->status.st_dev)
		return x->status.st_dev < y->status.st_dev ? -1 : 1;
	if (x->status.st_ino != y->status.st_ino)
		return x->status.st_ino < y->status.st_ino ? -1 : 1;
	return x < y ? -1 : x > y;
}

/* Fail if a file is known and new: all of its records would be left out. */
static void
check_new_files(const Input *input)
{
	const InputFile **files = allocate(input->n_files * sizeof(InputFile *));

	for (size_t i = 0; i < input->n_files; i++)
		files[i] = &input->files[i];
	qsort(files, input->n_files, sizeof(InputFile *), compare_files);
	for (size_t i = 1; i < input->n_files; i++)
		if (is_same_file(&files[i - 1]->status, &files[i]->status) &&
			files[i - 1] < input->files + input->n_known && files[i] >= input->files + input->n_known)
			fail(EXIT_USAGE, "%s is a known file and a new one", shown_name(files[i]->path));
	free(files);
}

static int
compare_entries(const FTSENT **a, const FTSENT **b)
{
	return strcmp((*a)->fts_name, (*b)->fts_name);
}

/* Add a file, or the files of a folder in the order of their names. */
static void
add_path(Input *input, char *path)
{
	char	   *paths[] = {path, NULL};
	FTS		   *fts = fts_open(paths, FTS_COMFOLLOW | FTS_PHYSICAL | FTS_NOCHDIR,
							   compare_entries);
	FTSENT	   *entry;

	if (fts == NULL)
		fail(EXIT_TROUBLE, "%s: %s", path, strerror(errno));
	while ((entry = fts_read(fts)) != NULL)
	{
		bool		is_argument = entry->fts_level == FTS_ROOTLEVEL;

		switch (entry->fts_info)
		{
			case FTS_ERR:
			case FTS_DNR:
			case FTS_NS:
				fail(EXIT_TROUBLE, "%s: %s", entry->fts_path, strerror(entry->fts_errno));
			case FTS_F:
				add_file(input, entry->fts_path, entry->fts_statp);
				break;
			case FTS_DEFAULT:	/* a pipe that was named */
				if (is_argument)
					add_file(input, entry->fts_path, entry->fts_statp);
				break;
			default:
				break;
		}
	}
	fts_close(fts);
}

static void
add_paths(Input *input, char **paths, int n)
{
	for (int i = 0; i < n; i++)
		if (strcmp(paths[i], STANDARD_INPUT) == 0)
			add_standard_input(input);
		else
			add_path(input, paths[i]);
}

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
	for (size_t i = 0; i < input->n_files; i++)
	{
		const char *path = input->files[i].path;

		if (input->files[i].status.st_size < LARGE_TEXT && !ends_in(path, ".jsonl") &&
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

static bool
has_changed(const struct stat *before, const struct stat *now)
{
	return !is_same_file(before, now) || before->st_size != now->st_size ||
		before->st_mtim.tv_sec != now->st_mtim.tv_sec ||
		before->st_mtim.tv_nsec != now->st_mtim.tv_nsec;
}

static void
fail_changed(const char *name)
{
	fail(EXIT_TROUBLE, "%s changed while it was read", name);
}

void
input_changed(const Input *input)
{
	for (size_t i = 0; i < input->n_files; i++)
	{
		const InputFile *file = &input->files[i];
		struct stat now;

		if (file->copy < 0 && stat(file->path, &now) == 0 && has_changed(&file->status, &now))
			fail_changed(file->path);
	}
	fail(EXIT_TROUBLE, "the input changed while it was read");
}

static struct stat
status_of(const InputFile *file, int fd)
{
	struct stat status;

	if (fstat(fd, &status) != 0)
		fail(EXIT_TROUBLE, "%s: %s", file->path, strerror(errno));
	return status;
}

static void
check_unchanged(const InputFile *file, int fd)
{
	struct stat now = status_of(file, fd);

	if (has_changed(&file->status, &now))
		fail_changed(file->path);
}

int
input_open_file(const Input *input, uint32_t number)
{
	const InputFile *file = &input->files[number];
	int			fd;

	if (file->copy >= 0)
		return file->copy;
	fd = open_input(file->path);
	check_unchanged(file, fd);
	return fd;
}

void
input_close_file(const Input *input, uint32_t number, int fd)
{
	const InputFile *file = &input->files[number];

	if (file->copy >= 0)
		return;
	check_unchanged(file, fd);
	close_input(fd);
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
		file->status = status_of(file, input->fd);
	input->format->read(input);
	if (keep && file->copy < 0)
		check_unchanged(file, input->fd);
	close_input(input->fd);
}

Input *
input_open(const InputOptions *options, char **paths, int n_paths)
{
	Input	   *input = allocate(sizeof(Input));

	memset(input, 0, sizeof(Input));
	input->options = options;
	input->number = 1;
	add_paths(input, options->known, options->n_known);
	input->n_known = input->n_files;
	add_paths(input, paths, n_paths);
	if (n_paths == 0)
		add_standard_input(input);
	if (input->n_known > 0)
		check_new_files(input);
	open_outputs(input);
	if (options->kind == INPUT_FILES)
		hint_at_records(input);
	return input;
}

void
input_read(Input *input, Pool *pool)
{
	input->pool = pool;
	progress_begin(NULL, input->size);
	for (input->file = 0; input->file < input->n_files; input->file++)
	{
		if (input->file == input->n_known)
			input->number = 1;
		read_file(input, &input->files[input->file]);
	}
	input_submit(input);
	/* workers use the names until the end of the program */
}

void
input_keep_outputs(const Input *input)
{
	for (int i = 0; i < N_OUTPUTS; i++)
	{
		struct stat status;

		if (input->outputs[i] >= 0 && fstat(input->outputs[i], &status) == 0 && status.st_size > 0)
			fail(EXIT_TROUBLE, "no %srecords were read, so the file %s was not overwritten",
				 input->options->n_known > 0 ? "new " : "", shown_name(input->options->outputs[i]));
	}
}

int
input_output(const Input *input, int output)
{
	int			fd = input->outputs[output];
	struct stat status;

	if (fstat(fd, &status) != 0 || (S_ISREG(status.st_mode) && ftruncate(fd, 0) != 0))
		fail(EXIT_TROUBLE, "%s: %s", input->options->outputs[output], strerror(errno));
	return fd;
}

void
input_read_again(Input *input, Pool *pool, ChosenRecords *chosen)
{
	const Place *place;

	input->pool = pool;
	input->chosen = chosen;
	place_reader_begin(&input->reader, input);
	while ((place = next_chosen(chosen)) != NULL)
	{
		input->file = place->file;
		input->at_beginning = true;
		input->format = format_of(input->options, input->files[place->file].path);
		input->format->read(input);
	}
	place_reader_end(&input->reader);
}

const char *
shown_name(const char *name)
{
	return strcmp(name, STANDARD_INPUT) == 0 ? "standard input" : name;
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
		input->batch->file = input->files[input->file].path;
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

int
open_input(const char *path)
{
	int			fd = STDIN_FILENO;

	if (strcmp(path, STANDARD_INPUT) != 0 && (fd = open(path, O_RDONLY)) < 0)
		fail(EXIT_TROUBLE, "%s: %s", path, strerror(errno));
	return fd;
}

void
close_input(int fd)
{
	if (fd != STDIN_FILENO)
		close(fd);
}

size_t
read_bytes(const char *name, int fd, Buffer *buffer, size_t n)
{
	char	   *place = buffer_reserve(buffer, n);
	ssize_t		n_read;

	do
		n_read = read(fd, place, n);
	while (n_read < 0 && errno == EINTR);
	if (n_read < 0)
		fail(EXIT_TROUBLE, "%s: %s", shown_name(name), strerror(errno));
	buffer->length += (size_t) n_read;
	return (size_t) n_read;
}

size_t
input_bytes(Input *input, Buffer *buffer, size_t n)
{
	const InputFile *file = &input->files[input->file];
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
