/*-------------------------------------------------------------------------
 *
 * stored.h
 *		Fingerprints in temporary files.
 *
 * A stored fingerprint has the number of its row beside it, so that any part of
 * the fingerprints can be read alone.
 *
 *-------------------------------------------------------------------------
 */
#ifndef SIMHASH_STORED_H
#define SIMHASH_STORED_H

#include "fingerprints.h"
#include "join_env.h"

/* Fingerprints of the sample by which a join is planned */
#define STORED_SAMPLE	256

/* Fingerprints in the order in which they were added */
typedef struct StoredSet
{
	const JoinEnv *env;
	JoinFile   *file;
	int			nwords;
	uint64_t	n;				/* fewer than 2^32 */
	char	   *buffer;			/* of fingerprints that are not in the file yet */
	size_t		buffered;
	uint64_t	state;			/* of the choice of the sample */
	uint64_t	sample[];
} StoredSet;

extern StoredSet *simhash_stored_begin(int nwords, const JoinEnv *env);
extern void simhash_stored_add(StoredSet *set, const uint64_t *fp, uint32_t row);
extern void simhash_stored_read(StoredSet *set, uint64_t first, size_t n,
								uint64_t *words, uint32_t *rows);
extern void simhash_stored_flush(StoredSet *set);
extern void simhash_stored_set_file(StoredSet *set, JoinFile *file, const JoinEnv *env);
extern void simhash_stored_end(StoredSet *set);

/* Reads a set from its first fingerprint to its last */
typedef struct StoredReader
{
	StoredSet  *set;
	uint64_t	next;
	uint64_t   *words;
	uint32_t   *rows;
	size_t		n;				/* in memory */
	size_t		at;
} StoredReader;

extern void simhash_reader_begin(StoredReader *reader, StoredSet *set);
extern const uint64_t *simhash_reader_next(StoredReader *reader, uint32_t *row);
extern void simhash_reader_end(StoredReader *reader);

static inline Fingerprints
stored_sample(const StoredSet *set)
{
	Fingerprints sample = {set->sample, set->nwords,
	set->n < STORED_SAMPLE ? (size_t) set->n : STORED_SAMPLE};

	return sample;
}

/* Fingerprints in parts that the caller numbers */
typedef struct Partitions
{
	const JoinEnv *env;
	JoinFile   *file;
	int			nwords;
	uint32_t	nparts;
	size_t		extent_rows;	/* fingerprints that stand together in the file */
	char	   *buffers;		/* an extent of each part */
	uint32_t   *buffered;		/* fingerprints in each buffer */
	uint64_t   *rows;			/* fingerprints of each part */
	uint32_t   *parts;			/* of each extent, while parts are written */
	uint32_t   *extents;		/* in the order of parts, afterwards */
	uint32_t   *starts;			/* first extent of each part */
	uint32_t	nextents;
	uint32_t	room;
} Partitions;

extern void simhash_partitions_begin(Partitions *parts, JoinFile *file, int nwords,
									 uint32_t nparts, size_t memory, const JoinEnv *env);
extern void simhash_partitions_add(Partitions *parts, uint32_t part, const uint64_t *fp,
								   uint32_t row);
extern void simhash_partitions_finish(Partitions *parts);
extern void simhash_partitions_read(Partitions *parts, uint32_t part, uint64_t first,
									size_t n, uint64_t *words, uint32_t *rows);
extern void simhash_partitions_set_file(Partitions *parts, JoinFile *file,
										const JoinEnv *env);
extern void simhash_partitions_end(Partitions *parts);

#endif							/* SIMHASH_STORED_H */
