/*-------------------------------------------------------------------------
 *
 * groups.h
 *		Groups of rows whose fingerprints are near each other: components.c, stars.c and
 *		star_links.c.
 *
 *-------------------------------------------------------------------------
 */
#ifndef SIMHASH_JOIN_GROUPS_H
#define SIMHASH_JOIN_GROUPS_H

#include "../store/external_sort.h"
#include "../join/near_pairs.h"

/*
 * Called for each row that belongs to the group of an earlier row, which is the first of its group.
 */
typedef void (*GroupMember) (void *arg, uint32_t row, uint32_t first);

/*
 * Find the groups of a set in about "memory" bytes.  "source" provides the pairs, if the method
 * needs them.  The rows of the set are numbered from 0 on, in ascending order.
 */
typedef void FindGroups(FingerprintSet *set, int distance, size_t memory,
						const PairsSource *source, GroupMember member, void *arg);

/* Connected components: rows that a chain of near fingerprints connects. */
extern FindGroups core_components;

/*
 * Like core_components, but only the components of new rows, connected by near rows of which one is
 * new.  A row is new if is_new[row] is true.
 */
extern void core_components_of_new(FingerprintSet *set, const bool *is_new, int distance, size_t memory,
								   const PairsSource *source, GroupMember member, void *arg);

/* Each row belongs to the first keeper within the distance, or else is a keeper itself. */
extern FindGroups core_stars;

/*
 * Whether a row belongs to the star of an earlier one near it.  "may_belong" is fast, and is called
 * for pairs of any rows.  "belongs" is called for pairs that may belong, whose earlier row is a
 * keeper.  Each row is compared with such keepers in their order, up to the first one to which it
 * belongs, and with none of them twice.  So the answers may depend on those before.
 */
typedef struct StarRule
{
	bool		(*may_belong) (void *arg, uint32_t earlier, uint32_t row);
	bool		(*belongs) (void *arg, uint32_t keeper, uint32_t row);
	void	   *arg;
} StarRule;

/* Like core_stars, for rows that also belong to each other by a rule, unless it is NULL. */
extern void core_stars_by_rule(FingerprintSet *set, int distance, size_t memory,
							   const StarRule *rule, GroupMember member, void *arg);

/*
 * Make the stars of rows below "nrows".  The function finishes the sort of the links, which are
 * SHORT_NUMBERS.  A link of a row to an earlier one is an edge.  A link of a row to a later one says
 * that the later row belongs to the same star, and has no other links.
 *
 * Each row joins the earliest keeper to which it has an edge.  A row without such a keeper is a
 * keeper itself.  "member" is called for the rows that join, in their order, and after each for the
 * later rows to which it has links.
 */
extern void core_star_of_links(ExternalSort *links, uint64_t nrows, const Env *env,
							   GroupMember member, void *arg);

#endif							/* SIMHASH_JOIN_GROUPS_H */
