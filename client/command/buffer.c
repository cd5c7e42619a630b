/*-------------------------------------------------------------------------
 *
 * buffer.c
 *		Bytes that grow; see buffer.h.
 *
 *-------------------------------------------------------------------------
 */
#include "buffer.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "fail.h"
#include "internal.h"

void *
allocate(size_t size)
{
	void	   *result = malloc(size == 0 ? 1 : size);

	if (result == NULL)
		fail(EXIT_TROUBLE, "out of memory");
	return result;
}

int
new_temporary_file(void)
{
	int			fd = temporary_file();

	if (fd < 0)
		fail(EXIT_TROUBLE, "could not create a temporary file: %s", strerror(errno));
	return fd;
}

void
buffer_move_to_disk(Buffer *buffer)
{
	buffer->fd = new_temporary_file();
}

/* Blocks of the file are allocated, because a full disk would be a signal later. */
static void
map_again(Buffer *buffer, size_t room)
{
	int			problem = posix_fallocate(buffer->fd, 0, (off_t) room);

	if (problem != 0)
		fail(EXIT_TROUBLE, "could not extend a temporary file: %s", strerror(problem));
	buffer->bytes = buffer->room == 0 ?
		mmap(NULL, room, PROT_READ | PROT_WRITE, MAP_SHARED, buffer->fd, 0) :
		mremap(buffer->bytes, buffer->room, room, MREMAP_MAYMOVE);
	if (buffer->bytes == MAP_FAILED)
		fail(EXIT_TROUBLE, "out of memory");
}

char *
buffer_reserve(Buffer *buffer, size_t n)
{
	if (buffer->room - buffer->length < n)
	{
		size_t		room = buffer->room * 2 + n + 64;

		if (buffer->fd != 0)
			map_again(buffer, room);
		else if ((buffer->bytes = realloc(buffer->bytes, room)) == NULL)
			fail(EXIT_TROUBLE, "out of memory");
		buffer->room = room;
	}
	return buffer->bytes + buffer->length;
}

void
buffer_append(Buffer *buffer, const void *bytes, size_t n)
{
	char	   *place = buffer_reserve(buffer, n);

	if (n > 0)
		memcpy(place, bytes, n);
	buffer->length += n;
}

void
buffer_append_string(Buffer *buffer, const char *string)
{
	buffer_append(buffer, string, strlen(string));
}

void
buffer_printf(Buffer *buffer, const char *format,...)
{
	va_list		args;
	int			n;

	va_start(args, format);
	n = vsnprintf(NULL, 0, format, args);
	va_end(args);
	va_start(args, format);
	vsnprintf(buffer_reserve(buffer, (size_t) n + 1), (size_t) n + 1, format, args);
	va_end(args);
	buffer->length += (size_t) n;
}

void
buffer_free(Buffer *buffer)
{
	if (buffer->fd != 0)
	{
		if (buffer->room > 0)
			munmap(buffer->bytes, buffer->room);
		close(buffer->fd);
	}
	else
		free(buffer->bytes);
	memset(buffer, 0, sizeof(*buffer));
}
