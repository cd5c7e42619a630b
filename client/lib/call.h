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

extern void call_begin(Call *call);

/* Run the body, which returns a result. */
typedef int (*CallBody) (Call *call, void *arg);
extern int	call_run(Call *call, CallBody body, void *arg);

/* Leave the body of a call. */
extern void call_leave(Call *call, int result) __attribute__((noreturn));

/*
 * Let a call of another thread read a file, to which nothing is appended meanwhile, and which is
 * removed later.
 */
extern JoinFile *call_view_file(Call *call, const JoinFile *file);

/* Memory that is not the call's any more.  pgsimhash_free releases it. */
extern void *call_keep(void *bytes);

/* Release all memory and files of the call. */
extern void call_end(Call *call);

/* Begin, run and end a call. */
extern int	call_once(CallBody body, void *arg);

/* The end of a body: the caller gets a fingerprint only if there is one. */
static inline int
store_fingerprint(uint64_t *fingerprint, const uint64_t *found, int words)
{
	memcpy(fingerprint, found, (size_t) words * sizeof(uint64_t));
	return PGSIMHASH_OK;
}

#endif
