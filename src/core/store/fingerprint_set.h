/*-------------------------------------------------------------------------
 *
 * fingerprint_set.h
 *		Sets of fingerprints in files.
 *
 * A stored fingerprint has the number of its row beside it, so that any part of
 * the fingerprints can be read alone.
 *
 *-------------------------------------------------------------------------
 */
#ifndef SIMHASH_FINGERPRINT_SET_H
#define SIMHASH_FINGERPRINT_SET_H

#include "fingerprints.h"
#include "../env.h"

/* Fingerprints of the sample by which a join is planned */
#define MOST_SAMPLED	256

/* Fingerprints in the order in which they were added. */
typedef struct FingerprintSet
{
	const Env  *env;
	JoinFile   *file;
	int			nwords;
	uint64_t	n;				/* fewer than 2^32 */

	/* 0, or a join omits the pairs without one of the last n_new. */
	uint64_t	n_new;

	char	   *buffer;			/* fingerprints not yet in the file */
	size_t		buffered;
	uint64_t	state;			/* of the choice of the sample */
	uint64_t	sample[];
} FingerprintSet;

/* Begin a set without fingerprints, each of which has nwords words. */
extern FingerprintSet *core_set_begin(int nwords, const Env *env);

/* Add a fingerprint, with the number of its row. */
extern void core_set_add(FingerprintSet *set, const uint64_t *fp, uint32_t row);

/* Read n fingerprints and their rows, from number "first" on. */
extern void core_set_read(FingerprintSet *set, uint64_t first, size_t n,
						  uint64_t *words, uint32_t *rows);

/* Write all fingerprints to the file. */
extern void core_set_flush(FingerprintSet *set);

/* Bytes of a set without its file. */
extern size_t core_set_bytes(int nwords);

/* Copy a set for another process, which reads the same file.  The set must have been flushed. */
extern FingerprintSet *core_set_copy(const FingerprintSet *set, JoinFile *file,
									 const Env *env);

/* Free the memory of a set, and remove its file. */
extern void core_set_end(FingerprintSet *set);

static inline Fingerprints
sample_of_set(const FingerprintSet *set)
{
	Fingerprints sample = {set->sample, set->nwords,
	set->n < MOST_SAMPLED ? (size_t) set->n : MOST_SAMPLED};

	return sample;
}

/*
 * A range of a set's fingerprints in the order of parts: in a file, first all fingerprints of
 * the range and then the numbers of their rows.
 */
typedef struct DividedRange
{
	uint64_t	offset;			/* in the file */
	uint32_t	file;			/* number among the files of the parts */
	uint32_t	n;
	uint32_t	ends[];			/* of the parts in the range */
} DividedRange;

/* A function that finds the parts of n fingerprints. */
typedef void (*PartsOf) (const void *arg, const uint64_t *fps, size_t n, uint16_t *parts);

/*
 * The fingerprints of a set in parts.  Ranges of the set are divided independently of each
 * other.  A part has the fingerprints of its ranges in the order of the set.
 */
typedef struct Parts
{
	FingerprintSet *set;
	uint32_t	nparts;
	uint32_t	nranges;
	size_t		range_bytes;	/* of a DividedRange */
	char	   *ranges;			/* one after the other */
	JoinFile  **files;			/* by their numbers */
	JoinFile   *own_file;		/* of core_parts_divide_all, or NULL */
} Parts;

/* What a process needs to divide ranges: a file to which it appends them, and memory. */
typedef struct PartsWriter
{
	JoinFile   *file;
	uint32_t	number;			/* of the file */
	uint64_t	size;
	const Env  *env;			/* of the memory; NULL before the first range */
	uint64_t   *words;
	uint64_t   *sorted_words;
	uint32_t   *rows;
	uint32_t   *sorted_rows;
	uint16_t   *parts;
} PartsWriter;

/*
 * Begin to divide a set into parts, at most 2^16.  A process that divides ranges uses about
 * "memory" bytes.  The caller then calls core_parts_divide_all, or lets several processes divide
 * the ranges and sets parts->ranges and parts->files itself.
 */
extern void core_parts_begin(Parts *parts, FingerprintSet *set, uint32_t nparts,
							 size_t memory);

/*
 * Divide a range of the set, and append the result to the writer's file.  The file must be empty
 * before the first range.
 */
extern void core_parts_divide(const Parts *parts, uint32_t range,
							  PartsWriter *writer, PartsOf parts_of, const void *arg,
							  DividedRange *divided);

/* Free the memory of a writer.  Its file still belongs to the caller. */
extern void core_parts_writer_end(PartsWriter *writer);

/* Divide all ranges in this process. */
extern void core_parts_divide_all(Parts *parts, PartsOf parts_of,
								  const void *arg);

/* The number of fingerprints of a part. */
extern uint64_t core_parts_rows(const Parts *parts, uint32_t part);

/* Read n fingerprints of a part and their rows, from number "first" on. */
extern void core_parts_read(const Parts *parts, uint32_t part, uint64_t first,
							size_t n, uint64_t *words, uint32_t *rows);

/* Free what core_parts_divide_all has allocated, if it was called, and remove its file. */
extern void core_parts_end(Parts *parts);

static inline DividedRange *
divided_range(const Parts *parts, char *ranges, uint32_t range)
{
	return (DividedRange *) (ranges + range * parts->range_bytes);
}

#endif							/* SIMHASH_FINGERPRINT_SET_H */
