/*-------------------------------------------------------------------------
 *
 * buffer.c
 *		Reading, locking and allocating the pages of a bitblock index.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "buffer.h"
#include "server/compat.h"
#include "storage/freespace.h"
#include "storage/indexfsm.h"

/*
 * A page of a tree, or a deleted page, pinned and locked.  The caller must not hold a lock
 * on it already, see BBLocked.
 */
Buffer
bb_read(Relation index, BlockNumber block, int lockmode)
{
	Buffer		buffer = bb_pin(index, block);

	LockBuffer(buffer, lockmode);
	bb_check_buffer(index, buffer);
	return buffer;
}

/* The same for VACUUM, with its strategy */
Buffer
bb_read_with(Relation index, BlockNumber block, int lockmode,
			 BufferAccessStrategy strategy)
{
	Buffer		buffer;

	bb_check_block(index, block);
	buffer = ReadBufferExtended(index, MAIN_FORKNUM, block, RBM_NORMAL, strategy);
	LockBuffer(buffer, lockmode);
	bb_check_buffer(index, buffer);
	return buffer;
}

/*
 * A page that belongs to no tree, pinned and exclusively locked: a page from the free
 * space map, or a new page.  The map may be wrong after a crash, so the function trusts
 * the page's own flags.
 */
Buffer
bb_new_buffer(Relation index)
{
	for (;;)
	{
		BlockNumber block = GetFreeIndexPage(index);
		Buffer		buffer;
		Page		page;

		if (block == InvalidBlockNumber)
			break;
		if (block < bb_reserved_pages(bb_shape(index)) ||
			block >= RelationGetNumberOfBlocks(index))
			continue;
		buffer = ReadBuffer(index, block);
		if (ConditionalLockBuffer(buffer))
		{
			page = BufferGetPage(buffer);
			if (PageIsNew(page))
				return buffer;
			bb_check_buffer(index, buffer);
			if (BBPageGetOpaque(page)->flags & BB_DELETED)
				return buffer;
			LockBuffer(buffer, BUFFER_LOCK_UNLOCK);
		}
		ReleaseBuffer(buffer);
	}
	return extend_relation_locked(index, MAIN_FORKNUM);
}
