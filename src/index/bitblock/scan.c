/*-------------------------------------------------------------------------
 *
 * scan.c
 *		Scans of a bitblock index.
 *
 * The scan searches the trees for the balls of one condition, and checks the other
 * conditions on the entries that it finds.  All answers are exact and need no recheck,
 * with two exceptions: an index of balls does not store their radii, and an index with
 * leading columns stores only a hash of them.
 *
 * If conditions give the values of all leading columns, the scan reads only entries with
 * the tags of these values.  Otherwise it reads everything, and the recheck eliminates
 * the other rows.
 *
 * README.md, "Why no TID is mistaken for another", says which scans keep a leaf pinned,
 * and why the pin of one leaf is enough.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "access/relscan.h"
#include "access/xact.h"
#include "access/xlog.h"
#include "bitblock.h"
#include "index/bitblock/search/nearest.h"
#include "index/bitblock/search/row.h"
#include "index/bitblock/store/cache.h"
#include "index/bitblock/store/column_value.h"
#include "index/strategy.h"
#include "pgstat.h"
#include "type/bit_value.h"
#include "utils/memutils.h"
#include "utils/snapmgr.h"

typedef struct BBScan
{
	MemoryContext context;		/* of one scan, reset by a rescan */
	BBShape		shape;
	BBScopes	scopes;			/* of the conditions on leading columns */
	BBCrossHash *cross;			/* for each leading column */
	BBConditions conditions;	/* on the fingerprint */
	bool		started;
	bool		keep_pin;
	/* pin a leaf for each match, because the matches are from several leaves */
	bool		pin_rows;
	bool		recheck;
	Buffer		pin;			/* leaf of the matches, if keep_pin */
	/* is it returning rows without a fingerprint now? */
	bool		in_nulls;
	BBSweep		sweep;
	BBAheadRows rows;
	BBNearest  *nearest;		/* of the rows with a fingerprint, or NULL */
	BBFingerprint *centers;		/* of the ORDER BY */
	bool	   *center_isnull;
	int			nmatches;
	int			match;			/* number of the next one to return */
	BBMatch    *matches;		/* room for BB_MAX_ENTRIES */
	BBMatch    *nearest_match;	/* room for one */

	/* of searches that have ended, if EXPLAIN shows them */
	BBCounts	counts;

	/* index-only scans */
	IndexTuple	tuple;			/* of the current match, or NULL */
} BBScan;

IndexScanDesc
bb_beginscan(Relation index, int nkeys, int norderbys)
{
	IndexScanDesc scan = RelationGetIndexScan(index, nkeys, norderbys);
	BBScan	   *so = palloc0(sizeof(BBScan));

	so->shape = bb_shape(index);
	so->matches = palloc(BB_MAX_ENTRIES * bb_match_size(so->shape));
	so->nearest_match = palloc(bb_match_size(so->shape));
	so->context = AllocSetContextCreate(CurrentMemoryContext, "bitblock scan",
										ALLOCSET_SMALL_SIZES);
	so->cross = palloc0(Max(so->shape.leading, 1) * sizeof(BBCrossHash));
	for (int i = 0; i < so->shape.leading; i++)
		so->cross[i].context = CurrentMemoryContext;
	so->centers = palloc0(Max(norderbys, 1) * sizeof(BBFingerprint));
	so->center_isnull = palloc0(Max(norderbys, 1) * sizeof(bool));
	scan->xs_itupdesc = RelationGetDescr(index);
	if (norderbys > 0)
	{
		scan->xs_orderbyvals = palloc0(norderbys * sizeof(Datum));
		scan->xs_orderbynulls = palloc0(norderbys * sizeof(bool));
	}
	scan->opaque = so;
	return scan;
}

/* When the last EXPLAIN (ANALYZE) statement began */
static TimestampTz explained = 0;

/* Note that EXPLAIN (ANALYZE) will show the counts of the current statement's scans. */
void
bb_set_explained(void)
{
	explained = GetCurrentStatementStartTimestamp();
}

bool
bb_is_explained(void)
{
	return explained == GetCurrentStatementStartTimestamp();
}

/*
 * A BBObserve that adds to arg, a BBCounts, what the steps of a search have done, and sets
 * their counts to zero.
 */
static void
add_counts(void *arg, const BBReader *reader)
{
	BBCounts   *total = arg;

	for (int i = 0; i < reader->nsteps; i++)
	{
		BBCounts   *counts = &reader->counts[i];

		total->leaves += counts->leaves;
		total->misses += counts->misses;
		total->candidates += counts->candidates;
		total->rows += counts->rows;
		total->matches += counts->matches;
		memset(counts, 0, sizeof(BBCounts));
	}
}

