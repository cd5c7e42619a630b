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

/* Called for each row that belongs to another, the first row of its group */
typedef void (*GroupMember) (void *arg, uint32_t row, uint32_t first);

/*
 * clusters[row] becomes the row that stands for the row's group.  "memory" is the number of
 * bytes that stars may use beside the fingerprints and clusters, about.  Components need
 * JOIN_ROW_BYTES for each row.
 */
extern void simhash_components(const Fingerprints *fps, int distance, const JoinEnv *env,
							   uint32_t *clusters);
extern void simhash_stars(const Fingerprints *fps, int distance, size_t memory,
						  const JoinEnv *env, uint32_t *clusters);

#endif							/* SIMHASH_JOIN_CLUSTERS_H */
