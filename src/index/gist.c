/*-------------------------------------------------------------------------
 *
 * gist.c
 *		GiST operator classes of "simhash" and "simhash_ball".
 *
 * A key is a pair of masks: "all", the AND of all fingerprints below it, and "any", the
 * OR.  In a leaf both are the fingerprint.  A bit that is set in "all" is set in all
 * fingerprints below.  A bit that is clear in "any" is clear in all of them.  So the
 * distance of q to each of them is at least
 *		popcount(all & ~q) + popcount(~any & q).
 * In a leaf that number is the distance, so no answer needs a recheck.
 *
 * The key of a ball contains the center, but not the radius.  A search finds the balls
 * whose centers are in the query's ball, and the executor rechecks them.  All balls of an
 * exclusion constraint have one radius.
 *
 * The sorted build and page splits order keys by their rank in Gray code.  In that order
 * neighbours tend to share more bits than in numeric order: where the two halves of a
 * range with a common prefix meet, the values differ only in the bit after the prefix
 * (Gray, US patent 2632058, 1953; Faloutsos, "Gray codes for partial match and range
 * queries", 1988).
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "access/gist.h"
#include "index/strategy.h"
#include "simhash.h"
#include "utils/sortsupport.h"

PG_FUNCTION_INFO_V1(simhash_gist_compress);
PG_FUNCTION_INFO_V1(simhash_ball_gist_compress);
PG_FUNCTION_INFO_V1(simhash_gist_consistent);
PG_FUNCTION_INFO_V1(simhash_gist_distance);
PG_FUNCTION_INFO_V1(simhash_gist_union);
PG_FUNCTION_INFO_V1(simhash_gist_same);
PG_FUNCTION_INFO_V1(simhash_gist_penalty);
PG_FUNCTION_INFO_V1(simhash_gist_picksplit);
PG_FUNCTION_INFO_V1(simhash_gist_sortsupport);
PG_FUNCTION_INFO_V1(simhash_gist_key_in);
PG_FUNCTION_INFO_V1(simhash_gist_key_out);

/* SQL type simhash_gist_key. */
typedef struct GistKey
{
	Simhash		all;			/* AND of the fingerprints below */
	Simhash		any;			/* OR of the fingerprints below */
} GistKey;

#define DatumGetGistKeyP(d)		((GistKey *) DatumGetPointer(d))

/* The number of bits that are not the same in all fingerprints below. */
static inline int
free_bits(GistKey key)
{
	return pg_popcount64(key.all ^ key.any);
}

static inline GistKey
key_union(GistKey a, GistKey b)
{
	a.all &= b.all;
	a.any |= b.any;
	return a;
}

/* A lower bound of the distance of q to the fingerprints below; in a leaf, the distance. */
static inline int32
lower_bound(const GistKey *key, Simhash q)
{
	return pg_popcount64((key->all & ~q) | (~key->any & q));
}

/* The rank of f in the sequence of Gray codes (Gray decoding). */
static inline uint64
gray_rank(Simhash f)
{
	f ^= f >> 32;
	f ^= f >> 16;
	f ^= f >> 8;
	f ^= f >> 4;
	f ^= f >> 2;
	f ^= f >> 1;
	return f;
}

/* The entry, with the key of a leaf if it has the value of a row. */
static GISTENTRY *
compress(GISTENTRY *entry, bool is_ball)
{
	GistKey    *key;
	GISTENTRY  *result;

	if (!entry->leafkey)
		return entry;
	key = palloc(sizeof(GistKey));
	result = palloc(sizeof(GISTENTRY));
	key->all = key->any = is_ball ? DatumGetSimhashBallP(entry->key)->center :
		DatumGetSimhash(entry->key);
	gistentryinit(*result, PointerGetDatum(key), entry->rel, entry->page,
				  entry->offset, false);
	return result;
}

Datum
simhash_gist_compress(PG_FUNCTION_ARGS)
{
	PG_RETURN_POINTER(compress((GISTENTRY *) PG_GETARG_POINTER(0), false));
}

