/*-------------------------------------------------------------------------
 *
 * call.h
 *		The environment of src/core/ in a call of the library: memory from malloc, files of a
 *		join in memory or on disk, and a jump to the beginning of the call if there is no
 *		room, or the caller stops the call. The jump never leaves the library.
 *
 *-------------------------------------------------------------------------
 */
#ifndef PGSIMHASH_CALL_H
#define PGSIMHASH_CALL_H

#include <setjmp.h>
#include <stdbool.h>
#include <string.h>

#include "core/env.h"
#include "pgsimhash.h"

/* A piece of memory of a call.  The caller's bytes are behind it. */
typedef struct Block
{
	struct Block *previous;
	struct Block *next;
} Block;

/* A call, or an iterator between its calls.  It does not move while it has blocks. */
typedef struct Call
{
	Env			env;
	Block		blocks;			/* head of a ring */
	struct JoinFile *files;		/* of a join on disk */
	bool		on_disk;		/* are files of a join on disk? */
	int			result;			/* of a call that jumps */
	jmp_buf		out;
} Call;

/*
 * Begin a call.  Each function that calls the core, or continues an iterator, says next where an error
 * jumps to:
 *
 *		if (setjmp(call.out) != 0)
 *			return call_end(&call, call.result);
 *
 * After the jump it reads no other variable, whose value may be lost.
 */
extern void call_begin(Call *call);

#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic ignored "-Wclobbered"
#endif

/* End the call by a jump to that place. */
extern void call_leave(Call *call, int result) __attribute__((noreturn));

/* Does the program stop the calls of this thread? */
extern bool is_stopped(void);

/*
 * Let a call of another thread read a file, to which nothing is appended meanwhile, and which is
 * removed later.
 */
extern JoinFile *call_view_file(Call *call, const JoinFile *file);

/* Memory that is not the call's any more.  pgsimhash_free releases it. */
extern void *call_keep(void *bytes);

/* Which of n rows are not among the first ones, that are known; NULL: none is known */
extern bool *call_new_rows(Call *call, size_t known, size_t n);

/* Release all memory and files of the call.  Return the result. */
extern int	call_end(Call *call, int result);

/* End a call whose caller gets a fingerprint only if one was found. */
static inline int
call_end_fingerprint(Call *call, bool is_found, const uint64_t *found, int words,
					 uint64_t *fingerprint)
{
	if (is_found)
		memcpy(fingerprint, found, (size_t) words * sizeof(uint64_t));
	return call_end(call, is_found ? PGSIMHASH_OK : PGSIMHASH_NULL);
}

#endif
