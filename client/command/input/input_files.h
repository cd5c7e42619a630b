/*-------------------------------------------------------------------------
 *
 * input_files.h
 *		The files of the input, and the outputs, which must be other files.
 *
 *-------------------------------------------------------------------------
 */
#ifndef PGSIMHASH_INPUT_FILES_H
#define PGSIMHASH_INPUT_FILES_H

#include <sys/stat.h>

#include "../buffer.h"

/* Files of dedupe, besides the standard output */
enum
{
	OUTPUT_REPORT,
	OUTPUT_REVIEW,
	N_OUTPUTS
};

typedef struct InputFile
{
	char	   *path;
	struct stat status;			/* its size is 0 if it is unknown */
	/* the temporary file that is read again instead, or -1 */
	int			copy;
	uint64_t	beginning;		/* bytes before the first record: a header */
} InputFile;

typedef struct InputFiles
{
	InputFile  *list;
	size_t		n;
	size_t		n_known;		/* the first ones */
	size_t		room;
	uint64_t	size;			/* of all files, as far as known */
	const char *const *output_names;	/* NULL: not wanted */
	int			outputs[N_OUTPUTS]; /* open files, or -1 */
} InputFiles;

#define STANDARD_INPUT "-"

/* The name of a file in messages. */
extern const char *shown_name(const char *name);

/* Open a file, or standard input.  Fail if that is not possible. */
extern int	open_input(const char *path);
extern void close_input(int fd);

/* Read up to n bytes behind the buffer's end and return their number, 0 at the end. */
extern size_t read_bytes(const char *name, int fd, Buffer *buffer, size_t n);

/*
 * Find all files of the paths and folders, after those that are known; without paths there is standard
 * input.  Open the outputs, which keep their contents.  Fail if one is a file of the input, or another
 * output, or if a file is known and new.
 */
extern InputFiles *find_input_files(char **known, int n_known, char **paths, int n_paths,
									const char *const *outputs);

/* Open a file, or its copy, to read records again, and close it.  Fail if it has changed. */
extern int	input_open_file(const InputFiles *files, uint32_t number);
extern void input_close_file(const InputFiles *files, uint32_t number, int fd);

/* Return the status of an open file, and fail if it has changed. */
extern struct stat input_file_status(const InputFile *file, int fd);
extern void check_input_file(const InputFile *file, int fd);

/* Fail because a file has changed since it was read. */
extern void input_changed(const InputFiles *files) __attribute__((noreturn));

/* After reading no new record: fail if an output has contents, which would be lost. */
extern void input_keep_outputs(const InputFiles *files);

/* Remove the contents of an output, and return the file. */
extern int	input_output(const InputFiles *files, int output);

#endif
