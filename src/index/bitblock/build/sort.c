/*-------------------------------------------------------------------------
 *
 * sort.c
 *		Sorting the entries of a new bitblock index.
 *
 * The caller adds entries in the order of their TIDs, and entries with equal windows keep
 * that order.  If the caller knows in advance how many entries begin with each value of
 * the first bits (bb_sort_expect), each entry goes straight to its range of the array or
 * to its file.
 *
 * If the entries do not fit in memory, they are distributed to temporary files by the
 * first bits of their windows, the leading value.  Each file receives as many leading
 * values as fit in memory, and is sorted when it is read.  A file whose only leading
 * value does not fit in memory is sorted by PostgreSQL's tuplesort.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "miscadmin.h"
#include "server/temp_files.h"
#include "server/tuple_sort.h"
#include "sort.h"
#include "utils/memutils.h"

/* The number of first bits of a window that decide in which file an entry goes */
#define LEADING_BITS			12
#define LEADING_VALUES			(1 << LEADING_BITS)
#define LEADING(window)			((int) ((window) >> (BB_WINDOW_BITS - LEADING_BITS)))

/* The initial size of an array, in entries */
#define FEWEST_ENTRIES			1024

/* Entries that a loop moves between two checks for interrupts */
#define CHECKED_ENTRIES			(1 << 20)

/* The most entries that are read from a file at once, unless its entries are sorted in memory */
#define PIECE_ENTRIES			(1 << 12)

struct BBSort
{
	MemoryContext context;
	int			memory_kb;
	int64		capacity;		/* entries that fit in memory */
	BBEntry    *entries;
	BBEntry    *scratch;		/* or NULL; used only while sorting */
	/* size of "entries", which grows up to the capacity */
	int64		room;
	int64		scratch_room;
	int64		n;				/* entries in the first array */
	int64		next;			/* number of the next entry to return */

	/* set by bb_sort_expect */
	/* number of first bits whose entries were counted, or 0 */
	int			place_bits;
	int			first_place;
	int			nplaces;
	/* by the value of these bits: the place of the next entry */
	int64	   *places;

	/* if the entries do not fit in memory */
	TempFiles  *temp_files;
	/* the first entries, if their values were not counted; or NULL */
	RecordFile *unsorted;
	int64		counts[LEADING_VALUES];
	uint16		file_of[LEADING_VALUES];
	int			nfiles;			/* 0: the entries fit in memory */
	RecordFile *files;
	int			file;			/* number of the current file */
	/* the current file, if it does not fit in memory; or NULL */
	TupleSort  *tuples;
};

/*
 * Begin a sort in the current memory context.  The two arrays grow until they use
 * memory_kb together.  The counts need more memory on top of that.
 */
BBSort *
bb_sort_begin(int memory_kb)
{
	BBSort	   *sort = palloc0(sizeof(BBSort));

	sort->context = AllocSetContextCreate(CurrentMemoryContext, "bitblock sort",
										  ALLOCSET_DEFAULT_SIZES);
	sort->memory_kb = memory_kb;
	sort->capacity = (int64) memory_kb * 1024 / 2 / sizeof(BBEntry);
	sort->capacity = Max(sort->capacity, FEWEST_ENTRIES);
	sort->room = FEWEST_ENTRIES;
	sort->entries = MemoryContextAlloc(sort->context, sort->room * sizeof(BBEntry));
	sort->temp_files = temp_files_begin(false);
	return sort;
}

/* Enlarge the first array to at least n entries.  The entries in it remain. */
static void
make_room(BBSort *sort, int64 n)
{
	if (n <= sort->room)
		return;
	sort->entries = repalloc_huge(sort->entries, n * sizeof(BBEntry));
	sort->room = n;
}

/* Empty the sort, so that it can be used again.  The caller must have read all entries. */
void
bb_sort_reset(BBSort *sort)
{
	if (sort->nfiles > 0)
	{
		pfree(sort->files);
		memset(sort->counts, 0, sizeof(sort->counts));
	}
	sort->nfiles = sort->file = 0;
	sort->n = sort->next = 0;
}

void
bb_sort_end(BBSort *sort)
{
	temp_files_end(sort->temp_files);
	pfree(sort->temp_files);
	MemoryContextDelete(sort->context);
	pfree(sort);
}

/* ----------
 * Files
 * ----------
 */

static inline void
write_entry(RecordFile *file, const BBEntry *entry)
{
	memcpy(record_file_add(file, sizeof(BBEntry)), entry, sizeof(BBEntry));
}

/* Read n entries of a file, from number "first" on, to the front of the array. */
static void
read_entries(BBSort *sort, const RecordFile *file, int64 first, int64 n)
{
	make_room(sort, n);
	temp_file_read(file->file, first * sizeof(BBEntry), sort->entries, n * sizeof(BBEntry));
}

