/*-------------------------------------------------------------------------
 *
 * buffer.h
 *		Reading, locking and allocating the pages of a bitblock index.
 *
 *-------------------------------------------------------------------------
 */
#ifndef BITBLOCK_BUFFER_H
#define BITBLOCK_BUFFER_H

#include "page.h"
#include "storage/bufmgr.h"

/* Raises an error unless the page, which is locked, has the form of one. */
static inline void
bb_check_buffer(Relation index, Buffer buffer)
{
	bb_check_page(index, BufferGetBlockNumber(buffer), BufferGetPage(buffer));
}

extern Buffer bb_read(Relation index, BlockNumber block, int lockmode);
extern Buffer bb_read_with(Relation index, BlockNumber block, int lockmode,
						   BufferAccessStrategy strategy);
extern Buffer bb_new_buffer(Relation index);

#endif							/* BITBLOCK_BUFFER_H */
