/*-------------------------------------------------------------------------
 *
 * duplicate_search.h
 *		Which of many texts are copies of others, and which are edited versions.
 *
 * A caller has the fingerprints of all texts in a set, finds which of them are near another one,
 * adds the texts of these, or of all, divides them into parts, lets part.h find the duplicates of
 * each part, and reads all duplicates one by one.  Texts are named by the rows of their fingerprints.
 *
 *-------------------------------------------------------------------------
 */
#ifndef SIMHASH_DUPLICATE_SEARCH_H
#define SIMHASH_DUPLICATE_SEARCH_H

#include "part.h"

/* The texts of all parts, one part after the other.  Parts that take long come first. */
typedef struct DuplicateParts
{
	PartText   *texts;
	uint32_t	n_texts;
	uint32_t   *starts;			/* of each part in the texts, and the end */
	uint32_t	n;				/* parts */
} DuplicateParts;

typedef struct Duplicates
{
	const Env  *env;
	JoinFile   *file;			/* of the texts */
	uint64_t	file_size;
	uint64_t   *places;			/* of the texts in the file, by rows */
	uint32_t	room;			/* for places */
	FingerprintSet *set;
	const bool *is_new;			/* by rows; NULL: all are */
	const uint32_t *order;
	uint32_t   *roots;			/* of components, by rows (roots.h) */
	uint8_t    *near;			/* by rows: is another fingerprint near? */
	DuplicateParts parts;
	Duplicate  *found;
	uint32_t	n_found;
	uint32_t   *found_of_row;	/* or NOT_FOUND */
	uint32_t	next;			/* rank */
	DuplicateCounts counts;
} Duplicates;

/* Begin a search without texts. */
extern Duplicates *core_duplicates_begin(const Env *env);

/*
 * Add the text of a row.  Rows are below 2^32 - 1.  A row whose text is not added is not reported as a
 * duplicate.
 */
extern void core_duplicates_add(Duplicates *duplicates, uint32_t row, const TitledText *added);

/* Has the text of a row been added? */
extern bool core_duplicates_have(const Duplicates *duplicates, uint32_t row);

/* Take back the text of a row. */
extern void core_duplicates_forget(Duplicates *duplicates, uint32_t row);

/*
 * Find which fingerprints of the set are near another one.  Row i of the set has the number i.  Copies
 * have equal fingerprints, so a distance below 0 stands for 0.  If is_new is not NULL, it has a value
 * for each row, and lives until core_duplicates_divide returns.  Then only new rows are duplicates, each
 * of a known one or of another new one, and only pairs with a new row count.
 */
extern void core_duplicates_find_near(Duplicates *duplicates, FingerprintSet *set,
									  const bool *is_new, int distance, size_t memory,
									  const PairsSource *source);

/*
 * Divide the texts that are near another one into parts.  "order" has the rows of the set in the order
 * in which texts are kept, and lives until the end; NULL: the order of the rows.  Known rows come before
 * all new ones.
 */
extern void core_duplicates_divide(Duplicates *duplicates, const uint32_t *order);

/* Find the duplicates of a part.  The function sets the texts and the set of the search. */
extern void core_duplicates_find(Duplicates *duplicates, PartSearch *search, uint32_t part);

/* Add duplicates that another process has found. */
extern void core_duplicates_take(Duplicates *duplicates, const Duplicate *found, uint32_t n);

/* Add the counts of some texts to those of others. */
extern void core_add_counts(DuplicateCounts *sum, const DuplicateCounts *counts);

/* Get the next duplicate, in the order of keeping; false if there is none. */
extern bool core_duplicates_next(Duplicates *duplicates, Duplicate *duplicate);

/* End a search, and remove its file. */
extern void core_duplicates_end(Duplicates *duplicates);

#endif							/* SIMHASH_DUPLICATE_SEARCH_H */