/*
 * Make an empty file for each range of leading values.  Successive values share a file
 * while their entries fit in memory together.
 */
static void
make_files(BBSort *sort)
{
	int64		room = 0;
	int			n = 0;

	for (int v = 0; v < LEADING_VALUES; v++)
	{
		if (n == 0 || sort->counts[v] > room)
		{
			n++;
			room = sort->capacity;
		}
		room -= sort->counts[v];
		sort->file_of[v] = n - 1;
	}
	sort->nfiles = n;
	sort->files = MemoryContextAllocZero(sort->context, n * sizeof(RecordFile));
	for (int i = 0; i < n; i++)
		sort->files[i].file = temp_file_create(sort->temp_files);
}

/* Write an entry to the file of its leading value. */
static inline void
distribute_entry(BBSort *sort, const BBEntry *entry)
{
	write_entry(&sort->files[sort->file_of[LEADING(entry->window)]], entry);
}

/* ----------
 * In memory
 * ----------
 */

/* The eight bits of a window that begin with "bit", counted from the front. */
static inline int
window_byte(BBWindow window, int bit)
{
	return (window >> (BB_WINDOW_BITS - 8 - bit)) & 0xff;
}

/*
 * Copy entries from one array to the other, sorted by the eight bits that begin with
 * "bit".  The sort is stable.  ends[v] becomes the end of the entries with value v.
 */
static void
counting_pass(const BBEntry *from, BBEntry *to, int64 n, int bit, int64 ends[256])
{
	int64		sum = 0;

	memset(ends, 0, 256 * sizeof(int64));
	for (int64 i = 0; i < n;)
	{
		CHECK_FOR_INTERRUPTS();
		for (int64 end = Min(n, i + CHECKED_ENTRIES); i < end; i++)
			ends[window_byte(from[i].window, bit)]++;
	}
	for (int v = 0; v < 256; v++)
	{
		int64		count = ends[v];

		ends[v] = sum;
		sum += count;
	}
	for (int64 i = 0; i < n;)
	{
		CHECK_FOR_INTERRUPTS();
		for (int64 end = Min(n, i + CHECKED_ENTRIES); i < end; i++)
			to[ends[window_byte(from[i].window, bit)]++] = from[i];
	}
}

/*
 * Enlarge the second array so that it can hold the entries of the first one.  Its
 * contents are lost.
 */
static void
make_scratch(BBSort *sort)
{
	if (sort->n <= sort->scratch_room)
		return;
	if (sort->scratch != NULL)
		pfree(sort->scratch);
	sort->scratch = MemoryContextAllocHuge(sort->context, sort->room * sizeof(BBEntry));
	sort->scratch_room = sort->room;
}

/* Arrays shorter than this are sorted by insertion, or by comparison. */
#define INSERTION_LENGTH		32
#define COUNTING_LENGTH			512

/* Longer arrays are divided by their first eight bits before they are sorted. */
#define DIVIDING_LENGTH			(1 << 17)

static int
compare_entries(const void *a, const void *b)
{
	const BBEntry *x = a;
	const BBEntry *y = b;
	int			result = bb_compare_windows(x->window, y->window);

	if (result != 0)
		return result;
	return ItemPointerCompare(unconstify(ItemPointerData *, &x->tid),
							  unconstify(ItemPointerData *, &y->tid));
}

/* Sort entries by their windows.  The sort is stable. */
static void
sort_few(BBEntry *entries, int64 n)
{
	if (n >= INSERTION_LENGTH)
	{
		qsort(entries, n, sizeof(BBEntry), compare_entries);
		return;
	}
	for (int64 i = 1; i < n; i++)
	{
		BBEntry		entry = entries[i];
		int64		j = i;

		for (; j > 0 && bb_is_before(entry.window, entries[j - 1].window); j--)
			entries[j] = entries[j - 1];
		entries[j] = entry;
	}
}

/* Are the entries in the order of their windows? */
static bool
is_sorted(const BBEntry *entries, int64 n)
{
	for (int64 i = 1; i < n;)
	{
		CHECK_FOR_INTERRUPTS();
		for (int64 end = Min(n, i + CHECKED_ENTRIES); i < end; i++)
			if (bb_is_before(entries[i].window, entries[i - 1].window))
				return false;
	}
	return true;
}