Datum
simhash_ball_gist_compress(PG_FUNCTION_ARGS)
{
	PG_RETURN_POINTER(compress((GISTENTRY *) PG_GETARG_POINTER(0), true));
}

Datum
simhash_gist_consistent(PG_FUNCTION_ARGS)
{
	GISTENTRY  *entry = (GISTENTRY *) PG_GETARG_POINTER(0);
	Datum		query = PG_GETARG_DATUM(1);
	StrategyNumber strategy = (StrategyNumber) PG_GETARG_UINT16(2);
	bool	   *recheck = (bool *) PG_GETARG_POINTER(4);
	SimhashBall ball = strategy_ball(strategy, query);

	/* the index does not store the radii of balls */
	*recheck = strategy == OVERLAP_STRATEGY;
	PG_RETURN_BOOL(lower_bound(DatumGetGistKeyP(entry->key), ball.center) <= ball.radius);
}

Datum
simhash_gist_distance(PG_FUNCTION_ARGS)
{
	GISTENTRY  *entry = (GISTENTRY *) PG_GETARG_POINTER(0);
	Simhash		q = PG_GETARG_SIMHASH(1);
	StrategyNumber strategy = (StrategyNumber) PG_GETARG_UINT16(2);
	bool	   *recheck = (bool *) PG_GETARG_POINTER(4);

	if (strategy != DISTANCE_STRATEGY)
		elog(ERROR, "unrecognized strategy number: %d", strategy);

	*recheck = false;
	PG_RETURN_FLOAT8(lower_bound(DatumGetGistKeyP(entry->key), q));
}

Datum
simhash_gist_union(PG_FUNCTION_ARGS)
{
	GistEntryVector *entries = (GistEntryVector *) PG_GETARG_POINTER(0);
	int		   *size = (int *) PG_GETARG_POINTER(1);
	GistKey    *result = palloc(sizeof(GistKey));

	*result = *DatumGetGistKeyP(entries->vector[0].key);
	for (int i = 1; i < entries->n; i++)
		*result = key_union(*result, *DatumGetGistKeyP(entries->vector[i].key));
	*size = sizeof(GistKey);
	PG_RETURN_POINTER(result);
}

Datum
simhash_gist_same(PG_FUNCTION_ARGS)
{
	GistKey    *a = (GistKey *) PG_GETARG_POINTER(0);
	GistKey    *b = (GistKey *) PG_GETARG_POINTER(1);
	bool	   *result = (bool *) PG_GETARG_POINTER(2);

	*result = a->all == b->all && a->any == b->any;
	PG_RETURN_POINTER(result);
}

/*
 * The number of bits that the new key would make free in the old key.  If several keys
 * have the same number, GiST should prefer the key with fewer free bits.
 */
Datum
simhash_gist_penalty(PG_FUNCTION_ARGS)
{
	GistKey    *old = DatumGetGistKeyP(((GISTENTRY *) PG_GETARG_POINTER(0))->key);
	GistKey    *new = DatumGetGistKeyP(((GISTENTRY *) PG_GETARG_POINTER(1))->key);
	float	   *penalty = (float *) PG_GETARG_POINTER(2);
	int			before = free_bits(*old);
	int			after = free_bits(key_union(*old, *new));

	*penalty = (float) (after - before) + (float) before / (2 * SIMHASH_BITS);
	PG_RETURN_POINTER(penalty);
}

/* An entry of a page that is split, with its place in Gray code. */
typedef struct RankedKey
{
	uint64		rank;
	GistKey		key;
	OffsetNumber offset;
} RankedKey;

static int
compare_ranks(const void *a, const void *b)
{
	uint64		x = ((const RankedKey *) a)->rank;
	uint64		y = ((const RankedKey *) b)->rank;

	return (x > y) - (x < y);
}

/*
 * Order the entries by Gray rank.  Cut where the two sides have the fewest free bits, but
 * leave at least a third on each side.  If several cuts are equal, take the one nearest
 * the middle.
 */
