/*-------------------------------------------------------------------------
 *
 * join_env.h
 *		The join's interface to its surroundings: memory, temporary files, and a way to
 *		be interrupted.  This directory is plain C and does not know PostgreSQL.
 *
 *-------------------------------------------------------------------------
 */
#ifndef SIMHASH_JOIN_ENV_H
#define SIMHASH_JOIN_ENV_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A temporary file.  Its surroundings define it. */
typedef struct JoinFile JoinFile;

typedef struct JoinEnv
{
	/*
	 * Like realloc, but never returns NULL: without memory it does not
	 * return.
	 */
	void	   *(*resize) (void *arg, void *ptr, size_t size);
	void		(*release) (void *arg, void *ptr);	/* not called with NULL */

	/*
	 * The join calls this every few milliseconds.  It may longjmp, because
	 * the join holds only memory from resize.
	 */
	void		(*check_interrupts) (void *arg);
	void	   *arg;			/* for the three above */

	/*
	 * Temporary files, which are appended to, and read at any offset.  These
	 * functions do not return after an error.  A file that still exists after
	 * a longjmp is removed by the surroundings.
	 */
	JoinFile   *(*create_file) (void *file_arg);
	void		(*append) (JoinFile *file, const void *data, size_t size);
	void		(*read) (JoinFile *file, uint64_t offset, void *data, size_t size);
	void		(*remove_file) (JoinFile *file);
	void	   *file_arg;

	/*
	 * NULL, or a function that is called now and then to report progress: the
	 * join divides range "number" of n ranges of the fingerprints by a block,
	 * or does task "number" of n tasks of the block.  Numbers are from 1 on.
	 */
	void		(*report) (bool divides, int block, int nblocks, size_t number, size_t n);

	/* The same for pairs of texts that have been compared (core/duplicates/). */
	void		(*report_compared) (uint64_t pairs);
} JoinEnv;

/* Rows that a loop moves or counts between two calls of join_check_interrupts */
#define ROWS_BETWEEN_CHECKS		(1 << 20)

static inline void *
join_alloc(const JoinEnv *env, size_t size)
{
	return env->resize(env->arg, NULL, size == 0 ? 1 : size);
}

static inline void
join_free(const JoinEnv *env, void *ptr)
{
	if (ptr != NULL)
		env->release(env->arg, ptr);
}

static inline void
join_check_interrupts(const JoinEnv *env)
{
	env->check_interrupts(env->arg);
}

#endif							/* SIMHASH_JOIN_ENV_H */
