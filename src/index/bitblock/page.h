/*-------------------------------------------------------------------------
 *
 * page.h
 *		Pages of a bitblock index.
 *
 * Block 0 is the metapage.  The next BB_TREES blocks are the roots of the
 * trees and remain the roots: a root that splits moves its entries to two new
 * pages and grows one level in place.  A root is never a leaf.  Each tree has
 * a first leaf that is never removed.  A leaf must not become another kind of
 * page, because the pin of a leaf tells VACUUM that its entries are in use
 * (see scan.c).  Tree t < BB_BLOCKS holds every fingerprint, rotated by t
 * blocks.  Tree BB_NULL_TREE holds the rows whose fingerprint is NULL, all
 * under BB_NULL_FINGERPRINT.
 *
 * A tree is ordered by (fingerprint, TID).  No two entries are equal.  A page
 * knows the range of keys that it is responsible for, low <= key < high.  The
 * rightmost page of a level has no high.  The low of a page is the high of
 * its left neighbour.
 *
 *		+----------------+-----------------------------------------------+
 *		| PageHeaderData | fp 0 | fp 1 | ... | fp n-1 |  -->             |
 *		+----------------+-----------------------------------------------+
 *		|                         free, all zero                         |
 *		+------------------------------------------+---------------------+
 *		|  <--   | rest n-1 | ... | rest 1 | rest 0 |     BBPageOpaque    |
 *		+--------------------------------------------+-------------------+
 *
 * The fingerprints grow up from the header, so that one pass compares them
 * all.  The rest of each entry grows down from the end.  pd_lower alone gives
 * the number of entries.  The bytes between pd_lower and pd_upper are always
 * zero.
 *
 * In a leaf the rest of an entry is the TID, and entries may stand in any
 * order: an insertion appends an entry.  A leaf notes how many of its first
 * entries are sorted, so that a search need not read all of them.  All
 * entries are sorted when the page is built or split off.  In an inner page
 * the rest of an entry is the TID and the child's block number, and the
 * entries are sorted.  The key of an entry is the low of its child.  The
 * first entry's key is the low of the page.
 *
 *-------------------------------------------------------------------------
 */
#ifndef BITBLOCK_PAGE_H
#define BITBLOCK_PAGE_H

#include "postgres.h"

#include "access/htup_details.h"
#include "rotation.h"
#include "storage/bufpage.h"
#include "storage/itemptr.h"
#include "utils/rel.h"

#define BB_METAPAGE				0
#define BB_NULL_TREE			BB_BLOCKS
#define BB_NULL_FINGERPRINT		BB_LOWEST_FINGERPRINT
#define BB_TREES				(BB_BLOCKS + 1)
#define BB_ROOT(tree)			((BlockNumber) (1 + (tree)))
#define BB_FIRST_LEAF(tree)		((BlockNumber) (1 + BB_TREES + (tree)))
#define BB_RESERVED_PAGES		(1 + 2 * BB_TREES)

#define BB_MAX_LEVEL			16

#define BB_PAGE_ID				0xB10C	/* in the last two bytes of each page */

/* BBPageOpaque.flags */
#define BB_DELETED				0x0001	/* belongs to no tree, may be used */
#define BB_INCOMPLETE_SPLIT		0x0002	/* the right neighbour has no downlink */
#define BB_META					0x0004

/*
 * A key: a rotated fingerprint, and a TID as a number in the order of TIDs.
 * The smallest is all zero, and no entry has it, as TIDs start at offset 1.
 */
typedef struct BBKey
{
	BBFingerprint fp;
	uint64		tid;
} BBKey;

typedef struct BBPageOpaqueData
{
	BBFingerprint low_fp;
	BBFingerprint high_fp;		/* not valid in the rightmost page */
	ItemPointerData low_tid;
	ItemPointerData high_tid;
	BlockNumber right;			/* InvalidBlockNumber in the rightmost page */
	uint16		flags;
	uint8		level;			/* 0 is a leaf */
	uint8		tree;
	uint16		sorted;			/* of a leaf: so many entries from the first
								 * on are in order */
	uint16		page_id;
} BBPageOpaqueData;

typedef BBPageOpaqueData *BBPageOpaque;

/* What belongs to an entry besides its fingerprint; a leaf has the TID only */
typedef struct BBRest
{
	ItemPointerData tid;
	uint16		child[2];		/* high and low half, for an alignment of 2 */
} BBRest;

#define BB_LEAF_REST			sizeof(ItemPointerData)
#define BB_INNER_REST			sizeof(BBRest)

#define BB_PAGE_SPACE \
	(BLCKSZ - MAXALIGN(SizeOfPageHeaderData) - MAXALIGN(sizeof(BBPageOpaqueData)))
#ifndef BB_TEST_CAPACITY
#define BB_LEAF_CAPACITY		((int) (BB_PAGE_SPACE / (sizeof(BBFingerprint) + BB_LEAF_REST)))
#define BB_INNER_CAPACITY		((int) (BB_PAGE_SPACE / (sizeof(BBFingerprint) + BB_INNER_REST)))
#else							/* tests want deep trees of few rows */
#define BB_LEAF_CAPACITY		BB_TEST_CAPACITY
#define BB_INNER_CAPACITY		BB_TEST_CAPACITY
#endif

/* So many entries are read on each side of where wanted ones are expected */
#define BB_WINDOW_MARGIN		24

#define BB_DEFAULT_FILLFACTOR	90
#define BB_MIN_FILLFACTOR		10

/*
 * What a leaf is expected to hold: as many entries as the build puts in one.  Leaves
 * that have split since hold 0.5 to 0.7 of their capacity.  Too high a guess makes a
 * search ask for the wrong lines of a page ahead of time, and expect the nearest one
 * distance too near at most.
 */
