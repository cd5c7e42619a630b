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
#include <stdlib.h>
#include <string.h>

#include "star_links.h"

#ifndef JOIN_TEST_SIZES
#define PAGE_BYTES	8192
#else
#define PAGE_BYTES	2
#endif
#define PAGE_ROWS	(PAGE_BYTES * 8)

/*
 * Which rows are members of an earlier row's star: bits that are set in the order of rows.
 * Pages of bits are in slots of memory and, if there are more pages than slots, in a file.
 */
typedef struct Members
{
	const Env  *env;
	unsigned char present[PAGE_BYTES];
	uint32_t	page;			/* the current page */
	uint32_t	nslots;
	bool		all;			/* are there slots for all pages? */
	unsigned char *slots;
	uint32_t   *pages;			/* of the slots */
	JoinFile   *file;
} Members;

static void
begin_members(Members *members, uint64_t nrows, size_t memory, const Env *env)
{
	uint64_t	npages = nrows / PAGE_ROWS + 1;
	size_t		most = memory / PAGE_BYTES + 1;

	memset(members, 0, sizeof(Members));
	members->env = env;
	members->all = npages <= most;
	members->nslots = (uint32_t) (members->all ? npages : most);
	members->slots = env_alloc(env, (size_t) members->nslots * PAGE_BYTES);
	members->pages = env_alloc(env, members->nslots * sizeof(uint32_t));
	memset(members->pages, 0xff, members->nslots * sizeof(uint32_t));
	if (!members->all)
		members->file = env->create_file(env->file_arg);
}

static void
end_members(Members *members)
{
	if (members->file != NULL)
		members->env->remove_file(members->file);
	env_free(members->env, members->slots);
	env_free(members->env, members->pages);
}

/* Note that a row is a member.  Row numbers ascend from call to call. */
static void
add_member(Members *members, uint32_t row)
{
	for (; members->page < row / PAGE_ROWS; members->page++)
	{
		uint32_t	slot = members->page % members->nslots;

		memcpy(members->slots + (size_t) slot * PAGE_BYTES, members->present, PAGE_BYTES);
		members->pages[slot] = members->page;
		if (!members->all)
			members->env->append(members->file, members->present, PAGE_BYTES);
		memset(members->present, 0, PAGE_BYTES);
		check_interrupts(members->env);
	}
	members->present[row % PAGE_ROWS / 8] |= (unsigned char) (1 << row % 8);
}

static bool
is_member(Members *members, uint32_t row)
{
	uint32_t	page = row / PAGE_ROWS;
	uint32_t	slot = page % members->nslots;
	const unsigned char *bits = members->slots + (size_t) slot * PAGE_BYTES;

	/* no row of a later page is a member yet */
	if (page > members->page)
		return false;
	if (page == members->page)
		bits = members->present;
	else if (members->pages[slot] != page)
	{
		members->env->read(members->file, (uint64_t) page * PAGE_BYTES,
						   members->slots + (size_t) slot * PAGE_BYTES, PAGE_BYTES);
		members->pages[slot] = page;
		check_interrupts(members->env);
	}
	return (bits[row % PAGE_ROWS / 8] >> row % 8 & 1) != 0;
}

/* An array of rows that grows as needed. */
typedef struct EarlierRows
{
	uint32_t   *rows;
	size_t		n;
	size_t		room;
} EarlierRows;

static void
add_row(EarlierRows *earlier, uint32_t row, const Env *env)
{
	if (earlier->n == earlier->room)
	{
		earlier->room = 2 * earlier->room + 64;
		earlier->rows = env_resize(env, earlier->rows, earlier->room * sizeof(uint32_t));
	}
	earlier->rows[earlier->n++] = row;
}

/* The first of the keepers to which the row belongs, or else the row itself. */
static uint32_t
first_by_rule(EarlierRows *keepers, uint32_t row, const StarRule *rule, const Env *env)
{
	if (keepers->n > 0)
		qsort(keepers->rows, keepers->n, sizeof(uint32_t), compare_rows);
	for (size_t i = 0; i < keepers->n; i++)
	{
		check_interrupts(env);
		if (rule->belongs(rule->arg, keepers->rows[i], row))
			return keepers->rows[i];
	}
	return row;
}

static void
find_keepers(ExternalSort *links, Members *members, const StarRule *rule, GroupMember member,
			 void *arg)
{
	/*
	 * The links are in the order of their rows, and those of a row to earlier
	 * rows come before those to later rows.  So when a row is reached, it is
	 * known of each earlier row whether it is a member of another star.  The
	 * row belongs to the earliest of the linked rows that are not.  Then its
	 * later rows, which equal it, have the same keeper.
	 */
	EarlierRows near = {NULL, 0, 0};
	uint64_t	next;
	uint64_t	other;
	bool		any = core_external_sort_next(links, &next, &other);

	while (any)
	{
		uint32_t	row = (uint32_t) next;
		uint32_t	keeper = row;

		for (; any && next == row && other < row; any = core_external_sort_next(links, &next, &other))
		{
			if ((rule == NULL && other >= keeper) || is_member(members, (uint32_t) other))
				continue;
			if (rule == NULL)
				keeper = (uint32_t) other;
			else
				add_row(&near, (uint32_t) other, members->env);
		}
		if (rule != NULL)
			keeper = first_by_rule(&near, row, rule, members->env);
		near.n = 0;
		if (keeper != row)
		{
			add_member(members, row);
			member(arg, row, keeper);
		}
		for (; any && next == row; any = core_external_sort_next(links, &next, &other))
			member(arg, (uint32_t) other, keeper);
	}
	env_free(members->env, near.rows);
}

void
core_star_of_links(ExternalSort *links, uint64_t nrows, size_t memory, const Env *env,
				   const StarRule *rule, GroupMember member, void *arg)
{
	Members		members;

	core_external_sort_finish(links);
	begin_members(&members, nrows, memory, env);
	find_keepers(links, &members, rule, member, arg);
	end_members(&members);
}
