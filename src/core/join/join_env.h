/*-------------------------------------------------------------------------
 *
 * join_env.h
 *		The join's interface to its surroundings: memory, and a way to be
 *		interrupted.  This directory is plain C and does not know PostgreSQL.
 *
 *-------------------------------------------------------------------------
 */
#ifndef SIMHASH_JOIN_ENV_H
#define SIMHASH_JOIN_ENV_H

#include <stddef.h>

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
	 * the join holds nothing but memory from resize.
	 */
	void		(*check_interrupts) (void *arg);
	void	   *arg;			/* for the three above */
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