/* Sort entries that are equal in the bits before "bit".  The scratch has room for them. */
static void
sort_range(BBEntry *entries, BBEntry *scratch, int64 n, int bit)
{
	int64		ends[256];
	int			shift;
	int64		from = 0;

	if (n < COUNTING_LENGTH)
	{
		sort_few(entries, n);
		return;
	}
	if (is_sorted(entries, n))
		return;

	/*
	 * Make two passes, so that the result is in the first array again.  After
	 * them, random entries are rarely equal.
	 */
	bit = Min(bit, BB_WINDOW_BITS - 16);
	shift = BB_WINDOW_BITS - (bit + 16);
	counting_pass(entries, scratch, n, bit + 8, ends);
	counting_pass(scratch, entries, n, bit, ends);
	for (int64 i = 1; i <= n; i++)
	{
		if (i % CHECKED_ENTRIES == 0)
			CHECK_FOR_INTERRUPTS();
		if (i < n && entries[i].window >> shift == entries[from].window >> shift)
			continue;
		if (i - from > 1)
			sort_range(entries + from, scratch, i - from, bit + 16);
		from = i;
	}
}

/*
 * Sort the array, which is already in the order of the bits before "bit".  It consists of
 * n ranges in which these bits are equal, and range i ends at ends[i].  The ranges are
 * sorted one by one, so that each remains in the processor's cache while it is sorted.
 */
static void
sort_ranges(BBSort *sort, const int64 *ends, int n, int bit)
{
	int64		from = 0;

	for (int i = 0; i < n; i++)
	{
		sort_range(sort->entries + from, sort->scratch, ends[i] - from, bit);
		from = ends[i];
	}
}

/* Sort the array.  Long arrays are divided first, and the two arrays change places. */
static void
sort_entries(BBSort *sort)
{
	BBEntry    *entries = sort->entries;
	int64		room = sort->room;
	int64		ends[256];

	make_scratch(sort);
	if (sort->n < DIVIDING_LENGTH)
	{
		sort_range(entries, sort->scratch, sort->n, 0);
		return;
	}
	counting_pass(entries, sort->scratch, sort->n, 0, ends);
	sort->entries = sort->scratch;
	sort->room = sort->scratch_room;
	sort->scratch = entries;
	sort->scratch_room = room;
	sort_ranges(sort, ends, lengthof(ends), 8);
}

/* ----------
 * Reading the files
 * ----------
 */

/* Sort a file that does not fit in memory by PostgreSQL's tuplesort. */
static void
sort_tuples(BBSort *sort, const RecordFile *file)
{
	static const TupleSortColumn columns[] = {INT8_COLUMN, INT8_COLUMN};
	int64		n;

	/* tuplesort uses the memory of the arrays */
	if (sort->scratch != NULL)
		pfree(sort->scratch);
	sort->scratch = NULL;
	sort->scratch_room = 0;
	pfree(sort->entries);
	sort->entries = MemoryContextAlloc(sort->context, PIECE_ENTRIES * sizeof(BBEntry));
	sort->room = PIECE_ENTRIES;

	sort->tuples = tuple_sort_begin(columns, lengthof(columns), lengthof(columns),
									(size_t) sort->memory_kb * 1024, TUPLESORT_NONE);
	for (int64 first = 0; first < file->n; first += n)
	{
		CHECK_FOR_INTERRUPTS();
		n = Min(file->n - first, PIECE_ENTRIES);
		read_entries(sort, file, first, n);
		for (int64 i = 0; i < n; i++)
		{
			Datum		values[lengthof(columns)];

			/*
			 * the windows begin with the same bit, so signed integers have
			 * their order
			 */
			values[0] = Int64GetDatum((int64) sort->entries[i].window);
			values[1] = Int64GetDatum((int64) bb_tid_number(&sort->entries[i].tid));
			tuple_sort_put(sort->tuples, values);
		}
	}
	tuplesort_performsort(sort->tuples->state);
}

/*
 * Load the next file into the array and sort it.  If it does not fit, load_tuples returns
 * its entries.
 */
static void
load_next_file(BBSort *sort)
{
	const RecordFile *file = &sort->files[sort->file++];

	if (file->n > sort->capacity)
		sort_tuples(sort, file);
	else
	{
		read_entries(sort, file, 0, file->n);
		sort->n = file->n;
		sort_entries(sort);
	}
	temp_file_remove(file->file);
}

/* Load the next entries of the tuplesort into the array, or end it if there are none. */
static void
load_tuples(BBSort *sort)
{
	const Datum *values = NULL;

	while (sort->n < PIECE_ENTRIES && (values = tuple_sort_next(sort->tuples)) != NULL)
	{
		BBEntry    *entry = &sort->entries[sort->n++];

		entry->window = (uint64) DatumGetInt64(values[0]);
		bb_number_tid(DatumGetInt64(values[1]), &entry->tid);
	}
	if (sort->n > 0)
		return;
	tuple_sort_end(sort->tuples);
	sort->tuples = NULL;
}

