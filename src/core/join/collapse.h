/*-------------------------------------------------------------------------
 *
 * collapse.h
 *		The distinct fingerprints of a chunk in memory, and the rows of each.
 *
 *-------------------------------------------------------------------------
 */
#ifndef SIMHASH_COLLAPSE_H
#define SIMHASH_COLLAPSE_H

#include <stdint.h>

#include "fingerprints.h"
#include "join_env.h"

/*
 * Fingerprint i has the row first_rows[i], and the rows from other_rows[starts[i]] to
 * before other_rows[starts[i + 1]].  The rows of a fingerprint are in the order in which
 * the caller gave them.
 */
typedef struct Collapsed
{
	size_t		n;				/* distinct fingerprints */
	uint32_t   *first_rows;		/* in ascending order of the fingerprints */
	uint32_t   *starts;
	uint32_t   *other_rows;		/* behind "starts", in the same memory */
} Collapsed;

extern void simhash_collapse(const Fingerprints *fps, uint32_t *rows, size_t n,
							 const JoinEnv *env, Collapsed *collapsed);
extern void simhash_collapsed_free(Collapsed *collapsed, const JoinEnv *env);

/* The number of rows of a fingerprint */
static inline size_t
collapsed_count(const Collapsed *collapsed, size_t fp)
{
	return 1 + collapsed->starts[fp + 1] - collapsed->starts[fp];
}

/* Row number i of a fingerprint, from 0 on */
static inline uint32_t
collapsed_row(const Collapsed *collapsed, size_t fp, size_t i)
{
	return i == 0 ? collapsed->first_rows[fp] :
		collapsed->other_rows[collapsed->starts[fp] + i - 1];
}

#endif							/* SIMHASH_COLLAPSE_H */
