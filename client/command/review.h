/*-------------------------------------------------------------------------
 *
 * review.h
 *		A page of pairs of near-duplicates, as one HTML file: what differs between each text
 *		and its keeper. It is the page of examples/review.sql.
 *
 *-------------------------------------------------------------------------
 */
#ifndef PGSIMHASH_REVIEW_H
#define PGSIMHASH_REVIEW_H

#include <stdbool.h>
#include <stddef.h>

/* One text of a pair. */
typedef struct ReviewText
{
	const char *id;
	size_t		id_length;
	const char *name;			/* title */
	size_t		name_length;	/* 0: there is none */
	const char *text;			/* begins with the title */
	size_t		length;
} ReviewText;

/* Get the texts of a pair: the keeper and the other one.  They are valid until the next call. */
typedef void (*ReviewPair) (size_t pair, ReviewText *keeper, ReviewText *other);

/*
 * Write the page of all pairs into an open file, in which the first pairs of each kind are shown.  With
 * "on_disk", what is noted of each pair is in a temporary file.
 */
extern void write_review(int fd, const char *path, size_t n_pairs, ReviewPair get, bool on_disk);

#endif