/* Return the counts of the scan until now, if EXPLAIN (ANALYZE) shows them. */
const BBCounts *
bb_scan_counts(IndexScanDesc scan)
{
	BBScan	   *so = scan->opaque;

	if (so->nearest != NULL)
		bb_nearest_report(so->nearest);
	else
		bb_sweep_report(&so->sweep);
	return &so->counts;
}

/* End the search, but keep the counts. */
static void
end_search(IndexScanDesc scan)
{
	BBScan	   *so = scan->opaque;

	(void) bb_scan_counts(scan);
	so->sweep.reader.nsteps = 0;
	if (so->nearest != NULL)
		bb_nearest_end(so->nearest);
	so->nearest = NULL;
}

static void
release_pin(BBScan *so)
{
	if (BufferIsValid(so->pin))
		ReleaseBuffer(so->pin);
	so->pin = InvalidBuffer;
}

void
bb_rescan(IndexScanDesc scan, ScanKey keys, int nkeys, ScanKey orderbys,
		  int norderbys)
{
	BBScan	   *so = scan->opaque;

	release_pin(so);
	end_search(scan);
	MemoryContextReset(so->context);
	so->started = false;
	if (keys != NULL && scan->numberOfKeys > 0)
		memmove(scan->keyData, keys, scan->numberOfKeys * sizeof(ScanKeyData));
	if (orderbys != NULL && scan->numberOfOrderBys > 0)
		memmove(scan->orderByData, orderbys,
				scan->numberOfOrderBys * sizeof(ScanKeyData));
}

void
bb_endscan(IndexScanDesc scan)
{
	BBScan	   *so = scan->opaque;

	release_pin(so);
	end_search(scan);
	MemoryContextDelete(so->context);
	if (so->tuple != NULL)
		pfree(so->tuple);
	pfree(so->matches);
	pfree(so->nearest_match);
	pfree(so->cross);
	pfree(so->centers);
	pfree(so->center_isnull);
	pfree(so);
}

/* ----------
 * Start
 * ----------
 */

/*
 * Read the conditions and the ORDER BY of the scan.  If no fingerprint can fulfil the
 * conditions, no distance is measured, so the value of the ORDER BY may have any length.
 */
static void
read_keys(IndexScanDesc scan, BBScan *so)
{
	bb_scan_scopes(scan->indexRelation, so->shape, scan->keyData, scan->numberOfKeys,
				   so->cross, &so->scopes);
	bb_read_conditions(so->shape, scan->keyData, scan->numberOfKeys, &so->conditions);
	if (so->scopes.n == 0)
		so->conditions.fps = so->conditions.nulls = false;
	so->recheck = bb_is_tagged(so->shape) || so->conditions.lossy;
	for (int i = 0; i < scan->numberOfOrderBys; i++)
	{
		ScanKey		key = &scan->orderByData[i];

		if (key->sk_strategy != DISTANCE_STRATEGY)
			elog(ERROR, "unrecognized strategy number: %d", key->sk_strategy);
		so->center_isnull[i] = (key->sk_flags & SK_ISNULL) != 0;
		if (!so->center_isnull[i] && so->conditions.fps)
			bb_value_fp(so->shape, key->sk_argument, so->centers[i].words);
	}
}

/*
 * Does a match of the first condition fulfil the others?  The answer is true for rows
 * without a fingerprint.
 */
static inline bool
fulfils_others(const BBScan *so, const BBMatch *match)
{
	return so->in_nulls || bb_fulfils(so->shape, match->fp, &so->conditions, 1);
}

static const BBCondition nothing = {.n = 0};

static void
start_nulls(IndexScanDesc scan, BBScan *so)
{
	so->in_nulls = true;
	end_search(scan);
	bb_sweep_begin(&so->sweep, scan->indexRelation, so->shape, scan->xs_snapshot, &so->scopes,
				   so->conditions.nulls ? &bb_everything : &nothing, bb_null_tree(so->shape));
}

