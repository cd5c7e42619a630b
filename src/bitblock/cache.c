/*-------------------------------------------------------------------------
 *
 * cache.c
 *		What a backend remembers of a bitblock index.
 *
 * A query for a small distance reads a dozen pages, and does so little with
 * them that finding them in shared buffers and waiting for memory is most of
 * its time.  So each backend keeps, with its relation cache entry:
 *
 *	- a copy of the roots.  It may be outdated.  A search that lists leaves by
 *	  it loses no more than time by that, as a walk believes the leaves and not
 *	  the list (see walk.c).  A walk that the list led astray has the copies
 *	  forgotten, and so has one over all leaves, which may have been preferred
 *	  because the tree seemed small.
 *
 *	- in which buffer each page was when it was last read.  ReadRecentBuffer
 *	  finds out whether it still is, without the buffer manager's hash table;
 *	  and the page can be asked for from memory before it is needed, even
 *	  before it is pinned, because a prefetch of what is there no more does no
 *	  harm.
 *
 * The latter takes 4 bytes a page and is not made before an index has been
 * scanned a few times, nor for one of more than MAX_SLOTS pages.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "cache.h"
#include "compat.h"
#include "pgstat.h"
#include "utils/memutils.h"

/* Scans before buffers are remembered, a power of two */
#define SCANS_BEFORE_SLOTS		8

/* Pages whose buffers are remembered: a power of two, 4 MB */
#define MAX_SLOTS				(1 << 20)

/*
 * ReadRecentBuffer does not tell the buffer manager that a page is in use, and
 * would have the busiest ones evicted.  One reading in eight does, at random, as
 * the pages of a query come in the same order each time.
 */
static inline bool
is_time_to_tell(uint32 *state)
{
	*state = *state * 1664525 + 1013904223;
	return *state >> 29 == 0;
}

#define CACHE_LINE				64

typedef struct BBCache
{
	BlockNumber blocks;			/* the file has at least so many */
	uint32		scans;
	uint32		readings;		/* state of is_time_to_tell */
	uint32		nslots;			/* a power of two, or 0 */
	bool		have_root[BB_BLOCKS];
	PGAlignedBlock roots[BB_BLOCKS];
	Buffer		slots[FLEXIBLE_ARRAY_MEMBER];	/* by block number */
} BBCache;

/* The cache, with as many slots as there are pages or will be soon */
static void
resize(Relation index, BBCache *old)
{
	BlockNumber blocks = RelationGetNumberOfBlocks(index);
	uint32		nslots = 0;
	BBCache    *cache;

	if (old != NULL && !RelationUsesLocalBuffers(index) && blocks <= MAX_SLOTS)
		for (nslots = 1; nslots < blocks; nslots *= 2)
			;
	if (old != NULL && nslots == old->nslots)
		return;
	cache = MemoryContextAllocZero(index->rd_indexcxt,
								   offsetof(BBCache, slots) + nslots * sizeof(Buffer));
	if (old != NULL)
	{
		memcpy(cache, old, offsetof(BBCache, slots));
		memcpy(cache->slots, old->slots, Min(nslots, old->nslots) * sizeof(Buffer));
		pfree(old);
	}
	cache->blocks = blocks;
	cache->nslots = nslots;
	index->rd_amcache = cache;
}

/*
 * Raises an error unless the index is one that this code can work on.  Once
 * per relation cache entry, which does not survive a new file of the index.
 */
void
bb_check_metapage(Relation index)
{
	if (index->rd_amcache == NULL)
	{
		bb_read_metapage(index);
		resize(index, NULL);
	}
}

/* To be called at the beginning of each scan, after bb_check_metapage. */
void
bb_count_scan(Relation index)
{
	BBCache    *cache = index->rd_amcache;

	if (cache == NULL)
		return;
	cache->scans++;
	if (cache->scans >= SCANS_BEFORE_SLOTS && (cache->scans & (cache->scans - 1)) == 0)
		resize(index, cache);
}

/*
 * Raises an error unless the file has that block.  (Of InvalidBlockNumber the
 * buffer manager would make a new page.)
 */
void
bb_check_block(Relation index, BlockNumber block)
{
	BBCache    *cache = index->rd_amcache;
	BlockNumber blocks;

	if (likely(cache != NULL && block < cache->blocks))
		return;
	blocks = RelationGetNumberOfBlocks(index);
	if (block >= blocks)
		bb_report_corruption(index, block, "a link leads beyond the end of the file");
	if (cache != NULL)
		cache->blocks = blocks;
}

/* Pin a page */
Buffer
bb_pin(Relation index, BlockNumber block)
{
	BBCache    *cache = index->rd_amcache;
	Buffer		buffer;
	Buffer	   *slot;

	bb_check_block(index, block);
	if (cache == NULL || cache->nslots == 0)
		return ReadBuffer(index, block);

	slot = &cache->slots[block & (cache->nslots - 1)];
	if (*slot != InvalidBuffer && !is_time_to_tell(&cache->readings) &&
		read_recent_buffer(index, block, *slot))
	{
		pgstat_count_buffer_read(index);
		pgstat_count_buffer_hit(index);
		return *slot;
	}
	buffer = ReadBuffer(index, block);

	/* reading may have made the relation cache drop what it had */
	cache = index->rd_amcache;
	if (cache != NULL && cache->nslots > 0)
		cache->slots[block & (cache->nslots - 1)] = buffer;
	return buffer;
}

/*
 * Ask for a leaf from memory: for what is at its ends, and for the fingerprints
 * that a search for about that entry will read first.
 */
void
bb_prefetch(Relation index, BlockNumber block, int entry, int lines)
{
	BBCache    *cache = index->rd_amcache;
	Buffer		buffer;
	char	   *page;
	char	   *from;

	if (cache == NULL || cache->nslots == 0)
		return;
	buffer = cache->slots[block & (cache->nslots - 1)];
	if (buffer == InvalidBuffer)
		return;
	page = (char *) BufferGetBlock(buffer);
	prefetch_memory(page);
	prefetch_memory(page + BLCKSZ - 1);
	from = (char *) (BBPageGetPrints((Page) page) + Max(entry - BB_WINDOW_MARGIN, 0));
	for (int line = 0; line < lines; line++)
		prefetch_memory(from + line * CACHE_LINE);
}

/*
 * A copy of a root, as it is or once was; it is good until the next page is
 * read.
 */
Page
bb_root(Relation index, int tree)
{
	BBCache    *cache = index->rd_amcache;
	Buffer		buffer;

	if (cache == NULL || !cache->have_root[tree])
	{
		buffer = bb_read(index, BB_ROOT(tree), BUFFER_LOCK_SHARE);
		bb_check_metapage(index);
		cache = index->rd_amcache;
		memcpy(cache->roots[tree].data, BufferGetPage(buffer), BLCKSZ);
		cache->have_root[tree] = true;
		UnlockReleaseBuffer(buffer);
	}
	return (Page) cache->roots[tree].data;
}

void
bb_forget_roots(Relation index)
{
	BBCache    *cache = index->rd_amcache;

	if (cache != NULL)
		memset(cache->have_root, false, sizeof(cache->have_root));
}
