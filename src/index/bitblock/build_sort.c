/*-------------------------------------------------------------------------
 *
 * build_sort.c
 *		Sorting the entries of a new bitblock index.
 *
 * The caller puts the entries in the order of their TIDs, and entries with equal windows keep
 * that order.  If the caller knows how many entries have the same first bits (bb_sort_expect), each
 * entry goes to its place or its file at once.
 *
 * Entries that do not fit in memory go to temporary files by the first bits of their windows.  Each
 * file gets as many values as fit in memory, and is sorted when it is read.  If the entries of one
 * value do not fit, the sort is a radix sort of files: it distributes the entries by one block
 * after the other, the last block first, and each distribution keeps the order of the one before.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "build_sort.h"
#include "miscadmin.h"
#include "server/temp_files.h"
#include "utils/memutils.h"

/* The first bits of a block, which decide the file of an entry */
#define LEADING_BITS			12
#define LEADING_VALUES			(1 << LEADING_BITS)
#define REST_BITS				(BB_BLOCK_BITS - LEADING_BITS)
#define LEADING(block_value)		((block_value) >> REST_BITS)

/* The room of an array at first */
#define FEWEST_ENTRIES			1024

/* Entries that a loop moves between two checks for interrupts */
#define CHECKED_ENTRIES			(1 << 20)

/* An order: one file after the other, each sorted by "block" when it is read. */
typedef struct SortFiles
{
	int			block;			/* -1: the files are read as they are */
	bool		unsorted;		/* are the entries not yet in the order of the
								 * other blocks? */
	int			n;
	RecordFile *files;
	uint16		file_of[LEADING_VALUES];
} SortFiles;

struct BBSort
{
	MemoryContext context;
	int64		capacity;		/* entries that fit in memory */
	BBEntry    *entries;
	BBEntry    *scratch;		/* or NULL; only a sort uses it */
	int64		room;			/* of the first array, which grows up to the
								 * capacity */
	int64		scratch_room;
	int64		n;				/* entries in the first array */
	int64		next;			/* number of the next entry to return */
	int64		counts[BB_WINDOW_BLOCKS][LEADING_VALUES];

	/* if the numbers of entries with the same first bits are known before */
	int			place_bits;		/* 0: they are not */
	int			first_place;
	int			nplaces;
	int64	   *places;			/* of the next entry with such bits */

	/* if the entries do not fit in memory */
	bool		external;
	TempFiles  *temp_files;
	SortFiles  *current;
	int			file;			/* number of the present file */
	int			round;			/* for a file too large for memory: the
								 * present value of the block's last bits */
	int64		nread;			/* entries read of such a file */
	SortFiles  *following;		/* files filled while reading, or NULL */
};

/*
 * Begin a sort in the current memory context.  The two arrays grow until they need memory_kb.
 * The counts need memory besides.
 */
BBSort *
bb_sort_begin(int memory_kb)
{
	BBSort	   *sort = palloc0(sizeof(BBSort));

	sort->context = AllocSetContextCreate(CurrentMemoryContext, "bitblock sort",
										  ALLOCSET_DEFAULT_SIZES);
	sort->capacity = (int64) memory_kb * 1024 / 2 / sizeof(BBEntry);
	sort->capacity = Max(sort->capacity, FEWEST_ENTRIES);
	sort->room = FEWEST_ENTRIES;
	sort->entries = MemoryContextAlloc(sort->context, sort->room * sizeof(BBEntry));
	sort->temp_files = temp_files_begin(false);
	return sort;
}

static void
free_files(SortFiles *files)
{
	pfree(files->files);
	pfree(files);
}

/* Let the first array have room for n entries.  Those in it stay. */
static void
make_room(BBSort *sort, int64 n)
{
	if (n <= sort->room)
		return;
	sort->entries = repalloc_huge(sort->entries, n * sizeof(BBEntry));
	sort->room = n;
}

