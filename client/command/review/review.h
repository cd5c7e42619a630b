/*-------------------------------------------------------------------------
 *
 * review.h
 *		A page of pairs of near-duplicates, as one HTML file: what differs between each text
 *		and its keeper. It is the page examples/review.html, which ends with the pairs as JSON.
 *
 *-------------------------------------------------------------------------
 */
#ifndef PGSIMHASH_REVIEW_H
#define PGSIMHASH_REVIEW_H

#include <stdbool.h>
#include <stddef.h>

#include "../buffer.h"

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

/* Append what classes and the page tell of each pair to an empty buffer. */
extern void measure_pairs(size_t n, ReviewPair get, Buffer *measured);

/* The class of a measured pair: the name of its section of the page.  Before write_review. */
extern const char *class_of_pair(const Buffer *measured, size_t pair);

/*
 * Write the page of the measured pairs, which get another order, into an open file.  The first pairs
 * of each class are shown.
 */
extern void write_review(int fd, const char *path, Buffer *measured, ReviewPair get);

#endif
