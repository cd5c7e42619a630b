/*-------------------------------------------------------------------------
 *
 * tree.c
 *		The pages of a bitblock index's trees: reading, searching and allocating them.
 *
 * The trees are B-link trees (Lehman and Yao, "Efficient locking for concurrent
 * operations on B-trees", 1981).  VACUUM may have removed a page since its number was
 * read, and the page may have become any page of any tree.  ../search/README.md, "Reading
 * the leaves", says why a search finds the right page all the same.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "cache.h"
#include "miscadmin.h"
#include "server/compat.h"
#include "storage/freespace.h"
#include "storage/indexfsm.h"
#include "tree.h"

/*
 * If a search restarts this many times, the index is damaged.  In a sound index a search
 * has to restart only if a page of its path is removed between two of its steps.
 */
#define MAX_RESTARTS			1000

/*
 * Read a page of a tree, or a deleted page, and return it pinned and locked.  The caller
 * must not hold a lock on it already, see BBLocked.
 */
Buffer
bb_read(Relation index, BlockNumber blkno, int lockmode)
{
	Buffer		buffer = bb_pin(index, blkno);

	LockBuffer(buffer, lockmode);
	bb_check_buffer(index, buffer);
	return buffer;
}

/*
 * Get a page that belongs to no tree, pinned and exclusively locked.  It is a page from
 * the free space map, or a new page.  The map may be wrong after a crash, so the function
 * trusts the page's own flags.
 */
Buffer
bb_new_buffer(Relation index)
{
	for (;;)
	{
		BlockNumber blkno = GetFreeIndexPage(index);
		Buffer		buffer;

		if (blkno == InvalidBlockNumber)
			break;
		if (blkno < bb_reserved_pages(bb_shape(index)) ||
			blkno >= RelationGetNumberOfBlocks(index))
			continue;
		buffer = ReadBuffer(index, blkno);
		if (ConditionalLockBuffer(buffer))
		{
			if (bb_is_free(index, buffer))
				return buffer;
			LockBuffer(buffer, BUFFER_LOCK_UNLOCK);
		}
		ReleaseBuffer(buffer);
	}
	return extend_relation_locked(index, MAIN_FORKNUM);
}

/* Read a page.  Raises an error if the caller has locked it already. */
static Buffer
read_other(Relation index, BlockNumber blkno, int lockmode, const BBLocked *locked)
{
	for (; locked != NULL; locked = locked->others)
		if (unlikely(blkno == locked->blkno))
			bb_report_corruption(index, blkno, "circular link");
	return bb_read(index, blkno, lockmode);
}

/*
 * The root, pinned and locked: in lockmode if it is on the given level, or else for
 * share.  InvalidBuffer if the tree is not that high.
 */
static Buffer
read_root(Relation index, int tree, int level, int lockmode, const BBLocked *locked)
{
	for (;;)
	{
		Buffer		buffer = read_other(index, BB_ROOT(tree), BUFFER_LOCK_SHARE,
										locked);
		BBPageOpaque opaque = BBPageGetOpaque(BufferGetPage(buffer));

		if (opaque->level < level)
		{
			UnlockReleaseBuffer(buffer);
			return InvalidBuffer;
		}
		if (opaque->level > level || lockmode == BUFFER_LOCK_SHARE)
			return buffer;

		/* the root may grow meanwhile */
		LockBuffer(buffer, BUFFER_LOCK_UNLOCK);
		LockBuffer(buffer, lockmode);
		bb_check_buffer(index, buffer);
		if (opaque->level == level)
			return buffer;
		UnlockReleaseBuffer(buffer);
		CHECK_FOR_INTERRUPTS();
	}
}

/* The child of an inner page for a key that is in the page's range. */
static BlockNumber
child_for_key(Relation index, Buffer buffer, BBKey key)
{
	Page		page = BufferGetPage(buffer);
	int			i = bb_find_child(page, key);

	if (i < 0)
		bb_report_corruption(index, BufferGetBlockNumber(buffer),
							 "no child for a key within the range of its page");
	return bb_child(page, i);
}

/* See bb_find and bb_find_parent. */
static Buffer
find(Relation index, int tree, BBKey key, int level, int lockmode,
	 BlockNumber *incomplete, const BBLocked *locked)
{
	BlockNumber lost = BB_ROOT(tree);	/* the page that was not on the path */

	for (int restarts = 0; restarts < MAX_RESTARTS; restarts++)
	{
		Buffer		buffer;
		Page		page;
		BBKey		low = bb_lowest_key();	/* the low that the page must have */
		bool		by_right = false;	/* if a right-link led to it */
		int			at;

		CHECK_FOR_INTERRUPTS();
		if (incomplete != NULL)
			*incomplete = InvalidBlockNumber;
		buffer = read_root(index, tree, level, lockmode, locked);
		if (!BufferIsValid(buffer))
			return InvalidBuffer;
		page = BufferGetPage(buffer);
		at = BBPageGetOpaque(page)->level;

		/*
		 * after a right-link, require the expected low: if lows ascend,
		 * right-links cannot form a circle
		 */
		while (bb_is_on_path(page, tree, at, key) &&
			   (!by_right || bb_compare(bb_low(page), low) == 0))
		{
			BlockNumber next;

			if (incomplete != NULL && *incomplete == InvalidBlockNumber &&
				(BBPageGetOpaque(page)->flags & BB_INCOMPLETE_SPLIT))
				*incomplete = BufferGetBlockNumber(buffer);

			by_right = bb_is_right_of(key, page);
			if (by_right)
			{
				next = BBPageGetOpaque(page)->right;
				low = bb_high(page);
			}
			else if (at == level)
				return buffer;
			else
			{
				next = child_for_key(index, buffer, key);
				at--;
			}
			UnlockReleaseBuffer(buffer);
			CHECK_FOR_INTERRUPTS();
			buffer = read_other(index, next,
								at == level ? lockmode : BUFFER_LOCK_SHARE,
								locked);
			page = BufferGetPage(buffer);
		}
		lost = BufferGetBlockNumber(buffer);
		UnlockReleaseBuffer(buffer);
	}
	bb_report_corruption(index, lost, "could not find the path to a key");
}

/*
 * Find the page of a level that is responsible for key, and return it pinned and locked;
 * InvalidBuffer if the tree is not that high.  The caller holds no page lock.
 *
 * If incomplete is not NULL, it becomes the first page on the way whose split is not
 * complete, or InvalidBlockNumber.
 */
Buffer
bb_find(Relation index, int tree, BBKey key, int level, int lockmode,
		BlockNumber *incomplete)
{
	return find(index, tree, key, level, lockmode, incomplete, NULL);
}

/*
 * Like bb_find, but lock the page exclusively, for a caller that has locked pages on the
 * levels below.  "locked" lists these pages.
 */
Buffer
bb_find_parent(Relation index, int tree, BBKey key, int level,
			   const BBLocked *locked)
{
	return find(index, tree, key, level, BUFFER_LOCK_EXCLUSIVE, NULL, locked);
}
