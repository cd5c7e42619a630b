/*-------------------------------------------------------------------------
 *
 * buffer.h
 *		Bytes that grow, and the end of the program if there is no memory.
 *
 *-------------------------------------------------------------------------
 */
#ifndef PGSIMHASH_BUFFER_H
#define PGSIMHASH_BUFFER_H

#include <stddef.h>
#include <stdint.h>

typedef struct Buffer
{
	char	   *bytes;
	size_t		length;
	size_t		room;

	/* The file that has the bytes; 0: they are in memory. */
	int			fd;
} Buffer;

extern void *allocate(size_t size);

/* A file without a name */
extern int	new_temporary_file(void);

/* Let an empty buffer have its bytes in a temporary file, from which the system reads pages. */
extern void buffer_move_to_disk(Buffer *buffer);

/* Make room for n more bytes and return the place of the first. */
extern char *buffer_reserve(Buffer *buffer, size_t n);
extern void buffer_append(Buffer *buffer, const void *bytes, size_t n);
extern void buffer_append_string(Buffer *buffer, const char *string);
extern void buffer_printf(Buffer *buffer, const char *format,...)
			__attribute__((format(printf, 2, 3)));
extern void buffer_free(Buffer *buffer);

#endif
