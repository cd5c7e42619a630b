/*-------------------------------------------------------------------------
 *
 * sort.c
 *		Sorting the entries of a new bitblock index.
 *
 * The caller adds entries in the order of their TIDs, and entries with equal windows keep
 * that order.  If the entries do not fit in memory, they are distributed to temporary
 * files by the first bits of their windows, and each file is sorted when it is read.  A
 * file that does not fit in memory is divided in the same way by the first bits in which
 * its entries differ, and a file of equal windows is already sorted.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "miscadmin.h"
#include "server/temp_files.h"
#include "sort.h"
#include "utils/memutils.h"

/* The initial size of an array, in entries */
#define FEWEST_ENTRIES			1024

/* Entries that a loop moves between two checks for interrupts */
#define CHECKED_ENTRIES			(1 << 20)

/* The most entries that are read at once from a file that is not sorted in memory */
#define PIECE_ENTRIES			FEWEST_ENTRIES

/* Entries on disk, in the order in which they were added */
typedef struct SortFile
{
	RecordFile	entries;
	BBWindow	any;			/* the bits that are set in any window */
	BBWindow	all;			/* and in all windows */
	struct SortFile *next;
} SortFile;

struct BBSort
{
	MemoryContext context;
	int64		capacity;		/* entries that fit in memory, or all */
	BBEntry    *entries;
	BBEntry    *scratch;		/* or NULL; used only while sorting */
	/* size of "entries", which grows up to the capacity */
	int64		room;
	int64		scratch_room;
	int64		n;				/* entries in the first array */

	/* if the entries do not fit in memory */
	TempFiles  *temp_files;
	int64		expected;		/* number of entries, at most */
	const int64 *counts;		/* entries of each bucket; NULL: unknown */
	/* the first of the bits by which entries are now distributed */
	int			bit;
	SortFile   *file_of[BB_BUCKETS];	/* by the value of these bits */
	SortFile   *files;			/* in the order of their entries, or NULL */
	int64		nread;			/* entries of the first file that are read */
};

/*
 * Begin a sort in the current memory context.  The two arrays grow until they use
 * memory_kb together.  At most n entries are expected.
 */
BBSort *
bb_sort_begin(int memory_kb, int64 n)
{
	BBSort	   *sort = palloc0(sizeof(BBSort));

	sort->context = AllocSetContextCreate(CurrentMemoryContext, "bitblock sort",
										  ALLOCSET_DEFAULT_SIZES);
	sort->capacity = Min((int64) memory_kb * 1024 / 2 / (int64) sizeof(BBEntry), n);
	sort->capacity = Max(sort->capacity, FEWEST_ENTRIES);
	sort->room = FEWEST_ENTRIES;
	sort->entries = MemoryContextAlloc(sort->context, sort->room * sizeof(BBEntry));
	sort->temp_files = temp_files_begin(false);
	sort->expected = n;
	return sort;
}

