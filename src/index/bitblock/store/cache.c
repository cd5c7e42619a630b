/*-------------------------------------------------------------------------
 *
 * cache.c
 *		A backend's memory of the bitblock indexes that it searches.
 *
 * A backend remembers copies of roots, and for each page the buffer that the page was in
 * last, its "slot" (README.md, "What a backend remembers").  No result depends on this
 * memory.  A list of leaves that comes from an outdated root is only a hint (see
 * leaf_walk.c), and a slot is verified whenever it is used.
 *
 * The memory of an index has two parts.  The BBToken, a few bytes, belongs to the index's
 * relation cache entry, and may disappear whenever invalidation messages are processed.
 * An insertion makes only the token.  The BBCache belongs to the backend and is found by
 * the index's OID.  When an index gets a new token, the backend forgets its roots,
 * because the index may have a new file, and keeps its slots.  The BBCache of a dropped
 * index eventually becomes the least recently searched one, and is freed when its memory
 * is needed.
 *
 * A pointer to a BBCache or into it is valid until the next call of a function that may
 * forget: bb_count_scan and bb_remember_root.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "cache.h"
#include "lib/ilist.h"
#include "pgstat.h"
#include "promises.h"
#include "server/compat.h"
#include "utils/guc.h"
#include "utils/hsearch.h"
#include "utils/memutils.h"

/*
 * Remember roots after this many searches of an index, and make slots after this many (a
 * power of two).  An index that is searched only once is not worth the memory, and
 * neither is an index that will be forgotten before its next search because many others
 * are searched.
 */
#define SCANS_BEFORE_ROOTS		2
#define SCANS_BEFORE_SLOTS		8

/* Making this many slots takes as much time as slots save in one search */
#define SLOTS_PER_SCAN			2048

/* Pages whose buffers are remembered: a power of two, 4 MB */
#define MAX_SLOTS				(1 << 20)

/*
 * Decide whether the next read should go through the buffer manager.  ReadRecentBuffer
 * does not tell the buffer manager that a page is in use, and the buffer manager would
 * evict the busiest pages.  Therefore one read in sixteen goes through the buffer
 * manager.  The choice is random, because a query that is repeated reads its pages in the
 * same order each time.
 */
static inline bool
is_time_to_tell(uint32 *state)
{
	*state = *state * 1664525 + 1013904223;
	return *state >> 28 == 0;
}

#define CACHE_LINE				64

/* What the backend remembers of one index. */
typedef struct BBCache
{
	Oid			index;			/* key of the hash table */
	uint32		scans;			/* since it was last forgotten */
	uint32		readings;		/* state of is_time_to_tell */
	uint32		nslots;			/* a power of two, or 0 */
	Buffer	   *slots;			/* by page number */
	int			ntrees;
	Page	   *roots;			/* by tree: a copy, or NULL */
	MemoryContext context;		/* of slots and roots */
	Size		size;			/* its share in "used" */
	dlist_node	node;			/* in "recent" */
} BBCache;

/* rd_amcache of an index: one chunk, which the relation cache may free */
typedef struct BBToken
{
	BBTokenHead head;			/* must be first */
	BlockNumber npages;			/* the file has at least this many pages */
	uint64		generation;		/* value when "cache" was looked up */
	BBCache    *cache;			/* or NULL */
} BBToken;

/* simhash.cache_memory, in kilobytes */
static int	cache_memory;

static HTAB *caches = NULL;		/* of BBCache */
static dlist_head recent = DLIST_STATIC_INIT(recent);	/* latest search first */
static Size used = 0;			/* memory of all BBCaches */

/* Changes when a BBCache is freed, so that each token looks up its BBCache again. */
static uint64 generation = 1;

void
bb_define_settings(void)
{
	DefineCustomIntVariable("simhash.cache_memory",
							"Sets the memory in which a session remembers the bitblock indexes that it searches.",
							"0 disables this cache, which makes searches slower.",
							&cache_memory,
							16 * 1024, 0, MAX_KILOBYTES,
							PGC_USERSET, GUC_UNIT_KB,
							NULL, NULL, NULL);
}

/* The memory of an index, or NULL. */
static inline BBCache *
find_cache(Relation index)
{
	BBToken    *token = index->rd_amcache;

	if (token == NULL)
		return NULL;
	if (unlikely(token->generation != generation))
	{
		token->cache = caches == NULL ? NULL :
			hash_search(caches, &RelationGetRelid(index), HASH_FIND, NULL);
		token->generation = generation;
	}
	return token->cache;
}

