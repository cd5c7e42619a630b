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
#include "progress.h"

#define BEGINNING 10			/* bytes that tell the form of a file */
#define LARGE_TEXT (16 << 20)	/* bytes; a book has 1 MB */

/* ---------- the reading thread ---------- */

typedef struct InputFile
{
	char	   *path;
	uint64_t	size;			/* 0 if unknown */
	dev_t		device;
	ino_t		inode;
	bool		is_regular;
} InputFile;

typedef struct FileList
{
	InputFile  *files;
	size_t		n;
	size_t		room;
	uint64_t	size;			/* of all files, as far as known */
} FileList;

static void
add_file(FileList *list, const char *path, const struct stat *status)
{
	InputFile  *file;

	if (list->n == list->room)
	{
		list->room = 2 * list->room + 16;
		list->files = realloc(list->files, list->room * sizeof(InputFile));
		if (list->files == NULL)
			fail(EXIT_TROUBLE, "out of memory");
	}
	file = &list->files[list->n++];
	file->path = strcpy(allocate(strlen(path) + 1), path);
	file->is_regular = S_ISREG(status->st_mode);
	file->size = file->is_regular ? (uint64_t) status->st_size : 0;
	file->device = status->st_dev;
	file->inode = status->st_ino;
	list->size += file->size;
}

static void
add_standard_input(FileList *list)
{
	struct stat status;

	if (fstat(STDIN_FILENO, &status) != 0)
		memset(&status, 0, sizeof(status));
	status.st_size = 0;			/* some of it may have been read */
	add_file(list, STANDARD_INPUT, &status);
}

/* Fail if an output is one of the files: it would be emptied, or would never end. */
static void
check_output(const FileList *list, const char *name, const struct stat *output)
{
	for (size_t i = 0; i < list->n; i++)
	{
		const InputFile *file = &list->files[i];

		if (file->is_regular && file->device == output->st_dev && file->inode == output->st_ino)
			fail(EXIT_USAGE, "%s would overwrite the input file %s", name, shown_name(file->path));
	}
}

static bool
is_same_file(const struct stat *a, const struct stat *b)
{
	return S_ISREG(a->st_mode) && a->st_dev == b->st_dev && a->st_ino == b->st_ino;
}

/* Fail if an output would overwrite a file of the input or another output. */
static void
check_outputs(const FileList *list, const InputOptions *options)
{
	const char *const *outputs = options->outputs;
	struct stat standard;
	struct stat status[N_OUTPUTS];

	if (fstat(STDOUT_FILENO, &standard) != 0)
		memset(&standard, 0, sizeof(standard));
	check_output(list, "the output", &standard);
	for (size_t i = 0; i < N_OUTPUTS; i++)
	{
		memset(&status[i], 0, sizeof(status[i]));
		if (outputs[i] == NULL)
			continue;
		if (stat(outputs[i], &status[i]) == 0)
			check_output(list, outputs[i], &status[i]);
		if (is_same_file(&status[i], &standard))
			fail(EXIT_USAGE, "%s would overwrite the output", shown_name(outputs[i]));
		for (size_t j = 0; j < i; j++)
			if (outputs[j] != NULL && (strcmp(outputs[i], outputs[j]) == 0 ||
									   is_same_file(&status[i], &status[j])))
				fail(EXIT_USAGE, "%s is the file of two outputs", shown_name(outputs[i]));
	}
}

static int
compare_entries(const FTSENT **a, const FTSENT **b)
{
	return strcmp((*a)->fts_name, (*b)->fts_name);
}

/* Add a file, or the files of a folder in the order of their names. */
static void
add_path(FileList *list, char *path)
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
				add_file(list, entry->fts_path, entry->fts_statp);
				break;
			case FTS_DEFAULT:	/* a pipe that was named */
				if (is_argument)
					add_file(list, entry->fts_path, entry->fts_statp);
				break;
			default:
				break;
		}
	}
	fts_close(fts);
}

static bool
ends_in(const char *path, const char *ending)
{
	size_t		length = strlen(path);

	return length >= strlen(ending) && strcmp(path + length - strlen(ending), ending) == 0;
}

/* Say that the first file which looks like many texts is read as one. */
static void
hint_at_records(const FileList *list)
{
	for (size_t i = 0; i < list->n; i++)
	{
		const char *path = list->files[i].path;

		if (list->files[i].size < LARGE_TEXT && !ends_in(path, ".jsonl") &&
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
	switch (options->kind)
	{
		case INPUT_FILES:
			return &format_file;
		case INPUT_LINES:
			return &format_line;
		case INPUT_JSON:
			return &format_json;
		case INPUT_CSV:
			return &format_csv;
		case INPUT_FIELDS:
			break;
	}
	return ends_in(path, ".csv") ? &format_csv : &format_json;
}

static void
read_file(Input *input, const InputFile *file)
{
	const Format *format = format_of(input->options, file->path);
	int			fd = format == &format_file ? STDIN_FILENO : open_input(file->path);

	format->read(input, file->path, fd, file->size);
	close_input(fd);
}

void
input_read(const InputOptions *options, char **paths, int n_paths, Pool *pool)
{
	Input		input = {options, pool, NULL, 1, false, false};
	FileList	list = {NULL, 0, 0, 0};

	for (int i = 0; i < n_paths; i++)
	{
		if (strcmp(paths[i], STANDARD_INPUT) == 0)
			add_standard_input(&list);
		else
			add_path(&list, paths[i]);
	}
	if (n_paths == 0)
		add_standard_input(&list);
	check_outputs(&list, options);
	if (options->kind == INPUT_FILES)
		hint_at_records(&list);
	progress_begin(list.size);
	for (size_t i = 0; i < list.n; i++)
		read_file(&input, &list.files[i]);
	input_submit(&input);
	/* workers use the names until the end of the program */
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
input_batch(Input *input, const Format *format, const char *name)
{
	if (input->batch == NULL)
	{
		input->batch = pool_batch(input->pool);
		input->batch->format = format;
		input->batch->file = name;
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

size_t
read_beginning(const char *name, int fd, Buffer *buffer, size_t n)
{
	while (buffer->length < BEGINNING && read_bytes(name, fd, buffer, n) > 0)
		;
	check_form(name, buffer->bytes, buffer->length);
	return byte_order_mark(buffer->bytes, buffer->length);
}

/* ---------- workers ---------- */

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