/* Make the sort empty.  The caller must have read all entries. */
void
bb_sort_reset(BBSort *sort)
{
	if (sort->external)
	{
		free_files(sort->current);
		sort->current = NULL;
		memset(sort->counts, 0, sizeof(sort->counts));
	}
	sort->external = false;
	sort->file = sort->round = 0;
	sort->n = sort->next = sort->nread = 0;
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

/* Write an entry to its one of the following files. */
static inline void
distribute_entry(BBSort *sort, const BBEntry *entry)
{
	SortFiles  *following = sort->following;
	int			value = LEADING(bb_window_block(entry->window, following->block));

	write_entry(&following->files[following->file_of[value]], entry);
}

/* Read the next n entries of a file to the front of the array. */
static void
read_entries(BBSort *sort, const RecordFile *file, int64 n)
{
	make_room(sort, n);
	temp_file_read(file->file, sort->nread * sizeof(BBEntry), sort->entries, n * sizeof(BBEntry));
	sort->nread += n;
}

/* Make empty files for an order by a block; a single file if block is -1. */
static SortFiles *
make_files(BBSort *sort, int block)
{
	SortFiles  *files = MemoryContextAllocZero(sort->context, sizeof(SortFiles));
	int64		room = 0;
	int			n = 0;

	files->block = block;
	if (block < 0)
		n = 1;
	else
		for (int v = 0; v < LEADING_VALUES; v++)
		{
			if (n == 0 || sort->counts[block][v] > room)
			{
				n++;
				room = sort->capacity;
			}
			room -= sort->counts[block][v];
			files->file_of[v] = n - 1;
		}
	files->n = n;
	files->files = MemoryContextAllocZero(sort->context, n * sizeof(RecordFile));
	for (int i = 0; i < n; i++)
		files->files[i].file = temp_file_create(sort->temp_files);
	return files;
}

/* ----------
 * In memory
 * ----------
 */

/* Eight bits of a window from a bit on that counts from the front. */
static inline int
window_byte(BBWindow window, int bit)
{
	return (window >> (BB_WINDOW_BITS - 8 - bit)) & 0xff;
}

/*
 * One stable pass from one array to the other by eight bits.  "ends" becomes the end of each
 * value's entries.
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

/* Let the second array have room for the entries of the first one. */
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

/* Sort the array by a block.  The sort is stable. */
static void
sort_entries_by_block(BBSort *sort, int block)
{
	int64		ends[256];

	make_scratch(sort);
	StaticAssertStmt(BB_BLOCK_BITS == 16, "two passes of 8 bits");
	counting_pass(sort->entries, sort->scratch, sort->n, block * BB_BLOCK_BITS + 8, ends);
	counting_pass(sort->scratch, sort->entries, sort->n, block * BB_BLOCK_BITS, ends);
}

/* Arrays shorter than this are sorted by insertion, or by comparison. */
#define INSERTION_LENGTH		32
#define COUNTING_LENGTH			512

/* Longer ones are divided before they are sorted. */
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
	/* an even number of passes, after which random entries rarely are equal */
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
 * Sort the array, given that it is in the order of the bits before "bit", and where the n ranges of
 * equal bits end.  A range is in the processor's cache meanwhile.
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

/* Sort the array. */
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
 * Interface
 * ----------
 */

/*
 * The caller puts n entries, all of them with the first bits from .. to - 1, and
 * counts[first bits] of each.  So each entry gets its place in memory or its file at once, which
 * saves a pass of the sort.  The sort must be empty.
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
			sort->counts[0][i << (LEADING_BITS - bits)] = counts[i];
		sort->external = true;
		sort->following = make_files(sort, 0);
		sort->following->unsorted = true;
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

/* Write the entries in memory to the first file, and count them by leading values. */
static void
spill(BBSort *sort)
{
	for (int64 i = 0; i < sort->n; i++)
	{
		const BBEntry *entry = &sort->entries[i];

		for (int b = 0; b < BB_WINDOW_BLOCKS; b++)
			sort->counts[b][LEADING(bb_window_block(entry->window, b))]++;
		write_entry(&sort->current->files[0], entry);
	}
	sort->n = 0;
}

/* Put an entry.  The caller puts all entries first, in ascending order of their TIDs. */
void
bb_sort_put(BBSort *sort, BBWindow window, const ItemPointerData *tid)
{
	BBEntry		entry;
	int64		place = sort->n;

	memset(&entry, 0, sizeof(BBEntry));
	entry.window = window;
	entry.tid = *tid;
	if (sort->following != NULL)
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
		if (!sort->external)
		{
			sort->external = true;
			sort->current = make_files(sort, -1);
		}
		spill(sort);
		place = 0;
	}
	sort->n++;
	sort->entries[place] = entry;
}

