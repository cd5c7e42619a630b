/*-------------------------------------------------------------------------
 *
 * temporary_file.h
 *		A file without a name, which is gone when it is closed.
 *
 *-------------------------------------------------------------------------
 */
#ifndef PGSIMHASH_TEMPORARY_FILE_H
#define PGSIMHASH_TEMPORARY_FILE_H

/* In the folder TMPDIR, or /var/tmp.  Return its descriptor, or -1. */
extern int	temporary_file(void);

#endif
