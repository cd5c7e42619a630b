/*-------------------------------------------------------------------------
 *
 * text_env.h
 *		The interface of the text functions to their environment: memory, interrupts, errors,
 *		and a secret. All other files in this directory are plain C and independent of
 *		PostgreSQL.
 *
 *-------------------------------------------------------------------------
 */
#ifndef SIMHASH_TEXT_ENV_H
#define SIMHASH_TEXT_ENV_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct TextEnv
{
	/*
	 * Like realloc, but never returns NULL: if there is no memory, the
	 * function does not return.
	 */
	void	   *(*resize) (void *arg, void *ptr, size_t size);
	void		(*release) (void *arg, void *ptr);

	/*
	 * Called at least once per 64 kB of text.  The function may longjmp: its
	 * callers hold no resource except memory from resize.
	 */
	void		(*check_interrupts) (void *arg);

	/*
	 * Reports why a function cannot continue, and whether memory was short.
	 * Does not return.
	 */
	void		(*fail) (void *arg, bool out_of_memory, const char *message);
	void	   *arg;			/* argument of the functions above */

	/*
	 * A random number that decides the place of features in the set of
	 * distinct features.  So nobody can craft texts that make the search for
	 * features slow.  Results do not depend on the number.
	 */
	uint64_t	salt;
} TextEnv;

#endif
