/*
 * A progress bar on a terminal.
 */
#ifndef PGSIMHASH_PROGRESS_H
#define PGSIMHASH_PROGRESS_H

#include <stddef.h>
#include <stdint.h>

/* Show a bar from now on if standard error is a terminal.  "total" bytes are 0 if unknown. */
extern void progress_begin(uint64_t total);

/* Some bytes are done.  Called by one thread at a time. */
extern void progress_add(uint64_t bytes);

/* Remove the bar from the line, for a message or for good. */
extern void progress_clear(void);

#endif
