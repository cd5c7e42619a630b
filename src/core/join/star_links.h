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
#include "groups.h"

/*
 * Links are SHORT_NUMBERS.  A link of a row to an earlier one is an edge.  A link of a row to a
 * later one says that the later row belongs to the row's star, and has no other links.
 *
 * Rows are below "nrows".  Each row joins the earliest keeper to which it has an edge; "member"
 * is called for it.  A row without such an edge is a keeper.  Calls are in the order of rows,
 * and those for a row's later rows come after the row's own.  The function finishes the sort.
 */
extern void simhash_star_of_links(ExternalSort *links, uint64_t nrows, size_t memory,
								  const JoinEnv *env, GroupMember member, void *arg);

#endif							/* SIMHASH_STAR_LINKS_H */
