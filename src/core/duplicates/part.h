/*-------------------------------------------------------------------------
 *
 * part.h
 *		Which texts of a part are copies of others, and which are edited versions.
 *
 * A part has all texts of one or several connected components of near fingerprints, so no pair, copy
 * or slot crosses the border of a part, and what is found does not depend on the parts.
 *
 *-------------------------------------------------------------------------
 */
#ifndef SIMHASH_PART_H
#define SIMHASH_PART_H

#include "../join/near_pairs.h"
#include "../env.h"
#include "text_file.h"

/*
 * A component with more texts is a part of its own.  If more than that are not copies, texts are
 * compared with candidates (candidates.h), or else with all that are near.
 */
#ifndef JOIN_TEST_SIZES
#define LARGE_COMPONENT	500
#else
#define LARGE_COMPONENT	16
#endif

/*
 * Known texts are not compared with each other, which would show slots.  So up to this many known ones
 * near a new text are compared with its original, if that is known, too.
 */
#ifndef JOIN_TEST_SIZES
#define MOST_MET		8
#else
#define MOST_MET		3
#endif

typedef struct DuplicateOptions
{
	bool		numbers;		/* see same_document.h */

	/* Do titles have to share words (same_title.h)? */
	bool		titles;

	int			distance;
} DuplicateOptions;

typedef enum DuplicateKind
{
	DUPLICATE_NONE,				/* an original */
	DUPLICATE_COPY,				/* an earlier text is equal */
	DUPLICATE_REVISION			/* the same document as an original */
} DuplicateKind;

/* Texts are named by the rows of their fingerprints. */
typedef struct Duplicate
{
	uint32_t	row;
	uint32_t	original;
	uint16_t	distance;		/* of their fingerprints */
	uint8_t		kind;			/* DuplicateKind */
} Duplicate;

/* A text of a part. */
typedef struct PartText
{
	uint64_t	place;			/* in the file of texts */
	uint32_t	row;			/* of its fingerprint in the set */
	uint32_t	component;		/* of near fingerprints */
	uint32_t	rank;			/* its place in the order of keeping */
	bool		known;			/* may it not be a duplicate? */
} PartText;

/* A text and a number of other texts.  Of two texts with equal numbers the lower rank counts. */
typedef struct TextCount
{
	uint32_t	row;
	uint32_t	rank;
	uint32_t	n;
} TextCount;

/* Figures about the texts that a caller may report. */
typedef struct DuplicateCounts
{
	/*
	 * The text that has the most texts near it that are other documents, and
	 * their number.
	 */
	TextCount	siblings;

	TextCount	versions;		/* the original that has the most */

	/*
	 * The first original of a large component that has nothing rare
	 * (candidates.h), so that its own original can be missed, and the number
	 * of such originals.
	 */
	TextCount	limited;

	/*
	 * Originals that differ in numbers only, that is, in words of digits,
	 * from an earlier text that is within the distance, with an equal title.
	 * Without "numbers", slots (slots.h) tell them apart.
	 */
	uint32_t	number_siblings;
	uint64_t	compared;		/* pairs */

	/* What comparing costs: pairs whose sketches, and whose texts, are compared, and texts read. */
	uint64_t	sketch_pairs;
	uint64_t	text_pairs;
	uint64_t	texts_read;
} DuplicateCounts;

/* What finds the duplicates of parts, one part after the other. */
typedef struct PartSearch
{
	const DuplicateOptions *options;
	size_t		memory;			/* besides 60 bytes per text of a part */
	JoinFile   *texts;			/* text_file.h */
	FingerprintSet *set;
	const Env  *env;
} PartSearch;

/*
 * Find the duplicates among n texts of a part, which are in the order in which they are kept, those
 * that are known first.  Store them in "found", which has room for n, and return their number.
 *
 * The first of several texts of a component that are copies of each other, title and all, decides
 * for all of them.  It belongs to the first original within the distance that is the same document,
 * unless they part at a slot (slots.h), or else is an original itself.  In a large component only
 * candidates are compared.  So no original is a duplicate.  Each text that is known is an original.
 * Texts without words are no duplicates.
 */
extern uint32_t core_find_in_part(const PartSearch *search, const PartText *texts, uint32_t n,
								  Duplicate *found, DuplicateCounts *counts);

#endif							/* SIMHASH_PART_H */
