/*-------------------------------------------------------------------------
 *
 * stored_groups.h
 *		Groups of fingerprints in a temporary file that are near each other.
 *
 *-------------------------------------------------------------------------
 */
#ifndef SIMHASH_STORED_GROUPS_H
#define SIMHASH_STORED_GROUPS_H

#include "groups.h"
#include "stored_pairs.h"

extern const PairsSource simhash_serial_pairs;

/* "source" gives the pairs, if the method needs them. */
extern void simhash_stored_components(StoredSet *set, int distance, size_t memory,
									  const JoinEnv *env, const PairsSource *source,
									  GroupMember member, void *arg);
extern void simhash_stored_stars(StoredSet *set, int distance, size_t memory,
								 const JoinEnv *env, const PairsSource *source,
								 GroupMember member, void *arg);

#endif							/* SIMHASH_STORED_GROUPS_H */
