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
#include "star_links.h"

/*
 * Find the groups of a set in about "memory" bytes.  "source" provides the pairs, if the method
 * needs them.  The rows of the set are numbered from 0 on, in ascending order.
 */
typedef void FindGroups(FingerprintSet *set, int distance, size_t memory,
						const PairsSource *source, GroupMember member, void *arg);

/* Connected components: rows that a chain of near fingerprints connects. */
extern FindGroups core_components;

/* Each row belongs to the first keeper within the distance, or else is a keeper itself. */
extern FindGroups core_stars;

/* Like core_stars, for rows that also belong to each other by a rule. */
extern void core_stars_by_rule(FingerprintSet *set, int distance, size_t memory,
							   const PairsSource *source,
							   const StarRule *rule, GroupMember member, void *arg);

#endif							/* SIMHASH_JOIN_GROUPS_H */