/* ----------
 * Memory
 * ----------
 */

static void
forget(BBCache *cache)
{
	dlist_delete(&cache->node);
	used -= cache->size;
	MemoryContextDelete(cache->context);
	hash_search(caches, &cache->index, HASH_REMOVE, NULL);
	generation++;
}

/* Update "used" after a change of an index's memory. */
static void
account(BBCache *cache)
{
	used -= cache->size;
	cache->size = sizeof(BBCache) + MemoryContextMemAllocated(cache->context, false);
	used += cache->size;
}

/*
 * Make room for "bytes" more bytes by forgetting indexes, the least recently searched
 * first, and return whether the bytes fit.  They are for the given index, which is never
 * forgotten, or for a new one if cache is NULL.  If the bytes do not fit, indexes are
 * still forgotten until the rest is within the limit, which the user may have lowered.
 */
static bool
forget_for_room(BBCache *cache, Size bytes)
{
	Size		limit = (Size) cache_memory * 1024;
	bool		fits = bytes + (cache != NULL ? cache->size : 0) <= limit;

	if (cache != NULL)
		dlist_move_head(&recent, &cache->node);
	while (used + (fits ? bytes : 0) > limit)
	{
		BBCache    *last = dlist_container(BBCache, node, dlist_tail_node(&recent));

		if (last == cache)
			break;
		forget(last);
	}
	return fits;
}

/* Make a BBCache for an index that has none.  Returns NULL if there is no room. */
static BBCache *
make_cache(Relation index)
{
	BBToken    *token = index->rd_amcache;
	MemoryContext context;
	BBCache    *cache;

	if (!forget_for_room(NULL, sizeof(BBCache) + ALLOCSET_SMALL_INITSIZE))
		return NULL;
	if (caches == NULL)
	{
		HASHCTL		control = {0};

		control.keysize = sizeof(Oid);
		control.entrysize = sizeof(BBCache);
		caches = hash_create("bitblock caches", 64, &control, HASH_ELEM | HASH_BLOBS);
	}

	/* allocate first, so that an out-of-memory error leaves nothing half made */
	context = AllocSetContextCreate(CurrentMemoryContext, "bitblock cache",
									ALLOCSET_SMALL_SIZES);
	MemoryContextCopyAndSetIdentifier(context, RelationGetRelationName(index));
	cache = hash_search(caches, &RelationGetRelid(index), HASH_ENTER, NULL);
	MemoryContextSetParent(context, TopMemoryContext);
	memset((char *) cache + sizeof(Oid), 0, sizeof(BBCache) - sizeof(Oid));
	cache->context = context;
	cache->ntrees = bb_trees(token->head.shape);
	cache->roots = MemoryContextAllocZero(context, cache->ntrees * sizeof(Page));
	dlist_push_head(&recent, &cache->node);
	account(cache);
	token->cache = cache;
	token->generation = generation;
	return cache;
}

/* Make slots for all pages that the index has or will have soon, if they are worth the memory. */
static void
make_slots(Relation index, BBCache *cache)
{
	BBToken    *token = index->rd_amcache;
	uint32		nslots = 0;
	Buffer	   *slots;

	token->npages = RelationGetNumberOfBlocks(index);
	if (BB_MAPS_BUFFERS && !RelationUsesLocalBuffers(index) && token->npages <= MAX_SLOTS)
		for (nslots = 1; nslots < token->npages; nslots *= 2)
			;
	if (nslots == cache->nslots || nslots / SLOTS_PER_SCAN > cache->scans ||
		!forget_for_room(cache, nslots * sizeof(Buffer)))
		return;
	slots = nslots == 0 ? NULL :
		MemoryContextAllocZero(cache->context, nslots * sizeof(Buffer));
	for (uint32 i = 0; i < Min(nslots, cache->nslots); i++)
		slots[i] = cache->slots[i];
	if (cache->slots != NULL)
		pfree(cache->slots);
	cache->slots = slots;
	cache->nslots = nslots;
	account(cache);
}

static void
forget_roots(BBCache *cache)
{
	for (int t = 0; t < cache->ntrees; t++)
		if (cache->roots[t] != NULL)
		{
			pfree(cache->roots[t]);
			cache->roots[t] = NULL;
		}
}

/* ----------
 * Interface
 * ----------
 */

