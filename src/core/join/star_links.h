/*-------------------------------------------------------------------------
 *
 * star_links.h
 *		Stars of rows by the links between them.
 *
 *-------------------------------------------------------------------------
 */
#ifndef SIMHASH_STAR_LINKS_H
#define SIMHASH_STAR_LINKS_H

#include "external_sort.h"

/*
 * Called for each row that belongs to the group of an earlier row, which is the first of its group.
 */
typedef void (*GroupMember) (void *arg, uint32_t row, uint32_t first);

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

/* Compare rows for qsort. */
static inline int
compare_rows(const void *a, const void *b)
{
	uint32_t	x = *(const uint32_t *) a;
	uint32_t	y = *(const uint32_t *) b;

	return x < y ? -1 : x > y;
}

/*
 * Make the stars of rows below "nrows".  The function finishes the sort of the links, which are
 * SHORT_NUMBERS.  A link of a row to an earlier one is an edge.  A link of a row to a later one says
 * that the later row belongs to the same star, and has no other links.
 *
 * Each row joins the earliest keeper to which it has an edge and, if there is a rule, to which it
 * belongs by the rule.  A row without such a keeper is a keeper itself.  "member" is called for the
 * rows that join, in their order, and after each for the later rows to which it has links.
 */
extern void core_star_of_links(ExternalSort *links, uint64_t nrows, size_t memory,
							   const Env *env, const StarRule *rule, GroupMember member,
							   void *arg);

#endif							/* SIMHASH_STAR_LINKS_H */
