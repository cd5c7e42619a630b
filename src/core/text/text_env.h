/*
 * The text functions' interface to their surroundings: memory, a way to be
 * interrupted, and a secret.  All other files in this directory are plain C
 * and do not know PostgreSQL.
 */
#ifndef SIMHASH_TEXT_ENV_H
#define SIMHASH_TEXT_ENV_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct TextEnv
{
	/*
	 * Like realloc, but never returns NULL: without memory it does not
	 * return.
	 */
	void	   *(*resize) (void *arg, void *ptr, size_t size);
	void		(*release) (void *arg, void *ptr);

	/*
	 * Called at least once per 64 kB of text.  It may longjmp: whoever calls
	 * it holds nothing but memory got from resize.
	 */
	void		(*check_interrupts) (void *arg);

	/*
	 * What cannot go on says why here, and whether memory was short.  It does
	 * not return either.
	 */
	void		(*fail) (void *arg, bool out_of_memory, const char *message);
	void	   *arg;			/* for the four above */

	/*
	 * Random number that places features in the hash index of those already
	 * seen, so that nobody can craft texts that make it slow.  Results do not
	 * depend on it.
	 */
	uint64_t	salt;
} TextEnv;

#endif