Datum
simhash_gist_picksplit(PG_FUNCTION_ARGS)
{
	GistEntryVector *entries = (GistEntryVector *) PG_GETARG_POINTER(0);
	GIST_SPLITVEC *split = (GIST_SPLITVEC *) PG_GETARG_POINTER(1);
	int			n = entries->n - 1;
	RankedKey  *sorted = palloc(n * sizeof(RankedKey));
	GistKey    *suffix = palloc(n * sizeof(GistKey));	/* union of [i, n) */
	GistKey    *left = palloc(sizeof(GistKey));
	GistKey    *right = palloc(sizeof(GistKey));
	GistKey		prefix;			/* union of [0, i) */
	int			cut = n / 2;
	int			best = PG_INT32_MAX;

	for (int i = 0; i < n; i++)
	{
		OffsetNumber offset = FirstOffsetNumber + i;

		sorted[i].key = *DatumGetGistKeyP(entries->vector[offset].key);
		sorted[i].rank = gray_rank(sorted[i].key.all);
		sorted[i].offset = offset;
	}
	qsort(sorted, n, sizeof(RankedKey), compare_ranks);

	suffix[n - 1] = sorted[n - 1].key;
	for (int i = n - 2; i >= 0; i--)
		suffix[i] = key_union(suffix[i + 1], sorted[i].key);

	prefix = *left = sorted[0].key;
	for (int i = 1; i < n; i++)
	{
		if (i >= n / 3 && n - i >= n / 3)
		{
			/* the bits decide; among equal cuts, the distance from the middle */
			int			cost = (free_bits(prefix) + free_bits(suffix[i])) * n +
				abs(2 * i - n);

			if (cost < best)
			{
				best = cost;
				cut = i;
				*left = prefix;
			}
		}
		prefix = key_union(prefix, sorted[i].key);
	}
	*right = suffix[cut];

	split->spl_left = palloc(n * sizeof(OffsetNumber));
	split->spl_right = palloc(n * sizeof(OffsetNumber));
	split->spl_nleft = cut;
	split->spl_nright = n - cut;
	for (int i = 0; i < cut; i++)
		split->spl_left[i] = sorted[i].offset;
	for (int i = cut; i < n; i++)
		split->spl_right[i - cut] = sorted[i].offset;
	split->spl_ldatum = PointerGetDatum(left);
	split->spl_rdatum = PointerGetDatum(right);
	PG_RETURN_POINTER(split);
}

static int
compare_gray(Datum x, Datum y, SortSupport ssup)
{
	uint64		a = gray_rank(DatumGetGistKeyP(x)->all);
	uint64		b = gray_rank(DatumGetGistKeyP(y)->all);

	return (a > b) - (a < b);
}

/* The rank is the abbreviated key, and decides the order completely. */
static Datum
abbreviate_gray(Datum original, SortSupport ssup)
{
	return UInt64GetDatum(gray_rank(DatumGetGistKeyP(original)->all));
}

static bool
never_abort(int memtupcount, SortSupport ssup)
{
	return false;
}

Datum
simhash_gist_sortsupport(PG_FUNCTION_ARGS)
{
	SortSupport ssup = (SortSupport) PG_GETARG_POINTER(0);

	ssup->comparator = compare_gray;
	if (ssup->abbreviate)
	{
		ssup->comparator = ssup_datum_unsigned_cmp;
		ssup->abbrev_converter = abbreviate_gray;
		ssup->abbrev_abort = never_abort;
		ssup->abbrev_full_comparator = compare_gray;
	}
	PG_RETURN_VOID();
}

/* Users never see keys, so they have no text form. */

Datum
simhash_gist_key_in(PG_FUNCTION_ARGS)
{
	ereport(ERROR,
			(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
			 errmsg("cannot accept a value of type %s", "simhash_gist_key")));
	PG_RETURN_VOID();
}

Datum
simhash_gist_key_out(PG_FUNCTION_ARGS)
{
	ereport(ERROR,
			(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
			 errmsg("cannot display a value of type %s", "simhash_gist_key")));
	PG_RETURN_VOID();
}
