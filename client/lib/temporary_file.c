/*-------------------------------------------------------------------------
 *
 * temporary_file.c
 *		Temporary files; see internal.h.
 *
 *-------------------------------------------------------------------------
 */
#define _GNU_SOURCE
#include "internal.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define FOLDER "/var/tmp"		/* /tmp may be in memory */

int
temporary_file(void)
{
	const char *folder = getenv("TMPDIR");
	char		path[PATH_MAX];
	int			length = snprintf(path, sizeof(path), "%s/pgsimhash.XXXXXX",
								  folder == NULL || *folder == '\0' ? FOLDER : folder);
	int			fd;
	int			low;

	if (length >= (int) sizeof(path))
	{
		errno = ENAMETOOLONG;
		return -1;
	}
	fd = mkostemp(path, O_CLOEXEC);
	if (fd >= 0)
		unlink(path);
	if (fd < 0 || fd > STDERR_FILENO)
		return fd;

	/* a closed standard stream stays closed */
	low = fd;
	fd = fcntl(low, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
	close(low);
	return fd;
}
