/*-------------------------------------------------------------------------
 *
 * groups.h
 *		Groups of rows whose fingerprints are near each other.
 *
 *-------------------------------------------------------------------------
 */
#ifndef SIMHASH_JOIN_CLUSTERS_H
#define SIMHASH_JOIN_CLUSTERS_H

#include <stdint.h>

#include "fingerprints.h"
#include "join_env.h"

/* The kinds of groups; the result is, for each row, a row of its group. */
typedef void (*ClusterMethod) (const Fingerprints *fps, int distance, size_t memory,
							   const JoinEnv *env, uint32_t *clusters);

extern void simhash_components(const Fingerprints *fps, int distance, size_t memory,
							   const JoinEnv *env, uint32_t *clusters);
extern void simhash_stars(const Fingerprints *fps, int distance, size_t memory,
						  const JoinEnv *env, uint32_t *clusters);

#endif							/* SIMHASH_JOIN_CLUSTERS_H */
