/*-------------------------------------------------------------------------
 *
 * tree.h
 *		The pages of a bitblock index's trees: reading, searching and allocating them.
 *
 *-------------------------------------------------------------------------
 */
#ifndef BITBLOCK_TREE_H
#define BITBLOCK_TREE_H

#include "cache.h"

/*
 * The pages that a process has locked while it searches for another page.  In a damaged
 * index a link may lead back to one of them, and the process would wait for its own lock.
 */
typedef struct BBLocked
{
	BlockNumber blkno;
	const struct BBLocked *others;	/* or NULL */
} BBLocked;

/* Raises an error unless the page has the form of a page.  The page is locked. */
static inline void
bb_check_buffer(Relation index, Buffer buffer)
{
	bb_check_page(index, bb_shape(index), BufferGetBlockNumber(buffer),
				  BufferGetPage(buffer));
}

/* Does a locked page belong to no tree?  Raises an error unless it has the form of a page. */
static inline bool
bb_is_free(Relation index, Buffer buffer)
{
	if (PageIsNew(BufferGetPage(buffer)))
		return true;
	bb_check_buffer(index, buffer);
	return (BBPageGetOpaque(BufferGetPage(buffer))->flags & BB_DELETED) != 0;
}

/* Raises an error unless a row can have the TID of an entry of the page. */
static inline void
bb_check_tid(Relation index, Buffer buffer, const ItemPointerData *tid)
{
	if (unlikely(!bb_tid_is_valid(tid)))
		bb_report_corruption(index, BufferGetBlockNumber(buffer), "entry has an invalid TID");
}

/*
 * Is the page responsible for key in that tree and level, or to the left of the page that
 * is?
 */
static inline bool
bb_is_on_path(Page page, int tree, int level, BBKey key)
{
	BBPageOpaque opaque = BBPageGetOpaque(page);

	return !(opaque->flags & BB_DELETED) && opaque->tree == tree &&
		opaque->level == level && bb_compare(bb_low(page), key) <= 0;
}

/* Read a page of a tree, or a deleted page, and return it pinned and locked. */
extern Buffer bb_read(Relation index, BlockNumber blkno, int lockmode);

/* Get a page that belongs to no tree, pinned and exclusively locked. */
extern Buffer bb_new_buffer(Relation index);

/* Find the page of a level that is responsible for key, pinned and locked. */
extern Buffer bb_find(Relation index, int tree, BBKey key, int level,
					  int lockmode, BlockNumber *incomplete);

/* Like bb_find, for a caller that has locked pages below. */
extern Buffer bb_find_parent(Relation index, int tree, BBKey key, int level,
							 const BBLocked *locked);

/*
 * Read a page for an estimate, a list of leaves or a hint.  If the backend remembers a
 * copy of a root, return the copy, which may be outdated, and set *buffer to
 * InvalidBuffer.  Otherwise *buffer is the page, pinned and locked for share.  The caller
 * calls bb_release_inner.
 */
static pg_attribute_always_inline Page
bb_read_inner(Relation index, int tree, BlockNumber blkno, Buffer *buffer)
{
	bool		is_root = blkno == BB_ROOT(tree);
	Page		page = is_root ? bb_remembered_root(index, tree) : NULL;

	*buffer = InvalidBuffer;
	if (page != NULL)
		return page;
	*buffer = bb_read(index, blkno, BUFFER_LOCK_SHARE);
	page = BufferGetPage(*buffer);
	if (is_root)
		bb_remember_root(index, tree, page);
	return page;
}

static inline void
bb_release_inner(Buffer buffer)
{
	if (BufferIsValid(buffer))
		UnlockReleaseBuffer(buffer);
}

#endif							/* BITBLOCK_TREE_H */
