/*-------------------------------------------------------------------------
 *
 * fail.h
 *		The end of the program, with a message.
 *
 *-------------------------------------------------------------------------
 */
#ifndef PGSIMHASH_FAIL_H
#define PGSIMHASH_FAIL_H

/* The exit codes, besides 0 */
#define EXIT_WRONG_RECORD	1
#define EXIT_USAGE			2
#define EXIT_TROUBLE		3	/* a file, memory, the output */

/* From now on every failure exits with 2, because 1 says that texts differ. */
#define EXIT_AS_DIFF		2
extern void fail_as_diff(void);

#include <stddef.h>

#include "escape.h"

/* The longest message, of two paths and more */
#define MESSAGE_BYTES 16384
#define SHOWN_BYTES (MESSAGE_BYTES * ESCAPED_BYTES)

/*
 * Store "pgsimhash: message" and a newline, and return the length.  Control characters of the message,
 * such as those of file names, and bytes that are not UTF-8 are escaped.  "shown" has SHOWN_BYTES.  This needs no memory.
 */
extern size_t make_message(char *shown, const char *format,...)
			__attribute__((format(printf, 2, 3)));

/* Print the message. */
extern void say(const char *format,...) __attribute__((format(printf, 1, 2)));

/* Print the message and exit. */
extern void fail(int status, const char *format,...)
			__attribute__((format(printf, 2, 3), noreturn));

#endif
