/*-------------------------------------------------------------------------
 *
 * two_files.h
 *		Two files, each of which is a text.
 *
 *-------------------------------------------------------------------------
 */
#ifndef PGSIMHASH_TWO_FILES_H
#define PGSIMHASH_TWO_FILES_H

#include "buffer.h"

/* Append each file, or standard input if its path is -, to its buffer, without a byte order mark. */
extern void read_two_files(char **paths, Buffer *texts);

/* The end after an error of the library. */
extern void fail_two_files(char **paths, int result) __attribute__((noreturn));

#endif
