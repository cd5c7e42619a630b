/*-------------------------------------------------------------------------
 *
 * cache.h
 *		A backend's memory of the bitblock indexes that it searches.
 *
 *-------------------------------------------------------------------------
 */
#ifndef BITBLOCK_CACHE_H
#define BITBLOCK_CACHE_H

#include "executor/instrument.h"
#include "page.h"
#include "storage/bufmgr.h"

/* Read the shape of an index, and remember it. */
extern BBShape bb_read_shape(Relation index);

/*
 * The shape of an index.  Raises an error if this code cannot work on the index.
 * rd_amcache belongs to cache.c and begins with the shape.
 */
static inline BBShape
bb_shape(Relation index)
{
	return likely(index->rd_amcache != NULL) ? *(BBShape *) index->rd_amcache :
		bb_read_shape(index);
}

/*
 * The number of cache lines to prefetch for one block value, and for a whole leaf.  The
 * processor notices that a leaf is read in sequence, and prefetches its other lines
 * itself.
 */
#define BB_PREFETCH_VALUE		8
#define BB_PREFETCH_LEAF		16

/* Stop asking for pages in advance after this many pages in a row were already in shared buffers */
#define BB_COLD_ASKS			64

/* Define the settings of the index. */
extern void bb_define_settings(void);

/* Count a scan of the index. */
extern void bb_count_scan(Relation index);

/* Does the file have that page? */
extern bool bb_has_page(Relation index, BlockNumber blkno);

/* Pin a page, without a lock. */
extern Buffer bb_pin(Relation index, BlockNumber blkno);

/* Pin a page by a buffer access strategy, without a lock. */
extern Buffer bb_pin_with(Relation index, BlockNumber blkno, BufferAccessStrategy strategy);

/* Prefetch a leaf from memory to the processor's cache. */
extern void bb_prefetch(Relation index, BlockNumber blkno, int entry, int lines);

/* Prefetch an entry of a row tree's leaf from memory to the processor's cache. */
extern void bb_prefetch_row_at(Relation index, BBShape shape, BlockNumber blkno, int entry);

/* Return the remembered copy of a root, or NULL. */
extern Page bb_remembered_root(Relation index, int tree);

/* Remember a copy of a root if that is worth the memory. */
extern void bb_remember_root(Relation index, int tree, Page page);

/* Forget the copies of the roots. */
extern void bb_forget_roots(Relation index);

/* Note whether a page was read from disk. */
extern void bb_note_reading(Relation index, bool from_disk);

/* The part of rd_amcache that other files may read; cache.c has the rest. */
typedef struct BBTokenHead
{
	BBShape		shape;			/* must be first, see bb_shape */

	/*
	 * how many more pages may be found in shared buffers before the backend
	 * stops asking in advance; 0: the index is not cold
	 */
	int			cold;
} BBTokenHead;

/* Should a backend ask for pages of the index before it reads them?  See read_ahead.c. */
static inline bool
bb_is_cold(Relation index)
{
	const BBTokenHead *head = index->rd_amcache;

	return head != NULL && head->cold > 0;
}

/* The number of pages that this backend has read because they were not in its buffers. */
static inline int64
bb_pages_read(void)
{
	return pgBufferUsage.shared_blks_read + pgBufferUsage.local_blks_read;
}

#endif							/* BITBLOCK_CACHE_H */
