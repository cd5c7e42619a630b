/*-------------------------------------------------------------------------
 *
 * first.c
 *		simhash_is_first, bit_is_first: is a row of a window the first of its
 *		near-duplicates?
 *
 * These are window functions and no aggregates, because an aggregate gives rows that are
 * equal by the ORDER BY of the window one common answer.  A window function sees the rows
 * of a partition one by one, and depends on no frame.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "core/hamming.h"
#include "fingerprint/width.h"
#include "miscadmin.h"
#include "type/bit_value.h"
#include "utils/memutils.h"
#include "windowapi.h"

PG_FUNCTION_INFO_V1(simhash_is_first);
PG_FUNCTION_INFO_V1(bit_is_first);

#define FEWEST_OF_CHUNK		8
#define MOST_OF_CHUNK		1024

/* Fingerprints of rows that were first. */
typedef struct Chunk
{
	struct Chunk *before;		/* full, or NULL */
	int			n;
	int			room;
	uint64		words[FLEXIBLE_ARRAY_MEMBER];
} Chunk;

/* What a partition remembers; all zero before its first row. */
typedef struct Firsts
{
	int			nbits;			/* of each fingerprint */
	int			nwords;
	Chunk	   *last;
} Firsts;

/* Return what is remembered of the partition.  PostgreSQL frees it at the end of the partition. */
static Firsts *
firsts_of_partition(WindowObject window)
{
	return WinGetPartitionLocalMemory(window, sizeof(Firsts));
}

static bool
is_near_first(const Firsts *firsts, const uint64 *fp, int distance)
{
	uint16_t	hits[MOST_OF_CHUNK];

	for (const Chunk *chunk = firsts->last; chunk != NULL; chunk = chunk->before)
	{
		CHECK_FOR_INTERRUPTS();
		if (hamming_within(chunk->words, chunk->n, fp, firsts->nwords, distance, hits) > 0)
			return true;
	}
	return false;
}

static void
add_first(Firsts *firsts, const uint64 *fp)
{
	Chunk	   *chunk = firsts->last;
	Size		size = firsts->nwords * sizeof(uint64);

	if (chunk == NULL || chunk->n == chunk->room)
	{
		int			room = chunk == NULL ? FEWEST_OF_CHUNK : Min(2 * chunk->room, MOST_OF_CHUNK);

		chunk = MemoryContextAlloc(GetMemoryChunkContext(firsts),
								   offsetof(Chunk, words) + room * size);
		chunk->before = firsts->last;
		chunk->n = 0;
		chunk->room = room;
		firsts->last = chunk;
	}
	memcpy(chunk->words + chunk->n++ * firsts->nwords, fp, size);
}

/* Is a row the first one?  If so, remember its fingerprint. */
static bool
is_first(WindowObject window, Firsts *firsts, const uint64 *fp)
{
	bool		isnull;
	int32		distance = DatumGetInt32(WinGetFuncArgCurrent(window, 1, &isnull));

	distance = isnull ? near_distance(firsts->nbits) :
		Max(RADIUS_NONE, Min(distance, firsts->nbits));
	if (is_near_first(firsts, fp, distance))
		return false;
	add_first(firsts, fp);
	return true;
}

/* Return the fingerprint of the current row.  PostgreSQL may then forget the rows before it. */
static Datum
present_fingerprint(WindowObject window, bool *isnull)
{
	WinSetMarkPosition(window, WinGetCurrentPosition(window));
	return WinGetFuncArgCurrent(window, 0, isnull);
}

/* simhash_is_first(fp, distance) */
Datum
simhash_is_first(PG_FUNCTION_ARGS)
{
	WindowObject window = PG_WINDOW_OBJECT();
	bool		isnull;
	Simhash		fp = DatumGetSimhash(present_fingerprint(window, &isnull));
	Firsts	   *firsts;

	if (isnull)
		PG_RETURN_BOOL(true);
	firsts = firsts_of_partition(window);
	firsts->nbits = SIMHASH_BITS;
	firsts->nwords = 1;
	PG_RETURN_BOOL(is_first(window, firsts, &fp));
}

/* bit_is_first(fp, distance) */
Datum
bit_is_first(PG_FUNCTION_ARGS)
{
	WindowObject window = PG_WINDOW_OBJECT();
	bool		isnull;
	Datum		datum = present_fingerprint(window, &isnull);
	Firsts	   *firsts;
	BitValue	fp;
	uint64		words[MOST_WORDS];

	if (isnull)
		PG_RETURN_BOOL(true);
	firsts = firsts_of_partition(window);
	fp = DatumGetBitValue(datum);
	if (firsts->nbits == 0)
	{
		check_width(fp.nbits, BITS_STEP);
		firsts->nbits = fp.nbits;
		firsts->nwords = words_of_bits(fp.nbits);
	}
	if (fp.nbits != firsts->nbits)
		report_unlike_lengths(firsts->nbits, fp.nbits);
	bit_value_words(fp, words);
	PG_RETURN_BOOL(is_first(window, firsts, words));
}
