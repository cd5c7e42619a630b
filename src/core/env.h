/*-------------------------------------------------------------------------
 *
 * env.h
 *		What src/core/ needs from the program around it: memory, interrupts, errors, a secret
 *		and temporary files.
 *
 * All other files of src/core/ are plain C and independent of PostgreSQL.
 *
 *-------------------------------------------------------------------------
 */
#ifndef SIMHASH_ENV_H
#define SIMHASH_ENV_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A temporary file.  The program defines it. */
typedef struct JoinFile JoinFile;

typedef struct Env
{
	/* Like realloc, but if there is no memory, the function does not return. */
	void	   *(*resize) (void *arg, void *ptr, size_t size);

	/* Not called with NULL. */
	void		(*release) (void *arg, void *ptr);

	/*
	 * Called every few milliseconds, and at least once per 64 kB of text. The
	 * function may longjmp: its callers hold no resource except memory from
	 * resize and files.
	 */
	void		(*check_interrupts) (void *arg);

	/*
	 * Reports why a function cannot continue, and whether memory was short.
	 * Does not return.
	 */
	void		(*fail) (void *arg, bool out_of_memory, const char *message);

	/* The argument of the functions above. */
	void	   *arg;

	/*
	 * A random number that decides the place of features in the set of
	 * distinct features.  So nobody can craft texts that make the search for
	 * features slow.  Results do not depend on the number.
	 */
	uint64_t	salt;

	/*
	 * Temporary files, which are appended to, and read at any offset.  These
	 * functions do not return after an error.  After a longjmp the program
	 * removes the files that still exist.
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
} Env;

/* Steps of a loop between two checks for interrupts */
#define STEPS_BETWEEN_CHECKS	32768

static inline void *
env_resize(const Env *env, void *ptr, size_t size)
{
	return env->resize(env->arg, ptr, size);
}

static inline void *
env_alloc(const Env *env, size_t size)
{
	return env->resize(env->arg, NULL, size == 0 ? 1 : size);
}

static inline void
env_free(const Env *env, void *ptr)
{
	if (ptr != NULL)
		env->release(env->arg, ptr);
}

static inline void
check_interrupts(const Env *env)
{
	env->check_interrupts(env->arg);
}

/* Check for interrupts now and then in a loop whose steps have successive numbers. */
static inline void
tick(const Env *env, uint64_t step)
{
	if ((step + 1) % STEPS_BETWEEN_CHECKS == 0)
		check_interrupts(env);
}

/* Check for interrupts now and then.  *steps are the steps since the last check, and n more follow. */
static inline void
count_steps(const Env *env, size_t *steps, size_t n)
{
	*steps += n;
	if (*steps >= STEPS_BETWEEN_CHECKS)
	{
		*steps = 0;
		check_interrupts(env);
	}
}

#endif							/* SIMHASH_ENV_H */
