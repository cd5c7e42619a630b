/*-------------------------------------------------------------------------
 *
 * input_files.c
 *		The files of the input; see input_files.h.
 *
 *-------------------------------------------------------------------------
 */
#include "input_files.h"

#include <errno.h>
#include <fcntl.h>
#include <fts.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../fail.h"

const char *
shown_name(const char *name)
{
	return strcmp(name, STANDARD_INPUT) == 0 ? "standard input" : name;
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

/* Are these the same regular file? */
static bool
is_same_file(const struct stat *a, const struct stat *b)
{
	return S_ISREG(a->st_mode) && a->st_dev == b->st_dev && a->st_ino == b->st_ino;
}

static void
add_file(InputFiles *files, const char *path, const struct stat *status)
{
	InputFile  *file;

	if (files->n == files->room)
	{
		files->room = 2 * files->room + 16;
		files->list = realloc(files->list, files->room * sizeof(InputFile));
		if (files->list == NULL)
			fail(EXIT_TROUBLE, "out of memory");
	}
	file = &files->list[files->n++];
	memset(file, 0, sizeof(InputFile));
	file->copy = -1;
	file->path = strcpy(allocate(strlen(path) + 1), path);
	file->status = *status;
	if (!S_ISREG(status->st_mode))
		file->status.st_size = 0;
	files->size += (uint64_t) file->status.st_size;
}

static void
add_standard_input(InputFiles *files)
{
	struct stat status;

	if (fstat(STDIN_FILENO, &status) != 0)
		memset(&status, 0, sizeof(status));
	status.st_size = 0;			/* some of it may have been read */
	add_file(files, STANDARD_INPUT, &status);
}

/* Fail if an output is one of the files: it would be emptied, or would never end. */
static void
check_output(const InputFiles *files, const char *name, const struct stat *output)
{
	for (size_t i = 0; i < files->n; i++)
	{
		const InputFile *file = &files->list[i];

		if (is_same_file(&file->status, output))
			fail(EXIT_USAGE, "%s would overwrite the input file %s", name, shown_name(file->path));
	}
}

/*
 * Open the outputs.  Fail if one would overwrite a file of the input or another output.  Only open
 * files can be compared: several names may lead to one file that did not exist.
 */
static void
open_outputs(InputFiles *files)
{
	const char *const *outputs = files->output_names;
	struct stat standard;
	struct stat found[N_OUTPUTS];

	if (fstat(STDOUT_FILENO, &standard) != 0)
		memset(&standard, 0, sizeof(standard));
	check_output(files, "the output", &standard);
	for (size_t i = 0; i < N_OUTPUTS; i++)
	{
		files->outputs[i] = -1;
		if (outputs[i] == NULL)
			continue;
		files->outputs[i] = open(outputs[i], O_WRONLY | O_CREAT | O_CLOEXEC, 0666);
		if (files->outputs[i] < 0 || fstat(files->outputs[i], &found[i]) != 0)
			fail(EXIT_TROUBLE, "%s: %s", outputs[i], strerror(errno));
		check_output(files, outputs[i], &found[i]);
		if (is_same_file(&found[i], &standard))
			fail(EXIT_USAGE, "%s would overwrite the output", shown_name(outputs[i]));
		for (size_t j = 0; j < i; j++)
			if (files->outputs[j] >= 0 && is_same_file(&found[i], &found[j]))
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
check_new_files(const InputFiles *files)
{
	const InputFile **sorted = allocate(files->n * sizeof(InputFile *));
	const InputFile *first_new = files->list + files->n_known;

	for (size_t i = 0; i < files->n; i++)
		sorted[i] = &files->list[i];
	qsort(sorted, files->n, sizeof(InputFile *), compare_files);
	for (size_t i = 1; i < files->n; i++)
		if (is_same_file(&sorted[i - 1]->status, &sorted[i]->status) &&
			sorted[i - 1] < first_new && sorted[i] >= first_new)
			fail(EXIT_USAGE, "%s is a known file and a new one", shown_name(sorted[i]->path));
	free(sorted);
}

static int
compare_entries(const FTSENT **a, const FTSENT **b)
{
	return strcmp((*a)->fts_name, (*b)->fts_name);
}

/* Add a file, or the files of a folder in the order of their names. */
static void
add_path(InputFiles *files, char *path)
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
				add_file(files, entry->fts_path, entry->fts_statp);
				break;
			case FTS_DEFAULT:	/* a pipe that was named */
				if (is_argument)
					add_file(files, entry->fts_path, entry->fts_statp);
				break;
			default:
				break;
		}
	}
	fts_close(fts);
}

static void
add_paths(InputFiles *files, char **paths, int n)
{
	for (int i = 0; i < n; i++)
		if (strcmp(paths[i], STANDARD_INPUT) == 0)
			add_standard_input(files);
		else
			add_path(files, paths[i]);
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
input_changed(const InputFiles *files)
{
	for (size_t i = 0; i < files->n; i++)
	{
		const InputFile *file = &files->list[i];
		struct stat now;

		if (file->copy < 0 && stat(file->path, &now) == 0 && has_changed(&file->status, &now))
			fail_changed(file->path);
	}
	fail(EXIT_TROUBLE, "the input changed while it was read");
}

struct stat
input_file_status(const InputFile *file, int fd)
{
	struct stat status;

	if (fstat(fd, &status) != 0)
		fail(EXIT_TROUBLE, "%s: %s", file->path, strerror(errno));
	return status;
}

void
check_input_file(const InputFile *file, int fd)
{
	struct stat now = input_file_status(file, fd);

	if (has_changed(&file->status, &now))
		fail_changed(file->path);
}

int
input_open_file(const InputFiles *files, uint32_t number)
{
	const InputFile *file = &files->list[number];
	int			fd;

	if (file->copy >= 0)
		return file->copy;
	fd = open_input(file->path);
	check_input_file(file, fd);
	return fd;
}

void
input_close_file(const InputFiles *files, uint32_t number, int fd)
{
	const InputFile *file = &files->list[number];

	if (file->copy >= 0)
		return;
	check_input_file(file, fd);
	close_input(fd);
}

void
input_keep_outputs(const InputFiles *files)
{
	for (int i = 0; i < N_OUTPUTS; i++)
	{
		struct stat status;

		if (files->outputs[i] >= 0 && fstat(files->outputs[i], &status) == 0 && status.st_size > 0)
			fail(EXIT_TROUBLE, "no %srecords were read, so the file %s was not overwritten",
				 files->n_known > 0 ? "new " : "", shown_name(files->output_names[i]));
	}
}

int
input_output(const InputFiles *files, int output)
{
	int			fd = files->outputs[output];
	struct stat status;

	if (fstat(fd, &status) != 0 || (S_ISREG(status.st_mode) && ftruncate(fd, 0) != 0))
		fail(EXIT_TROUBLE, "%s: %s", files->output_names[output], strerror(errno));
	return fd;
}

InputFiles *
find_input_files(char **known, int n_known, char **paths, int n_paths, const char *const *outputs)
{
	InputFiles *files = allocate(sizeof(InputFiles));

	memset(files, 0, sizeof(InputFiles));
	files->output_names = outputs;
	add_paths(files, known, n_known);
	files->n_known = files->n;
	add_paths(files, paths, n_paths);
	if (n_paths == 0)
		add_standard_input(files);
	if (files->n_known > 0)
		check_new_files(files);
	open_outputs(files);
	return files;
}
