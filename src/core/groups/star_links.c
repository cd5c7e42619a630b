/*-------------------------------------------------------------------------
 *
 * star_links.c
 *		Stars of rows by the links between them.
 *
 * The links are sorted by the later row.  A pass over them finds the keepers in ascending order.
 * It remembers one bit for each row: whether the row belongs to an earlier keeper.
 *
 *-------------------------------------------------------------------------
 */
#include <string.h>

#include "groups.h"

/* The array of bits is allocated whatever memory there is. */
void
core_star_of_links(ExternalSort *links, uint64_t nrows, const Env *env, GroupMember member,
				   void *arg)
{
	/*
	 * The links are in the order of their rows, and those of a row to earlier
	 * rows come before those to later rows.  So when a row is reached, it is
	 * known of each earlier row whether it is a member of another star.  The
	 * row belongs to the earliest of the linked rows that are not.  Then its
	 * later rows, which equal it, have the same keeper.
	 */
	size_t		bytes = (size_t) (nrows / 8 + 1);
	uint8_t    *members = env_alloc(env, bytes);
	uint64_t	next;
	uint64_t	other;
	bool		any;

	memset(members, 0, bytes);
	core_external_sort_finish(links);
	any = core_external_sort_next(links, &next, &other);
	while (any)
	{
		uint32_t	row = (uint32_t) next;
		uint32_t	keeper = row;

		for (; any && next == row && other < row; any = core_external_sort_next(links, &next, &other))
			if (other < keeper && (members[other / 8] >> other % 8 & 1) == 0)
				keeper = (uint32_t) other;
		if (keeper != row)
		{
			members[row / 8] |= (uint8_t) (1 << row % 8);
			member(arg, row, keeper);
		}
		for (; any && next == row; any = core_external_sort_next(links, &next, &other))
			member(arg, (uint32_t) other, keeper);
	}
	env_free(env, members);
}