static void
copy_reserved_page(Relation index, BlockNumber blkno, PGAlignedBlock *page)
{
	Buffer		buffer = ReadBuffer(index, blkno);

	LockBuffer(buffer, BUFFER_LOCK_SHARE);
	memcpy(page->data, BufferGetPage(buffer), BLCKSZ);
	UnlockReleaseBuffer(buffer);
}

/*
 * Read and check the metapage.  If the catalog does not give the width, the last reserved
 * page is checked too: it is the first leaf of the last tree only if the width in the
 * metapage, and so the number of trees, is right.
 */
static BBShape
read_metapage(Relation index)
{
	PGAlignedBlock page;
	BBShape		shape;
	BlockNumber npages = RelationGetNumberOfBlocks(index);
	BlockNumber last;

	if (npages <= BB_METAPAGE)
		bb_report_corruption(index, npages, "the file ends here");
	copy_reserved_page(index, BB_METAPAGE, &page);
	shape = bb_check_metapage(index, page.data);
	last = bb_reserved_pages(shape) - 1;
	if (npages <= last)
		bb_report_corruption(index, npages, "the file ends here");
	if (bb_bits_of_type(index) == 0)
	{
		copy_reserved_page(index, last, &page);
		bb_check_page(index, shape, last, page.data);
	}
	return shape;
}

/*
 * Read the shape of an index, and remember it in the relation cache entry.  An index that
 * gets a new file also gets a new relation cache entry.
 */
BBShape
bb_read_shape(Relation index)
{
	BBShape		shape = read_metapage(index);
	BBToken    *token;

	token = MemoryContextAllocZero(index->rd_indexcxt, sizeof(BBToken));
	token->head.shape = shape;
	token->npages = RelationGetNumberOfBlocks(index);
	index->rd_amcache = token;
	if (find_cache(index) != NULL)
	{
		BBCache    *cache = token->cache;

		forget_roots(cache);
		if (cache->ntrees != bb_trees(shape))
			forget(cache);
	}
	return shape;
}

/* Count a scan.  The caller calls this at the beginning of each scan, after bb_shape. */
void
bb_count_scan(Relation index)
{
	BBCache    *cache;

	if (index->rd_amcache == NULL)
		return;
	cache = find_cache(index);
	if (cache == NULL)
		cache = make_cache(index);
	if (cache == NULL)
		return;
	cache->scans++;
	if (cache->scans >= SCANS_BEFORE_SLOTS && (cache->scans & (cache->scans - 1)) == 0)
		make_slots(index, cache);
	else if (!forget_for_room(cache, 0))
		forget(cache);			/* the user has lowered the setting */
}

bool
bb_has_page(Relation index, BlockNumber blkno)
{
	BBToken    *token = index->rd_amcache;
	BlockNumber npages;

	if (likely(token != NULL && blkno < token->npages))
		return true;
	npages = RelationGetNumberOfBlocks(index);
	if (token != NULL)
		token->npages = npages;
	return blkno < npages;
}

/*
 * Note that a page was read from disk, or that a page that was asked for in advance was
 * in shared buffers already (see read_ahead.c).
 */
void
bb_note_reading(Relation index, bool from_disk)
{
	BBToken    *token = index->rd_amcache;

	if (token == NULL)
		return;
	if (from_disk)
		token->head.cold = BB_COLD_ASKS;
	else if (token->head.cold > 0)
		token->head.cold--;
}

/*
 * Pin a page without using its slot, and note whether it was read from disk.  The file
 * must have the page.
 */
Buffer
bb_pin_with(Relation index, BlockNumber blkno, BufferAccessStrategy strategy)
{
	int64		before = bb_pages_read();
	Buffer		buffer = ReadBufferExtended(index, MAIN_FORKNUM, blkno, RBM_NORMAL, strategy);

	if (unlikely(bb_pages_read() != before))
		bb_note_reading(index, true);
	return buffer;
}

