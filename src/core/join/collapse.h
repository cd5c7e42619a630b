/*-------------------------------------------------------------------------
 *
 * collapse.h
 *		The distinct fingerprints of a set, and the rows of each.
 *
 *-------------------------------------------------------------------------
 */
#ifndef SIMHASH_COLLAPSE_H
#define SIMHASH_COLLAPSE_H

#include <stdint.h>

#include "join_env.h"

/*
 * The rows with fingerprints[i] are rows[starts[i]] up to rows[starts[i + 1]], in the
 * order in which they were given.
 */
typedef struct Collapsed
{
	size_t		n;
	uint64_t   *fps;			/* ascending */
	uint32_t   *starts;
	uint32_t   *rows;
} Collapsed;

extern void simhash_collapse(uint64_t *fps, uint32_t *rows, size_t n,
							 const JoinEnv *env, Collapsed *collapsed);
extern void simhash_collapsed_free(Collapsed *collapsed, const JoinEnv *env);

#endif							/* SIMHASH_COLLAPSE_H */
