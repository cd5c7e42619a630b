/*-------------------------------------------------------------------------
 *
 * sort.c
 *		Sorting the entries of a new bitblock index.
 *
 * The caller adds entries in the order of their TIDs, and entries with equal windows keep that
 * order.  If the caller knows in advance how many entries begin with each value of the first bits
 * (bb_sort_expect), each entry goes straight to its range of the array or to its file.
 *
 * If the entries do not fit in memory, they are distributed to temporary files by the first bits of
 * their windows, the leading value.  Each file receives as many leading values as fit in memory,
 * and is sorted when it is read.  If the entries of a single leading value do not fit, the sort
 * becomes a radix sort over files: it distributes all entries by one block after the other, the
 * last block first, and each distribution keeps the order of the one before.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "miscadmin.h"
#include "server/temp_files.h"
#include "sort.h"
#include "utils/memutils.h"

/* The number of first bits of a block that decide in which file an entry goes */
#define LEADING_BITS			12
#define LEADING_VALUES			(1 << LEADING_BITS)
#define REST_BITS				(BB_BLOCK_BITS - LEADING_BITS)
#define LEADING(block_value)		((block_value) >> REST_BITS)

/* The initial size of an array, in entries */
#define FEWEST_ENTRIES			1024

/* Entries that a loop moves between two checks for interrupts */
#define CHECKED_ENTRIES			(1 << 20)

/*
 * The files of one distribution by the leading values of "block".  They are read one after the
 * other, and each is sorted when it is loaded.
 */
typedef struct SortFiles
{
	int			block;			/* -1: the files are read as they are */
	bool		unsorted;		/* sort a file by whole windows, because it is
								 * not yet in the order of the other blocks? */
	int			n;
	RecordFile *files;
	uint16		file_of[LEADING_VALUES];
} SortFiles;

struct BBSort
{
	MemoryContext context;
	int64		capacity;		/* entries that fit in memory */
	BBEntry    *entries;
	BBEntry    *scratch;		/* or NULL; used only while sorting */
	int64		room;			/* size of "entries", which grows up to the
								 * capacity */
	int64		scratch_room;
	int64		n;				/* entries in the first array */
	int64		next;			/* number of the next entry to return */
	int64		counts[BB_WINDOW_BLOCKS][LEADING_VALUES];

	/* set by bb_sort_expect */
	int			place_bits;		/* number of first bits whose entries were
								 * counted in advance, or 0 */
	int			first_place;
	int			nplaces;
	int64	   *places;			/* by the value of these bits: the place of
								 * the next entry */

	/* if the entries do not fit in memory */
	bool		external;
	TempFiles  *temp_files;
	SortFiles  *current;
	int			file;			/* number of the current file */
	int			round;			/* for a file too large for memory: the value
								 * of the block's last bits that is being read */
	int64		nread;			/* entries read from the current file in this
								 * round */
	SortFiles  *following;		/* files that are filled while the current
								 * ones are read, or NULL */
};

/*
 * Begin a sort in the current memory context.  The two arrays grow until they use memory_kb
 * together.  The counts need more memory on top of that.
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

/* Write an entry to that one of the following files to which it belongs. */
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

/*
 * Make empty files for a distribution by a block, or a single file if block is -1.  Successive
 * leading values share a file while their entries fit in memory together.
 */
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

/* The eight bits of a window that begin with "bit", counted from the front. */
static inline int
window_byte(BBWindow window, int bit)
{
	return (window >> (BB_WINDOW_BITS - 8 - bit)) & 0xff;
}

/*
 * Copy entries from one array to the other, sorted by the eight bits that begin with "bit".  The
 * sort is stable.  ends[v] becomes the end of the entries with value v.
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
 * Enlarge the second array so that it can hold the entries of the first one.  Its contents are
 * lost.
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
 * Sort the array, which is already in the order of the bits before "bit".  It consists of n ranges
 * in which these bits are equal, and range i ends at ends[i].  The ranges are sorted one by one, so
 * that each remains in the processor's cache while it is sorted.
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
 * Interface
 * ----------
 */

/*
 * Prepare for n entries whose first "bits" bits have a value from "from" to "to" - 1.
 * counts[value] is the number of entries with that value.  Each entry then goes straight to its
 * place in memory or to its file, which saves a pass of the sort.  If the entries of one value do
 * not fit in memory, the function has no effect.  The sort must be empty.
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

/*
 * Write the entries in memory to the first file, and count them by the leading value of each block.
 */
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

/*
 * Add an entry.  The caller adds all entries in ascending order of their TIDs before it calls
 * bb_sort_perform.
 */
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
 * Load the next piece of a file that need not be sorted, or that is too large to be sorted in
 * memory.  A piece may be empty.
 */
static void
load_piece(BBSort *sort, const RecordFile *file)
{
	int			block = sort->current->block;
	int64		n = Min(file->n - sort->nread, Min(sort->capacity, CHECKED_ENTRIES));

	/*
	 * A file that is too large for memory contains only one leading value,
	 * because make_files gives a new file to each value that does not fit. So
	 * its entries differ, within this block, only in the block's last
	 * REST_BITS bits.  Read the file once for each value of these bits, in
	 * ascending order, and return the entries with that value.  Each round
	 * keeps the order of the file, so the rounds together are a stable sort
	 * by the block, and need no more memory than one piece.
	 *
	 * After the last entry of a round, begin the next round at the front of
	 * the file.  After the last round, nread remains at the end of the file,
	 * which tells load() that the file is finished.
	 */
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

/* Load the next file, or the next piece of a file, into the array.  Returns false at the end. */
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

/*
 * Return the next entry of the current files, and also write it to the following files if there are
 * any.  Returns false at the end.
 */
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

/* Read the current files to their end, which fills the following files. */
static void
distribute(BBSort *sort)
{
	BBEntry		entry;

	while (next_entry(sort, &entry))
		;
}

/*
 * Make the following files, which have been filled, the current ones.  If next_block is not -1,
 * make new following files for a distribution by that block.
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

/*
 * Distribute the entries of the first file and those in memory to files, until reading the files
 * that were filled last returns the entries in order.
 */
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

/*
 * Sort all entries.  The caller then reads them with bb_sort_take, and adds no others before
 * bb_sort_reset.
 */
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

/* Return up to "max" entries in their order.  The result is their number, 0 at the end. */
int
bb_sort_take(BBSort *sort, BBEntry *entries, int max)
{
	int			n = 0;

	while (n < max && next_entry(sort, &entries[n]))
		n++;
	return n;
}
