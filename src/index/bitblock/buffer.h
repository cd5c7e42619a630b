/*-------------------------------------------------------------------------
 *
 * buffer.h
 *		Reading, locking and allocating the pages of a bitblock index.
 *
 *-------------------------------------------------------------------------
 */
#ifndef BITBLOCK_BUFFER_H
#define BITBLOCK_BUFFER_H

#include "cache.h"

/* Raises an error unless the page has the form of a page.  The page is locked. */
static inline void
bb_check_buffer(Relation index, Buffer buffer)
{
	bb_check_page(index, bb_shape(index), BufferGetBlockNumber(buffer),
				  BufferGetPage(buffer));
}

/* Raises an error unless a row can have the TID of an entry of the page. */
static inline void
bb_check_tid(Relation index, Buffer buffer, const ItemPointerData *tid)
{
	if (unlikely(!bb_tid_is_valid(tid)))
		bb_report_corruption(index, BufferGetBlockNumber(buffer), "entry has an invalid TID");
}

extern Buffer bb_read(Relation index, BlockNumber block, int lockmode);
extern Buffer bb_read_with(Relation index, BlockNumber block, int lockmode,
						   BufferAccessStrategy strategy);
extern Buffer bb_new_buffer(Relation index);

#endif							/* BITBLOCK_BUFFER_H */
