/*-------------------------------------------------------------------------
 *
 * line_file.h
 *		Files of lines that one thread reads to their ends: ids with fingerprints, and groups.
 *
 *-------------------------------------------------------------------------
 */
#ifndef PGSIMHASH_LINE_FILE_H
#define PGSIMHASH_LINE_FILE_H

#include <stdbool.h>
#include <stdio.h>

typedef struct LineFile
{
	const char *path;
	FILE	   *file;
	char	   *line;			/* ends in a zero byte */
	size_t		length;
	size_t		room;
	size_t		number;			/* of the line, from 1 on */
} LineFile;

/* Open a file, or standard input. */
extern void line_file_open(LineFile *lines, const char *path);

/* Read the next line, without its end and without a byte order mark.  Return false at the end. */
extern bool line_file_next(LineFile *lines);

extern void line_file_close(LineFile *lines);

#endif