/* Load the next entries into the array.  Returns false at the end. */
static bool
load(BBSort *sort)
{
	sort->next = sort->n = 0;
	while (sort->n == 0 && (sort->tuples != NULL || sort->file < sort->nfiles))
	{
		if (sort->tuples != NULL)
			load_tuples(sort);
		else
			load_next_file(sort);
	}
	return sort->n > 0;
}

/* ----------
 * Interface
 * ----------
 */

/*
 * Prepare for n entries whose first "bits" bits have a value from "from" to "to" - 1.
 * counts[value] is the number of entries with that value.  Each entry then goes straight
 * to its place in memory or to its file, which saves a pass of the sort.  If the entries
 * of one value do not fit in memory, the function has no effect.  The sort must be empty.
 */
void
bb_sort_expect(BBSort *sort, int bits, const int64 *counts, int from, int to, int64 n)
{
	int64		sum = 0;

	if (n > sort->capacity)
	{
		for (int i = from; i < to; i++)
			if (counts[i] > sort->capacity)
				return;
		for (int i = from; i < to; i++)
			sort->counts[i << (LEADING_BITS - bits)] = counts[i];
		make_files(sort);
		return;
	}
	make_room(sort, n);
	sort->place_bits = bits;
	sort->first_place = from;
	sort->nplaces = to - from;
	sort->places = MemoryContextAlloc(sort->context, sort->nplaces * sizeof(int64));
	for (int i = 0; i < sort->nplaces; i++)
	{
		sort->places[i] = sum;
		sum += counts[from + i];
	}
}

/* Write the entries in memory to the file of unsorted entries, and count their leading values. */
static void
spill(BBSort *sort)
{
	if (sort->unsorted == NULL)
	{
		sort->unsorted = MemoryContextAllocZero(sort->context, sizeof(RecordFile));
		sort->unsorted->file = temp_file_create(sort->temp_files);
	}
	for (int64 i = 0; i < sort->n; i++)
	{
		sort->counts[LEADING(sort->entries[i].window)]++;
		write_entry(sort->unsorted, &sort->entries[i]);
	}
	sort->n = 0;
}

/* Distribute the unsorted entries, now that their leading values have been counted. */
static void
distribute(BBSort *sort)
{
	RecordFile *file = sort->unsorted;
	int64		n;

	spill(sort);
	record_file_flush(file);
	make_files(sort);
	for (int64 first = 0; first < file->n; first += n)
	{
		n = Min(file->n - first, PIECE_ENTRIES);
		read_entries(sort, file, first, n);
		for (int64 i = 0; i < n; i++)
			distribute_entry(sort, &sort->entries[i]);
	}
	temp_file_remove(file->file);
	pfree(file);
	sort->unsorted = NULL;
}

/*
 * Add an entry.  The caller adds all entries in ascending order of their TIDs before it
 * calls bb_sort_perform.
 */
void
bb_sort_put(BBSort *sort, BBWindow window, const ItemPointerData *tid)
{
	BBEntry		entry;
	int64		place = sort->n;

	memset(&entry, 0, sizeof(BBEntry));
	entry.window = window;
	entry.tid = *tid;
	if (sort->nfiles > 0)
	{
		distribute_entry(sort, &entry);
		return;
	}
	if (sort->place_bits > 0)
		place = sort->places[(int) (window >> (BB_WINDOW_BITS - sort->place_bits)) -
							 sort->first_place]++;
	else if (sort->n == sort->room && sort->room < sort->capacity)
		make_room(sort, Min(2 * sort->room, sort->capacity));
	else if (sort->n == sort->room)
	{
		spill(sort);
		place = 0;
	}
	sort->n++;
	sort->entries[place] = entry;
}

/* Sort the entries in memory. */
static void
sort_in_memory(BBSort *sort)
{
	if (sort->place_bits > 0)
	{
		make_scratch(sort);
		sort_ranges(sort, sort->places, sort->nplaces, sort->place_bits);
		pfree(sort->places);
		sort->place_bits = 0;
	}
	else
		sort_entries(sort);
}

/*
 * Sort all entries.  The caller then reads them with bb_sort_take, and adds no others
 * before bb_sort_reset.
 */
void
bb_sort_perform(BBSort *sort)
{
	if (sort->unsorted != NULL)
		distribute(sort);
	else if (sort->nfiles == 0)
		sort_in_memory(sort);
	for (int i = 0; i < sort->nfiles; i++)
		record_file_flush(&sort->files[i]);
}

/* Return up to "max" entries in their order.  The result is their number, 0 at the end. */
int
bb_sort_take(BBSort *sort, BBEntry *entries, int max)
{
	int			n = 0;

	while (n < max && (sort->next < sort->n || load(sort)))
		entries[n++] = sort->entries[sort->next++];
	return n;
}
