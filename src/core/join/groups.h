/*-------------------------------------------------------------------------
 *
 * groups.h
 *		Groups of rows whose fingerprints are near each other: components.c and stars.c.
 *
 *-------------------------------------------------------------------------
 */
#ifndef SIMHASH_JOIN_GROUPS_H
#define SIMHASH_JOIN_GROUPS_H

#include "near_pairs.h"

/*
 * Called for each row that belongs to the group of an earlier row, which is the first of its group.
 */
typedef void (*GroupMember) (void *arg, uint32_t row, uint32_t first);

/*
 * Find the groups of a set in about "memory" bytes.  "source" provides the pairs, if the method
 * needs them.  The rows of the set are numbered from 0 on, in ascending order.
 */
typedef void FindGroups(FingerprintSet *set, int distance, size_t memory, const JoinEnv *env,
						const PairsSource *source, GroupMember member, void *arg);

/* Connected components: rows that a chain of near fingerprints connects. */
extern FindGroups simhash_components;

/* Each row belongs to the first keeper within the distance, or else is a keeper itself. */
extern FindGroups simhash_stars;

#endif							/* SIMHASH_JOIN_GROUPS_H */
