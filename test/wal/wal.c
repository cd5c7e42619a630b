/*-------------------------------------------------------------------------
 *
 * wal.c
 *		An insertion's WAL record by GenericXLogFinish: takes the place of
 *		src/index/bitblock/wal.c in a build of the library for 023_insertion_wal.pl.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "access/generic_xlog.h"
#include "wal.h"

void
bb_append_logged(Relation index, const Buffer * buffers, const BBInsertion *entries,
				 int n)
{
	GenericXLogState *state = GenericXLogStart(index);

	for (int i = 0; i < n; i++)
		bb_append_insertion(GenericXLogRegisterBuffer(state, buffers[i], 0), &entries[i]);
	GenericXLogFinish(state);
}