/* Tell how many entries of each bucket will be added.  The array is the caller's. */
void
bb_sort_expect(BBSort *sort, const int64 *counts)
{
	sort->counts = counts;
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
	sort->n = 0;
	sort->counts = NULL;
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

static inline int
bucket_of_entry(const BBSort *sort, const BBEntry *entry)
{
	return (entry->window << sort->bit) >> (BB_WINDOW_BITS - BB_BUCKET_BITS);
}

/*
 * Make files before those that are left, and give each bucket to one of them.  A file has
 * at most "most" entries, unless they are of one bucket.
 */
static void
make_files(BBSort *sort, const int64 *counts, int64 most)
{
	SortFile  **next = &sort->files;
	SortFile   *rest = sort->files;
	SortFile   *file = NULL;
	int64		n = 0;

	for (int bucket = 0; bucket < BB_BUCKETS; bucket++)
	{
		n += counts[bucket];
		if (file == NULL || n > most)
		{
			file = MemoryContextAllocZero(sort->context, sizeof(SortFile));
			file->entries.file = temp_file_create(sort->temp_files);
			file->all = ~UINT64CONST(0);
			file->next = rest;
			*next = file;
			next = &file->next;
			n = counts[bucket];
		}
		sort->file_of[bucket] = file;
	}
}

/* Write an entry to the file of its bucket. */
static inline void
write_entry(BBSort *sort, const BBEntry *entry)
{
	SortFile   *file = sort->file_of[bucket_of_entry(sort, entry)];

	file->any |= entry->window;
	file->all &= entry->window;
	memcpy(record_file_add(&file->entries, sizeof(BBEntry)), entry, sizeof(BBEntry));
}

/*
 * Write the entries in memory to files that are made for all entries.  If the caller does
 * not know the buckets, the entries in memory are taken as a sample of all.
 */
static void
spill(BBSort *sort)
{
	int64		sample[BB_BUCKETS] = {0};

	sort->bit = 0;
	for (int64 i = 0; i < sort->n; i++)
		sample[bucket_of_entry(sort, &sort->entries[i])]++;
	if (sort->counts != NULL)
		make_files(sort, sort->counts, sort->capacity);
	else
		make_files(sort, sample, (int64) ((double) sort->n * sort->capacity / 2 /
										  Max(sort->expected, sort->n)));
	for (int64 i = 0; i < sort->n; i++)
		write_entry(sort, &sort->entries[i]);
	sort->n = 0;
}

/* Read n entries of a file, from number "first" on, to the front of the array. */
static void
read_entries(BBSort *sort, const RecordFile *file, int64 first, int64 n)
{
	make_room(sort, n);
	temp_file_read(file->file, first * sizeof(BBEntry), sort->entries, n * sizeof(BBEntry));
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

/* Arrays shorter than this are sorted by comparison. */
#define COUNTING_LENGTH			512

/* Longer arrays are divided by their first eight bits before they are sorted. */
#define DIVIDING_LENGTH			(1 << 17)

static inline int
compare_entries(const BBEntry *a, const BBEntry *b)
{
	if (a->window != b->window)
		return a->window < b->window ? -1 : 1;
	return ItemPointerCompare(unconstify(ItemPointerData *, &a->tid),
							  unconstify(ItemPointerData *, &b->tid));
}

#define ST_SORT sort_by_comparison
#define ST_ELEMENT_TYPE BBEntry
#define ST_COMPARE(a, b) compare_entries(a, b)
#define ST_SCOPE static
#define ST_DEFINE
#include "lib/sort_template.h"

/* Are the entries in the order of their windows? */
static bool
is_sorted(const BBEntry *entries, int64 n)
{
	for (int64 i = 1; i < n;)
	{
		CHECK_FOR_INTERRUPTS();
		for (int64 end = Min(n, i + CHECKED_ENTRIES); i < end; i++)
			if (entries[i].window < entries[i - 1].window)
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
		sort_by_comparison(entries, n);
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
 * Sort the array, whose entries are equal in the bits before "bit".  A long array is
 * divided by the next eight bits, and the two arrays change places.  Then each part
 * remains in the processor's cache while it is sorted.
 */
static void
sort_entries(BBSort *sort, int bit)
{
	BBEntry    *entries = sort->entries;
	int64		room = sort->room;
	int64		ends[256];
	int64		from = 0;

	make_scratch(sort);
	if (sort->n < DIVIDING_LENGTH)
	{
		sort_range(entries, sort->scratch, sort->n, bit);
		return;
	}
	counting_pass(entries, sort->scratch, sort->n, bit, ends);
	sort->entries = sort->scratch;
	sort->room = sort->scratch_room;
	sort->scratch = entries;
	sort->scratch_room = room;
	for (int i = 0; i < lengthof(ends); i++)
	{
		sort_range(sort->entries + from, sort->scratch, ends[i] - from, bit + 8);
		from = ends[i];
	}
}

/* ----------
 * Reading the files
 * ----------
 */

/* Divide a file that does not fit in memory by the bits that begin with "bit". */
static void
divide_file(BBSort *sort, const RecordFile *file, int bit)
{
	int64		counts[BB_BUCKETS] = {0};

	sort->bit = bit;
	for (int pass = 0; pass < 2; pass++)
	{
		if (pass == 1)
			make_files(sort, counts, sort->capacity);
		for (int64 first = 0; first < file->n; first += PIECE_ENTRIES)
		{
			int64		n = Min(file->n - first, PIECE_ENTRIES);

			CHECK_FOR_INTERRUPTS();
			read_entries(sort, file, first, n);
			for (int64 i = 0; i < n; i++)
				if (pass == 0)
					counts[bucket_of_entry(sort, &sort->entries[i])]++;
				else
					write_entry(sort, &sort->entries[i]);
		}
	}
}

/*
 * Load the next entries into the array, sorted: the next file, or a piece of it if all its
 * windows are equal.  Loads none if the file is empty or is divided.
 */
static void
load(BBSort *sort)
{
	SortFile   *file = sort->files;
	RecordFile *entries = &file->entries;
	BBWindow	differing = file->any & ~file->all;
	int			bit = differing == 0 ? 0 : BB_WINDOW_BITS - 1 - pg_leftmost_one_pos64(differing);

	if (sort->nread == 0)
		record_file_flush(entries);
	if (differing == 0 && entries->n - sort->nread > PIECE_ENTRIES)
	{
		sort->n = PIECE_ENTRIES;
		read_entries(sort, entries, sort->nread, sort->n);
		sort->nread += sort->n;
		return;
	}

	/* This is the last piece, and the list goes on after the file. */
	sort->files = file->next;
	if (differing != 0 && entries->n > sort->capacity)
		divide_file(sort, entries, Min(bit, BB_WINDOW_BITS - BB_BUCKET_BITS));
	else
	{
		sort->n = entries->n - sort->nread;
		read_entries(sort, entries, sort->nread, sort->n);
		if (differing != 0)
			sort_entries(sort, Min(bit, BB_WINDOW_BITS - 16));
	}
	sort->nread = 0;
	temp_file_remove(entries->file);
	pfree(file);
}

/* ----------
 * Interface
 * ----------
 */

/*
 * Add an entry.  The caller adds all entries in ascending order of their TIDs before it
 * calls bb_sort_perform.
 */
void
bb_sort_put(BBSort *sort, BBWindow window, const ItemPointerData *tid)
{
	BBEntry		entry;

	memset(&entry, 0, sizeof(BBEntry));
	entry.window = window;
	entry.tid = *tid;
	if (sort->files == NULL && sort->n == sort->room && sort->room < sort->capacity)
		make_room(sort, Min(2 * sort->room, sort->capacity));
	else if (sort->files == NULL && sort->n == sort->room)
		spill(sort);
	if (sort->files != NULL)
		write_entry(sort, &entry);
	else
		sort->entries[sort->n++] = entry;
}

/*
 * Sort all entries.  The caller then reads them with bb_sort_next, and adds no others
 * before bb_sort_reset.
 */
void
bb_sort_perform(BBSort *sort)
{
	if (sort->files == NULL)
		sort_entries(sort, 0);
}

/*
 * Return the next entries in their order, and set *n to their number, which is 0 at the
 * end.  They are valid until the next call.
 */
const BBEntry *
bb_sort_next(BBSort *sort, int64 *n)
{
	while (sort->n == 0 && sort->files != NULL)
		load(sort);
	*n = sort->n;
	sort->n = 0;
	return sort->entries;
}