/* Load and sort a file that fits in memory. */
static void
load_whole(BBSort *sort, const RecordFile *file)
{
	read_entries(sort, file, file->n);
	sort->n = file->n;
	if (sort->current->unsorted)
		sort_entries(sort);
	else
		sort_entries_by_block(sort, sort->current->block);
}

/*
 * Load the next piece of a file that is read as it is, or that is too large for memory.  In an
 * order by a block, a file that is too large has only one leading value.  The sort reads it
 * once for each value of the block's remaining bits.  A piece may be empty.
 */
static void
load_piece(BBSort *sort, const RecordFile *file)
{
	int			block = sort->current->block;
	int64		n = Min(file->n - sort->nread, Min(sort->capacity, CHECKED_ENTRIES));

	read_entries(sort, file, n);
	if (block < 0)
	{
		sort->n = n;
		return;
	}
	for (int64 i = 0; i < n; i++)
		if ((bb_window_block(sort->entries[i].window, block) &
			 ((1 << REST_BITS) - 1)) == sort->round)
			sort->entries[sort->n++] = sort->entries[i];
	if (sort->nread == file->n && sort->round < (1 << REST_BITS) - 1)
	{
		sort->round++;
		sort->nread = 0;
	}
}

/* Load the next of the files, or of its pieces; false at the end. */
static bool
load(BBSort *sort)
{
	SortFiles  *current = sort->current;

	sort->next = sort->n = 0;
	while (sort->n == 0)
	{
		const RecordFile *file = &current->files[sort->file];

		if (sort->file == current->n)
			return false;
		if (file->n > 0 && current->block >= 0 && file->n <= sort->capacity)
			load_whole(sort, file);
		else if (sort->nread < file->n)
			load_piece(sort, file);
		if (sort->nread == file->n)
		{
			temp_file_remove(file->file);
			sort->file++;
			sort->round = 0;
			sort->nread = 0;
		}
	}
	return true;
}

/* The next entry in the present order; false at the end. */
static inline bool
next_entry(BBSort *sort, BBEntry *entry)
{
	if (sort->next == sort->n && !(sort->external && load(sort)))
		return false;
	*entry = sort->entries[sort->next++];
	if (sort->following != NULL)
		distribute_entry(sort, entry);
	return true;
}

/* Read the present order to its end.  That fills the following files. */
static void
distribute(BBSort *sort)
{
	BBEntry		entry;

	while (next_entry(sort, &entry))
		;
}

/*
 * Take the filled files as the present order, and make the files for the next order if it is by a
 * block.
 */
static void
advance(BBSort *sort, int next_block)
{
	if (sort->current != NULL)
		free_files(sort->current);
	sort->current = sort->following;
	for (int i = 0; i < sort->current->n; i++)
		record_file_flush(&sort->current->files[i]);
	sort->file = 0;
	sort->n = sort->next = 0;
	sort->following = next_block < 0 ? NULL : make_files(sort, next_block);
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
	sort->next = 0;
}

/* Sort the entries of the first file and those in memory by files. */
static void
sort_by_files(BBSort *sort)
{
	bool		fits = true;

	spill(sort);
	record_file_flush(&sort->current->files[0]);
	sort->next = 0;
	for (int v = 0; v < LEADING_VALUES; v++)
		if (sort->counts[0][v] > sort->capacity)
			fits = false;
	if (fits)
	{
		sort->following = make_files(sort, 0);
		sort->following->unsorted = true;
		distribute(sort);
		return;
	}
	sort->following = make_files(sort, BB_WINDOW_BLOCKS - 1);
	distribute(sort);
	for (int block = BB_WINDOW_BLOCKS - 2; block >= 0; block--)
	{
		advance(sort, block);
		distribute(sort);
	}
}

/* Sort all entries.  The caller then takes them, and puts no other entries before bb_sort_reset. */
void
bb_sort_perform(BBSort *sort)
{
	if (!sort->external)
	{
		sort_in_memory(sort);
		return;
	}
	if (sort->following == NULL)
		sort_by_files(sort);
	advance(sort, -1);
}

/* Take up to "max" entries in their order.  Returns their number; 0 at the end. */
int
bb_sort_take(BBSort *sort, BBEntry *entries, int max)
{
	int			n = 0;

	while (n < max && next_entry(sort, &entries[n]))
		n++;
	return n;
}