#define BB_USUAL_LEAF			(BB_DEFAULT_FILLFACTOR / 100.0 * BB_LEAF_CAPACITY)

typedef struct BBMetaPageData
{
	uint32		magic;
	uint32		version;
	uint16		words;
	uint16		blocks;
	uint16		block_bits;
	uint16		unused;
} BBMetaPageData;

#define BB_MAGIC				0x42424C4B
#define BB_VERSION				1

/* An entry outside of a page */
typedef struct BBEntry
{
	BBFingerprint fp;
	ItemPointerData tid;
} BBEntry;

/* ----------
 * Keys
 * ----------
 */

static inline uint64
bb_tid_number(const ItemPointerData *tid)
{
	return ((uint64) ItemPointerGetBlockNumberNoCheck(tid) << 16) |
		ItemPointerGetOffsetNumberNoCheck(tid);
}

static inline BBKey
bb_key(BBFingerprint fp, const ItemPointerData *tid)
{
	BBKey		key;

	key.fp = fp;
	key.tid = bb_tid_number(tid);
	return key;
}

/* The smallest key with that fingerprint */
static inline BBKey
bb_first_key(BBFingerprint fp)
{
	BBKey		key;

	key.fp = fp;
	key.tid = 0;
	return key;
}

static inline BBKey
bb_lowest_key(void)
{
	return bb_first_key(BB_LOWEST_FINGERPRINT);
}

static inline int
bb_compare(BBKey a, BBKey b)
{
	int			result = bb_compare_fps(a.fp, b.fp);

	return result != 0 ? result : (a.tid > b.tid) - (a.tid < b.tid);
}

static inline void
bb_key_tid(BBKey key, ItemPointerData *tid)
{
	ItemPointerSet(tid, (BlockNumber) (key.tid >> 16), (OffsetNumber) (key.tid & 0xffff));
}

/* Can it be the TID of a row?  Bitmaps of rows take no higher offset. */
static inline bool
bb_tid_is_valid(const ItemPointerData *tid)
{
	return ItemPointerGetBlockNumberNoCheck(tid) != InvalidBlockNumber &&
		ItemPointerGetOffsetNumberNoCheck(tid) != InvalidOffsetNumber &&
		ItemPointerGetOffsetNumberNoCheck(tid) <= MaxHeapTuplesPerPage;
}

/* ----------
 * Pages
 * ----------
 */

#define BBPageGetOpaque(page)	((BBPageOpaque) PageGetSpecialPointer(page))
#define BBPageGetMeta(page)		((BBMetaPageData *) PageGetContents(page))
#define BBPageGetFingerprints(page)	((BBFingerprint *) PageGetContents(page))

static inline int
bb_count(Page page)
{
	return (((PageHeader) page)->pd_lower - MAXALIGN(SizeOfPageHeaderData)) /
		sizeof(BBFingerprint);
}

static inline size_t
bb_rest_size(int level)
{
	return level == 0 ? BB_LEAF_REST : BB_INNER_REST;
}

static inline int
bb_capacity(int level)
{
	return level == 0 ? BB_LEAF_CAPACITY : BB_INNER_CAPACITY;
}

/* The rest of entry i; of a leaf's only the TID exists */
static inline BBRest *
bb_rest(Page page, int i)
{
	return (BBRest *) ((char *) page + ((PageHeader) page)->pd_special -
					   (i + 1) * bb_rest_size(BBPageGetOpaque(page)->level));
}

static inline BBKey
bb_key_at(Page page, int i)
{
	return bb_key(BBPageGetFingerprints(page)[i], &bb_rest(page, i)->tid);
}

static inline BlockNumber
bb_child(Page page, int i)
{
	BBRest	   *rest = bb_rest(page, i);

	return ((BlockNumber) rest->child[0] << 16) | rest->child[1];
}

static inline BBKey
bb_low(Page page)
{
	BBPageOpaque opaque = BBPageGetOpaque(page);

	return bb_key(opaque->low_fp, &opaque->low_tid);
}

static inline BBKey
bb_high(Page page)
{
	BBPageOpaque opaque = BBPageGetOpaque(page);

	return bb_key(opaque->high_fp, &opaque->high_tid);
}

static inline bool
bb_is_rightmost(Page page)
{
	return BBPageGetOpaque(page)->right == InvalidBlockNumber;
}

/* Is key at or above the high key of the page? */
static inline bool
bb_is_right_of(BBKey key, Page page)
{
	return !bb_is_rightmost(page) && bb_compare(key, bb_high(page)) >= 0;
}

extern void bb_page_init(Page page, int tree, int level);
extern void bb_set_low(Page page, BBKey low);
extern void bb_set_right(Page page, BBKey high, BlockNumber right);
extern void bb_set_entry(Page page, int i, BBKey key, BlockNumber child);
extern void bb_set_count(Page page, int n);
extern void bb_note_sorted(Page page);
extern void bb_append(Page page, BBKey key, BlockNumber child);
extern void bb_insert_sorted(Page page, BBKey key, BlockNumber child);
extern void bb_remove_sorted(Page page, int i);
extern void bb_remove_unsorted(Page page, int i);
extern int	bb_find_child(Page page, BBKey key);
extern void bb_find_sorted(Page page, int first, int last, int *from, int *to);

extern void bb_reserved_page_init(Page page, BlockNumber block);
extern void bb_check_metapage_form(Relation index, Page page);
extern void bb_check_page(Relation index, BlockNumber block, Page page);
pg_noreturn extern void bb_report_corruption(Relation index, BlockNumber block,
											 const char *damage);

#endif							/* BITBLOCK_PAGE_H */
