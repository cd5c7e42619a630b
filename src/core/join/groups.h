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

/*
 * A method of grouping.  clusters[row] becomes the row that stands for the row's group.
 * "memory" is the number of bytes that the method may use, about.
 */
typedef void (*ClusterMethod) (const Fingerprints *fps, int distance, size_t memory,
							   const JoinEnv *env, uint32_t *clusters);

extern void simhash_components(const Fingerprints *fps, int distance, size_t memory,
							   const JoinEnv *env, uint32_t *clusters);
extern void simhash_stars(const Fingerprints *fps, int distance, size_t memory,
						  const JoinEnv *env, uint32_t *clusters);

#endif							/* SIMHASH_JOIN_CLUSTERS_H */
