/*-------------------------------------------------------------------------
 *
 * stats.c
 *		bitblock_stats(): the size of the trees of an index.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "funcapi.h"
#include "index/bitblock/store/open.h"
#include "index/bitblock/store/read_ahead.h"
#include "index/bitblock/store/tree.h"
#include "miscadmin.h"
#include "utils/tuplestore.h"

PG_FUNCTION_INFO_V1(bitblock_stats);

typedef struct TreeStats
{
	int64		pages[2];		/* leaves, inner pages */
	int64		entries;		/* in leaves */
	int			height;
} TreeStats;

/* Count a level from left to right.  Other sessions may change it meanwhile. */
static bool
count_level(Relation index, int tree, int level, TreeStats *stats)
{
	BBKey		key = bb_lowest_key();
	BBAhead		ahead;
	BBAheadLevel coming;

	bb_ahead_init(&ahead, index, true);
	bb_ahead_level_init(&coming, &ahead, tree, level, &bb_all_rows);
	for (;;)
	{
		Buffer		buffer;
		Page		page;
		bool		last;

		bb_ask_level(&coming, key);
		buffer = bb_find(index, tree, key, level, BUFFER_LOCK_SHARE, NULL);
		if (!BufferIsValid(buffer))
			return false;
		page = BufferGetPage(buffer);
		stats->pages[level > 0]++;
		if (level == 0)
			stats->entries += bb_count(page);
		last = bb_is_rightmost(page);
		key = bb_high(page);
		UnlockReleaseBuffer(buffer);
		if (last)
			return true;
	}
}

Datum
bitblock_stats(PG_FUNCTION_ARGS)
{
	ReturnSetInfo *result = (ReturnSetInfo *) fcinfo->resultinfo;
	Relation	heap;
	Relation	index = bb_open(PG_GETARG_OID(0), AccessShareLock, &heap);
	BBShape		shape = bb_shape(index);

	InitMaterializedSRF(fcinfo, 0);
	for (int tree = 0; tree < bb_trees(shape); tree++)
	{
		TreeStats	stats = {0};
		Datum		values[6];
		bool		nulls[6] = {false};

		while (count_level(index, tree, stats.height, &stats))
			stats.height++;
		values[0] = Int32GetDatum(tree);
		values[1] = Int32GetDatum(stats.height);
		values[2] = Int64GetDatum(stats.pages[1]);
		values[3] = Int64GetDatum(stats.pages[0]);
		values[4] = Int64GetDatum(stats.entries);
		values[5] = Float8GetDatum((double) stats.entries /
								   BB_CAPACITY(bb_is_tagged(shape), 0,
											   bb_entry_words(shape, tree, 0)) /
								   stats.pages[0]);
		tuplestore_putvalues(result->setResult, result->setDesc, values, nulls);
	}
	bb_close(index, heap, AccessShareLock);
	return (Datum) 0;
}
