/*-------------------------------------------------------------------------
 *
 * star_links.c
 *		Stars of rows by the links between them.
 *
 * The links are sorted by the later row.  A pass over them knows which of the
 * earlier rows are keepers, by a bit a row.
 *
 *-------------------------------------------------------------------------
 */
#include <string.h>

#include "star_links.h"

#ifndef JOIN_TEST_SIZES
#define PAGE_BYTES	8192
#else
#define PAGE_BYTES	2
#endif
#define PAGE_ROWS	(PAGE_BYTES * 8)

/*
 * Which rows have owners: bits that are set in the order of rows.  Pages of bits are in
 * slots of memory and, if there are more pages than slots, in a file.
 */
typedef struct OwnedRows
{
	const JoinEnv *env;
	unsigned char present[PAGE_BYTES];
	uint32_t	page;			/* the present page */
	uint32_t	nslots;
	bool		all;			/* are there slots for all pages? */
	unsigned char *slots;
	uint32_t   *pages;			/* of the slots */
	JoinFile   *file;
} OwnedRows;

static void
begin_owned(OwnedRows *owned, uint64_t nrows, size_t memory, const JoinEnv *env)
{
	uint64_t	npages = nrows / PAGE_ROWS + 1;
	size_t		most = memory / PAGE_BYTES + 1;

	memset(owned, 0, sizeof(OwnedRows));
	owned->env = env;
	owned->all = npages <= most;
	owned->nslots = (uint32_t) (owned->all ? npages : most);
	owned->slots = join_alloc(env, (size_t) owned->nslots * PAGE_BYTES);
	owned->pages = join_alloc(env, owned->nslots * sizeof(uint32_t));
	memset(owned->pages, 0xff, owned->nslots * sizeof(uint32_t));
	if (!owned->all)
		owned->file = env->create_file(env->file_arg);
}

static void
end_owned(OwnedRows *owned)
{
	if (owned->file != NULL)
		owned->env->remove_file(owned->file);
	join_free(owned->env, owned->slots);
	join_free(owned->env, owned->pages);
}

/* Row numbers ascend from call to call. */
static void
set_owned(OwnedRows *owned, uint32_t row)
{
	for (; owned->page < row / PAGE_ROWS; owned->page++)
	{
		uint32_t	slot = owned->page % owned->nslots;

		memcpy(owned->slots + (size_t) slot * PAGE_BYTES, owned->present, PAGE_BYTES);
		owned->pages[slot] = owned->page;
		if (!owned->all)
			owned->env->append(owned->file, owned->present, PAGE_BYTES);
		memset(owned->present, 0, PAGE_BYTES);
		join_check_interrupts(owned->env);
	}
	owned->present[row % PAGE_ROWS / 8] |= (unsigned char) (1 << row % 8);
}

static bool
is_owned(OwnedRows *owned, uint32_t row)
{
	uint32_t	page = row / PAGE_ROWS;
	uint32_t	slot = page % owned->nslots;
	const unsigned char *bits = owned->slots + (size_t) slot * PAGE_BYTES;

	/* no row of a later page has an owner yet */
	if (page > owned->page)
		return false;
	if (page == owned->page)
		bits = owned->present;
	else if (owned->pages[slot] != page)
	{
		owned->env->read(owned->file, (uint64_t) page * PAGE_BYTES,
						 owned->slots + (size_t) slot * PAGE_BYTES, PAGE_BYTES);
		owned->pages[slot] = page;
		join_check_interrupts(owned->env);
	}
	return (bits[row % PAGE_ROWS / 8] >> row % 8 & 1) != 0;
}

static void
find_owners(NumberSort *links, OwnedRows *owned, GroupMember member, void *arg)
{
	uint64_t	next;
	uint64_t	other;
	bool		any = simhash_number_sort_next(links, &next, &other);

	while (any)
	{
		uint32_t	row = (uint32_t) next;
		uint32_t	owner = row;

		for (; any && next == row && other < row; any = simhash_number_sort_next(links, &next, &other))
			if (other < owner && !is_owned(owned, (uint32_t) other))
				owner = (uint32_t) other;
		if (owner != row)
		{
			set_owned(owned, row);
			member(arg, row, owner);
		}
		for (; any && next == row; any = simhash_number_sort_next(links, &next, &other))
			member(arg, (uint32_t) other, owner);
	}
}

void
simhash_star_of_links(NumberSort *links, uint64_t nrows, size_t memory, const JoinEnv *env,
					  GroupMember member, void *arg)
{
	OwnedRows	owned;

	simhash_number_sort_finish(links);
	begin_owned(&owned, nrows, memory, env);
	find_owners(links, &owned, member, arg);
	end_owned(&owned);
}
