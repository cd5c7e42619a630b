/*-------------------------------------------------------------------------
 *
 * call.c
 *		The environment of src/core/; see call.h.
 *
 *-------------------------------------------------------------------------
 */
#include "call.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/random.h>
#include <time.h>
#include <unistd.h>

#include "core/hamming.h"
#include "core/text/kernels/token_kernels.h"
#include "internal.h"

/*
 * Constant once they are set: the kernels of this machine, which src/core/ chooses at the first
 * use, and the salt of its tables, which changes no result.
 */
static pthread_once_t prepared = PTHREAD_ONCE_INIT;
static uint64_t salt;

/* What the calls of this thread ask whether they are to end. */
static _Thread_local pgsimhash_stop stop = NULL;
static _Thread_local void *stop_arg = NULL;

void
pgsimhash_set_stop(pgsimhash_stop function, void *arg)
{
	stop = function;
	stop_arg = arg;
}

static void
prepare(void)
{
	uint64_t	fp = 0;
	uint16_t	hit;

	(void) core_token_kernel();
	(void) hamming_within(&fp, 1, &fp, 1, 0, &hit);
	if (getrandom(&salt, sizeof(salt), GRND_NONBLOCK) != sizeof(salt))
		salt = (uint64_t) time(NULL) ^ (uint64_t) (uintptr_t) & fp;
	salt |= 1;
}

static void
link_block(Call *call, Block *block)
{
	block->previous = &call->blocks;
	block->next = call->blocks.next;
	block->next->previous = block;
	call->blocks.next = block;
}

static void
unlink_block(Block *block)
{
	block->previous->next = block->next;
	block->next->previous = block->previous;
}

void
call_leave(Call *call, int result)
{
	call->result = result;
	longjmp(call->out, 1);
}

static void *
call_resize(void *arg, void *bytes, size_t size)
{
	Call	   *call = arg;
	Block	   *old = bytes == NULL ? NULL : (Block *) bytes - 1;
	Block	   *block;

	if (size > SIZE_MAX - sizeof(Block))
		call_leave(call, PGSIMHASH_NO_MEMORY);
	if (old != NULL)
		unlink_block(old);
	block = realloc(old, sizeof(Block) + size);
	if (block == NULL)
	{
		free(old);
		call_leave(call, PGSIMHASH_NO_MEMORY);
	}
	link_block(call, block);
	return block + 1;
}

static void
call_release(void *arg, void *bytes)
{
	(void) arg;
	unlink_block((Block *) bytes - 1);
	free((Block *) bytes - 1);
}

bool
is_stopped(void)
{
	return stop != NULL && stop(stop_arg) != 0;
}

static void
call_check_interrupts(void *arg)
{
	if (is_stopped())
		call_leave(arg, PGSIMHASH_STOPPED);
}

/* ---------- files of a join ---------- */

struct JoinFile
{
	Call	   *call;
	int			fd;				/* -1: in memory */
	bool		is_view;		/* of another call's file */
	JoinFile   *previous;		/* on disk */
	JoinFile   *next;
	char	   *bytes;
	size_t		size;
	size_t		room;
};

static JoinFile *
call_create_file(void *arg)
{
	JoinFile   *file = call_resize(arg, NULL, sizeof(JoinFile));

	memset(file, 0, sizeof(JoinFile));
	file->call = arg;
	file->fd = -1;
	if (!file->call->on_disk)
		return file;
	file->fd = temporary_file();
	if (file->fd < 0)
		call_leave(file->call, PGSIMHASH_FILE_ERROR);
	file->next = file->call->files;
	if (file->next != NULL)
		file->next->previous = file;
	file->call->files = file;
	return file;
}

/* Write or read all bytes at an offset. */
static void
transfer(JoinFile *file, uint64_t offset, char *bytes, size_t size, bool writes)
{
	while (size > 0)
	{
		ssize_t		n = writes ? pwrite(file->fd, bytes, size, (off_t) offset) :
			pread(file->fd, bytes, size, (off_t) offset);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			call_leave(file->call, PGSIMHASH_FILE_ERROR);
		offset += (uint64_t) n;
		bytes += n;
		size -= (size_t) n;
	}
}

static void
call_append(JoinFile *file, const void *bytes, size_t size)
{
	if (file->fd >= 0)
	{
		transfer(file, file->size, (char *) bytes, size, true);
		file->size += size;
		return;
	}
	if (file->room - file->size < size)
	{
		file->room = file->size + size + file->size / 2;
		file->bytes = call_resize(file->call, file->bytes, file->room);
	}
	memcpy(file->bytes + file->size, bytes, size);
	file->size += size;
}

static void
call_read(JoinFile *file, uint64_t offset, void *bytes, size_t size)
{
	if (file->fd >= 0)
		transfer(file, offset, bytes, size, false);
	else
		memcpy(bytes, file->bytes + offset, size);
}

static void
call_remove_file(JoinFile *file)
{
	if (file->is_view)
	{
		call_release(file->call, file);
		return;
	}
	if (file->fd >= 0)
	{
		close(file->fd);
		if (file->previous != NULL)
			file->previous->next = file->next;
		else
			file->call->files = file->next;
		if (file->next != NULL)
			file->next->previous = file->previous;
	}
	if (file->bytes != NULL)
		call_release(file->call, file->bytes);
	call_release(file->call, file);
}

JoinFile *
call_view_file(Call *call, const JoinFile *file)
{
	JoinFile   *view = call_resize(call, NULL, sizeof(JoinFile));

	*view = *file;
	view->call = call;
	view->is_view = true;
	return view;
}

/* Only words by dictionary fail, and the library has no such words. */
static void
call_fail(void *arg, bool out_of_memory, const char *message)
{
	(void) out_of_memory;
	(void) message;
	call_leave(arg, PGSIMHASH_NO_MEMORY);
}

void
call_begin(Call *call)
{
	static const Env env_of_calls = {.resize = call_resize,.release = call_release,
		.check_interrupts = call_check_interrupts,.fail = call_fail,
		.create_file = call_create_file,.append = call_append,.read = call_read,
	.remove_file = call_remove_file};

	pthread_once(&prepared, prepare);
	call->env = env_of_calls;
	call->env.arg = call->env.file_arg = call;
	call->env.salt = salt;
	call->blocks.previous = call->blocks.next = &call->blocks;
	call->files = NULL;
	call->on_disk = false;
}

void *
call_keep(void *bytes)
{
	unlink_block((Block *) bytes - 1);
	return bytes;
}

void
pgsimhash_free(void *array)
{
	if (array != NULL)
		free((Block *) array - 1);
}

int
call_end(Call *call, int result)
{
	while (call->files != NULL)
		call_remove_file(call->files);
	while (call->blocks.next != &call->blocks)
		call_release(call, call->blocks.next + 1);
	return result;
}

bool *
call_new_rows(Call *call, size_t known, size_t n)
{
	bool	   *is_new = known == 0 ? NULL : env_alloc(&call->env, n);

	for (size_t i = 0; is_new != NULL && i < n; i++)
		is_new[i] = i >= known;
	return is_new;
}
