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

#include "fingerprints.h"
#include "join_env.h"

/*
 * The rows of fingerprint i, in the order in which they were given, are first_rows[i]
 * and then other_rows[starts[i]] up to other_rows[starts[i + 1]].
 */
typedef struct Collapsed
{
	size_t		n;
	uint32_t   *first_rows;		/* in ascending order of the fingerprints */
	uint32_t   *starts;
	uint32_t   *other_rows;		/* behind "starts", in the same memory */
} Collapsed;

extern void simhash_collapse(const Fingerprints *fps, uint32_t *rows, size_t n,
							 const JoinEnv *env, Collapsed *collapsed);
extern void simhash_collapsed_free(Collapsed *collapsed, const JoinEnv *env);

static inline size_t
collapsed_count(const Collapsed *collapsed, size_t fp)
{
	return 1 + collapsed->starts[fp + 1] - collapsed->starts[fp];
}

/* The row with number i of those of a fingerprint */
static inline uint32_t
collapsed_row(const Collapsed *collapsed, size_t fp, size_t i)
{
	return i == 0 ? collapsed->first_rows[fp] :
		collapsed->other_rows[collapsed->starts[fp] + i - 1];
}

#endif							/* SIMHASH_COLLAPSE_H */