/* Pin a page, without a lock.  Raises an error if the file does not have it. */
Buffer
bb_pin(Relation index, BlockNumber blkno)
{
	BBCache    *cache = find_cache(index);
	Buffer		buffer;
	Buffer	   *slot;

	/* for InvalidBlockNumber the buffer manager would make a new page */
	if (unlikely(!bb_has_page(index, blkno)))
		bb_report_corruption(index, blkno, "link beyond the end of the file");
	if (cache == NULL || cache->nslots == 0)
		return bb_pin_with(index, blkno, NULL);

	slot = &cache->slots[blkno & (cache->nslots - 1)];
	if (*slot != InvalidBuffer && !is_time_to_tell(&cache->readings) &&
		read_recent_buffer(index, blkno, *slot))
	{
		pgstat_count_buffer_read(index);
		pgstat_count_buffer_hit(index);
		return *slot;
	}
	buffer = bb_pin_with(index, blkno, NULL);

	/* the read may have processed invalidations, which free the token */
	cache = find_cache(index);
	if (cache != NULL && cache->nslots > 0)
		cache->slots[blkno & (cache->nslots - 1)] = buffer;
	return buffer;
}

/*
 * Prefetch into the processor's cache the header of the buffer that a page was in last,
 * and the two ends of the page.  Returns the contents of that buffer, which may be
 * another page by now, or NULL if the backend does not know the buffer.
 */
static char *
prefetch_ends(Relation index, BlockNumber blkno)
{
	BBCache    *cache = find_cache(index);
	Buffer		buffer;
	char	   *page;

	if (!BB_PREFETCHES || cache == NULL || cache->nslots == 0)
		return NULL;
	buffer = cache->slots[blkno & (cache->nslots - 1)];
	if (buffer == InvalidBuffer)
		return NULL;
	prefetch_buffer_header(buffer);
	page = (char *) BufferGetBlock(buffer);
	prefetch_memory(page);
	prefetch_memory(page + BLCKSZ - 1);
	return page;
}

/*
 * Prefetch a leaf from memory: its two ends, and the "lines" lines of windows around
 * "entry", which a search will read first.
 */
void
bb_prefetch(Relation index, BlockNumber blkno, int entry, int lines)
{
	char	   *page = prefetch_ends(index, blkno);
	char	   *from;

	if (page == NULL)
		return;
	from = (char *) (BBPageGetWords((Page) page) + Max(entry - BB_READ_MARGIN, 0));
	for (int line = 0; line < lines; line++)
		prefetch_memory(from + line * CACHE_LINE);
}

/* Prefetch the TID and the words of one entry of a row tree's leaf. */
void
bb_prefetch_row_at(Relation index, BBShape shape, BlockNumber blkno, int entry)
{
	char	   *page = prefetch_ends(index, blkno);
	char	   *from;

	if (page == NULL)
		return;
	prefetch_memory(page + BLCKSZ - MAXALIGN(sizeof(BBPageOpaqueData)) -
					(entry + 1) * BB_REST_SIZE(bb_is_tagged(shape), 0));
	from = (char *) (BBPageGetWords((Page) page) + entry * shape.words);
	for (int line = 0; line * CACHE_LINE < shape.words * (int) sizeof(uint64); line++)
		prefetch_memory(from + line * CACHE_LINE);
}

/*
 * Return the remembered copy of a root, which may be outdated, or NULL.  The copy lacks
 * the free space of the page.
 */
Page
bb_remembered_root(Relation index, int tree)
{
	BBCache    *cache = find_cache(index);

	return cache != NULL ? cache->roots[tree] : NULL;
}

/* Remember a root if that is worth the memory.  The caller has locked the root. */
void
bb_remember_root(Relation index, int tree, Page page)
{
	BBCache    *cache = find_cache(index);
	PageHeader	header = (PageHeader) page;
	int			hole = (header->pd_upper - header->pd_lower) / MAXIMUM_ALIGNOF * MAXIMUM_ALIGNOF;
	Page		copy;

	if (cache == NULL || cache->roots[tree] != NULL ||
		cache->scans < SCANS_BEFORE_ROOTS || !forget_for_room(cache, BLCKSZ - hole))
		return;

	/* leave out the page's hole between pd_lower and pd_upper */
	copy = MemoryContextAlloc(cache->context, BLCKSZ - hole);
	memcpy(copy, page, header->pd_upper - hole);
	memcpy((char *) copy + header->pd_upper - hole, (char *) page + header->pd_upper,
		   BLCKSZ - header->pd_upper);
	((PageHeader) copy)->pd_upper -= hole;
	((PageHeader) copy)->pd_special -= hole;
	cache->roots[tree] = copy;
	account(cache);
}

void
bb_forget_roots(Relation index)
{
	BBCache    *cache = find_cache(index);

	if (cache != NULL)
		forget_roots(cache);
}