/* Start to read the rows with a fingerprint. */
static void
start_fps(IndexScanDesc scan, BBScan *so)
{
	BBFingerprint *centers = palloc(Max(scan->numberOfOrderBys, 1) * sizeof(BBFingerprint));
	int			ncenters = 0;

	/* the distance to NULL is NULL for all rows, and orders nothing */
	for (int i = 0; i < scan->numberOfOrderBys; i++)
		if (!so->center_isnull[i])
			centers[ncenters++] = so->centers[i];
	if (ncenters == 0)
	{
		bb_sweep_begin(&so->sweep, scan->indexRelation, so->shape, scan->xs_snapshot,
					   &so->scopes,
					   so->conditions.n > 0 ? &so->conditions.list[0] : &bb_everything,
					   BB_WITHIN);
		return;
	}

	/*
	 * pin_match needs the match's tag; no scan that keeps pins asks for an
	 * order of several scopes
	 */
	if (so->keep_pin && so->scopes.n > 1)
		elog(ERROR, "a bitblock scan that keeps pins cannot order rows of several values");
	so->nearest = bb_nearest_begin(scan->indexRelation, so->shape, scan->xs_snapshot,
								   &so->scopes, centers, ncenters, &so->conditions);
	if (bb_is_explained())
		bb_nearest_observe(so->nearest, add_counts, &so->counts);
}

static void
start(IndexScanDesc scan, BBScan *so)
{
	MemoryContext old = MemoryContextSwitchTo(so->context);

	pgstat_count_index_scan(scan->indexRelation);
	bb_count_scan(scan->indexRelation);
	count_index_search(scan);
	read_keys(scan, so);
	so->started = true;
	bb_ahead_rows_init(&so->rows, scan->xs_want_itup ? NULL : scan->heapRelation, false);
	so->in_nulls = false;
	so->nmatches = so->match = 0;
	if (scan->xs_want_itup && (bb_is_tagged(so->shape) || RecoveryInProgress()))
		elog(ERROR, "a bitblock index with leading columns or on a standby cannot return values");
	so->keep_pin = scan->xs_want_itup || !IsMVCCSnapshot(scan->xs_snapshot);

	so->sweep.observe = bb_is_explained() ? add_counts : NULL;
	so->sweep.observe_arg = &so->counts;
	if (so->conditions.fps)
		start_fps(scan, so);
	else
		start_nulls(scan, so);
	MemoryContextSwitchTo(old);
}

/* ----------
 * Index scan
 * ----------
 */

/*
 * Pin the leaf of a match in so->pin, if the scan needs the pin and does not have it yet.
 * Returns false if the match is gone.
 */
static bool
pin_match(IndexScanDesc scan, BBScan *so, const BBMatch *match)
{
	return !so->keep_pin || BufferIsValid(so->pin) ||
		bb_pin_row(scan->indexRelation, so->shape, scan->xs_snapshot,
				   so->nearest != NULL ? so->scopes.tags[0] : bb_reader_tag(&so->sweep.reader),
				   &match->tid, match->fp, &so->pin);
}

/*
 * Return the next of the matches that were read last, pinned if the scan needs a pin;
 * NULL if there is none.
 */
static const BBMatch *
next_read(IndexScanDesc scan, BBScan *so)
{
	while (so->match < so->nmatches)
	{
		const BBMatch *match = bb_match_at(so->shape, so->matches, so->match++);

		if (so->pin_rows)
			release_pin(so);
		if (fulfils_others(so, match) && pin_match(scan, so, match))
			return match;
	}
	return NULL;
}

/* The next match, pinned if the scan needs a pin; NULL at the end. */
static const BBMatch *
next_match(IndexScanDesc scan, BBScan *so)
{
	for (;;)
	{
		const BBMatch *match;

		if (so->nearest != NULL)
		{
			release_pin(so);
			if (bb_nearest_next(so->nearest, so->nearest_match))
			{
				if (!pin_match(scan, so, so->nearest_match))
					continue;
				return so->nearest_match;
			}
		}
		else
		{
			match = next_read(scan, so);
			if (match != NULL)
				return match;
			release_pin(so);
			so->match = 0;
			so->nmatches = bb_sweep_next(&so->sweep, so->matches,
										 so->keep_pin ? &so->pin : NULL);
			so->pin_rows = so->keep_pin && !BufferIsValid(so->pin);
			if (so->nmatches > 0)
				continue;
		}
		if (so->in_nulls)
			return NULL;
		start_nulls(scan, so);
	}
}

/* A BBComing of the scan "arg". */
static const ItemPointerData *
coming_row(void *arg, int n)
{
	BBScan	   *so = arg;
	const BBMatch *match = NULL;

	if (so->nearest != NULL)
		match = bb_nearest_coming(so->nearest, n);
	else if (so->match + n < so->nmatches)
		match = bb_match_at(so->shape, so->matches, so->match + n);
	return match != NULL ? &match->tid : NULL;
}

