/*-------------------------------------------------------------------------
 *
 * places.h
 *		Records that are read again by their places.
 *
 *-------------------------------------------------------------------------
 */
#ifndef PGSIMHASH_PLACES_H
#define PGSIMHASH_PLACES_H

#include <stdbool.h>

#include "input_files.h"

/* The bytes of a record in a file of the input. */
typedef struct Place
{
	uint64_t	offset;
	uint64_t	length;
	uint32_t	file;			/* number of the file in the input */
} Place;

/* Some of n records, in the order of their places. */
typedef struct ChosenRecords
{
	const Place *places;
	const bool *is_chosen;
	size_t		n;
	size_t		next;			/* the first one that has not been read */
} ChosenRecords;

/* Find the next chosen record, without reading it; NULL if there is none. */
extern const Place *next_chosen(ChosenRecords *chosen);

/* The length of all chosen records. */
extern uint64_t chosen_bytes(const ChosenRecords *chosen);

/* A reader of records in the order of their places. */
typedef struct PlaceReader
{
	const InputFiles *files;
	int			fd;				/* of the open file, or -1 */
	uint32_t	file;			/* its number */
	Buffer		part;			/* of the file */
	uint64_t	start;			/* of the part */
} PlaceReader;

extern void place_reader_begin(PlaceReader *reader, const InputFiles *files);

/* Append a record and the end of its line.  Fail if its file has changed. */
extern void place_reader_append(PlaceReader *reader, const Place *place, Buffer *out);

/* Close the last file of the input.  Fail if it has changed. */
extern void place_reader_end(PlaceReader *reader);

/* Append a record and the end of its line.  The newline behind a carriage return is not in its bytes. */
extern void append_record(Buffer *out, const char *bytes, size_t length);

#endif
