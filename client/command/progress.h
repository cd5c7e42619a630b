/*-------------------------------------------------------------------------
 *
 * progress.h
 *		A progress bar on a terminal.
 *
 *-------------------------------------------------------------------------
 */
#ifndef PGSIMHASH_PROGRESS_H
#define PGSIMHASH_PROGRESS_H

#include <stddef.h>
#include <stdint.h>

/*
 * Show a bar from now on if standard error is a terminal.  "what" says what is being done, and lives until
 * the next bar; it may be NULL.  "total" bytes are 0 if unknown.
 */
extern void progress_begin(const char *what, uint64_t total);

/* Some bytes are done. */
extern void progress_add(uint64_t bytes);

/* Write a message to standard error, above the bar. */
extern void progress_message(const char *bytes, size_t n);

/* Remove the bar. */
extern void progress_end(void);

#endif