/*
 * Return the tuple of a match for an index-only scan.  The tuple belongs to the scan and
 * is valid until the next call.  A scan that needs no column, for example count(*), may
 * use an index that cannot return its column.
 */
static IndexTuple
match_tuple(IndexScanDesc scan, BBScan *so, const BBMatch *match)
{
	bool		isnull = so->in_nulls || bb_holds_balls(so->shape);
	MemoryContext old;
	Datum		value;

	/*
	 * The scan keeps the tuple of the last match, also when it is restarted.
	 * All tuples with NULL are equal, and the next simhash, which has a fixed
	 * size, overwrites the last one.  A bit string needs a new tuple.
	 */
	if (so->tuple != NULL && isnull == (IndexTupleHasNulls(so->tuple) != 0))
	{
		if (isnull)
			return so->tuple;
		if (so->shape.kind == BB_SIMHASH)
		{
			memcpy((char *) so->tuple + IndexInfoFindDataOffset(so->tuple->t_info), match->fp,
				   sizeof(Simhash));
			return so->tuple;
		}
	}
	old = MemoryContextSwitchTo(GetMemoryChunkContext(so));
	value = isnull ? (Datum) 0 : bb_fp_value(so->shape, match->fp);
	if (so->tuple != NULL)
		pfree(so->tuple);
	so->tuple = index_form_tuple(scan->xs_itupdesc, &value, &isnull);
	if (!isnull && so->shape.kind == BB_BIT)
		pfree(DatumGetPointer(value));
	MemoryContextSwitchTo(old);
	return so->tuple;
}

bool
bb_gettuple(IndexScanDesc scan, ScanDirection direction)
{
	BBScan	   *so = scan->opaque;
	MemoryContext old;
	const BBMatch *match;
	bool		cold_rows;

	if (ScanDirectionIsBackward(direction))
		elog(ERROR, "bitblock does not support backward scans");
	if (!so->started)
		start(scan, so);
	cold_rows = bb_rows_are_cold(&so->rows);

	old = MemoryContextSwitchTo(so->context);
	match = next_match(scan, so);
	MemoryContextSwitchTo(old);
	if (match == NULL)
		return false;
	if (unlikely(cold_rows))
		bb_ask_rows(&so->rows, coming_row, so);
	bb_note_row(&so->rows);

	scan->xs_heaptid = match->tid;
	scan->xs_recheck = so->recheck;
	scan->xs_recheckorderby = false;
	if (scan->xs_want_itup)
		scan->xs_itup = match_tuple(scan, so, match);
	for (int i = 0; i < scan->numberOfOrderBys; i++)
	{
		scan->xs_orderbynulls[i] = so->in_nulls || so->center_isnull[i];
		scan->xs_orderbyvals[i] = scan->xs_orderbynulls[i] ? (Datum) 0 :
			Int32GetDatum(bb_distance(so->shape, match->fp, so->centers[i].words));
	}
	return true;
}

/* ----------
 * Bitmap scan
 * ----------
 */

int64
bb_getbitmap(IndexScanDesc scan, TIDBitmap *tbm)
{
	BBScan	   *so = scan->opaque;
	MemoryContext old;
	int64		total = 0;

	start(scan, so);
	so->sweep.repeats = true;
	old = MemoryContextSwitchTo(so->context);
	for (;;)
	{
		ItemPointerData tids[BB_MAX_ENTRIES];
		int			n = bb_sweep_next(&so->sweep, so->matches, NULL);
		int			ntids = 0;

		if (n == 0 && so->in_nulls)
			break;
		if (n == 0)
		{
			start_nulls(scan, so);
			continue;
		}
		for (int i = 0; i < n; i++)
		{
			const BBMatch *match = bb_match_at(so->shape, so->matches, i);

			if (fulfils_others(so, match))
				tids[ntids++] = match->tid;
		}
		tbm_add_tuples(tbm, tids, ntids, so->recheck);
		total += ntids;
	}
	MemoryContextSwitchTo(old);
	return total;
}

/*
 * Can an index-only scan return the column?  It can return a fingerprint, but not a ball.
 * An index with leading columns does not store their values, and each row of a scan needs
 * a recheck.  On a standby there is no index-only scan, because the replay of a generic
 * WAL record does not wait for pins.
 */
bool
bb_canreturn(Relation index, int attno)
{
	BBValueKind kind = bb_kind(index);

	return !RecoveryInProgress() && IndexRelationGetNumberOfKeyAttributes(index) == 1 &&
		kind != BB_SIMHASH_BALL && kind != BB_BIT_BALL;
}
