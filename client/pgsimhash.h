/*
 * pgsimhash.h: the fingerprints of the PostgreSQL extension simhash, outside of the server.
 *
 * Every function returns the value of the SQL function that its comment names, bit for bit.
 *
 * Results.  A function returns PGSIMHASH_OK, PGSIMHASH_NULL where the SQL function returns
 * NULL, or an error below 0.  After any other result than PGSIMHASH_OK, nothing is stored in
 * the places for results.  No function exits, prints, raises a signal or jumps.
 *
 * Threads.  Any number of threads may call any functions at the same time.  An iterator
 * (pgsimhash_pairs) is used by one thread at a time.  Nothing that a caller could see or set
 * is kept between calls.
 *
 * Texts are UTF-8 of a given length, and need no terminating zero.  Bytes that are not UTF-8
 * are an error.  As PostgreSQL does, the library rejects surrogates, overlong forms, and code
 * points beyond U+10FFFF.  U+0000, which PostgreSQL's type text cannot contain, separates words.
 *
 * Fingerprints are arrays of uint64_t.  A fingerprint of n bits has PGSIMHASH_WORDS(n) words.
 * Bit 0 is the most significant bit of the first word, as in "bit(n)".  The unused bits of the
 * last word are 0.  A fingerprint of type "simhash" is one word.
 *
 * Words by dictionary (simhash_features_by_dictionary) are not in this library: they depend on
 * the version of ICU, and so belong to the server that stores them.
 */
#ifndef PGSIMHASH_H
#define PGSIMHASH_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C"
{
#endif

#define PGSIMHASH_VERSION "1.0"

#if defined(PGSIMHASH_BUILD) && defined(__GNUC__)
#define PGSIMHASH_API __attribute__((visibility("default")))
#else
#define PGSIMHASH_API
#endif

/* ---------- results ---------- */

#define PGSIMHASH_OK			0
#define PGSIMHASH_NULL			1	/* no word, no feature: NULL in SQL */
#define PGSIMHASH_NO_MEMORY		(-1)
#define PGSIMHASH_INVALID_UTF8	(-2)
#define PGSIMHASH_INVALID_OPTION (-3)	/* an option, width or bound out of
										 * range */
#define PGSIMHASH_STOPPED		(-4)	/* the caller's pgsimhash_stop has
										 * said so */
#define PGSIMHASH_FILE_ERROR	(-5)	/* a temporary file; errno has the
										 * reason */

/* The result in English, such as "text is not UTF-8".  The string is constant. */
PGSIMHASH_API const char *pgsimhash_message(int result);

/* The version of the library, which may be newer than PGSIMHASH_VERSION.  Constant. */
PGSIMHASH_API const char *pgsimhash_version(void);

/* Release an array that a function of this library has returned.  NULL is allowed. */
PGSIMHASH_API void pgsimhash_free(void *array);

/* ---------- fingerprints of texts ---------- */

#define PGSIMHASH_MOST_BITS		1024
#define PGSIMHASH_MOST_WORDS	(PGSIMHASH_MOST_BITS / 64)
#define PGSIMHASH_WORDS(bits)	(((bits) + 63) / 64)

/* The distance of near-duplicates, as the operator % has it */
#define PGSIMHASH_NEAR(bits)	((bits) * 5 / 64)

/* features: what a text is compared by */
#define PGSIMHASH_WORDS_AND_PAIRS 0 /* every word and every two adjacent words */
#define PGSIMHASH_WORD_SHINGLES 1	/* 'words': every n adjacent words */
#define PGSIMHASH_CHARACTERS	2	/* every n adjacent characters */

/* weight: of a feature that occurs f times */
#define PGSIMHASH_ONCE			0	/* 1 */
#define PGSIMHASH_FREQUENCY		1	/* f */
#define PGSIMHASH_LOGARITHM		2	/* 1 + log2 f */

/*
 * The options of the SQL functions.  An object of zeros has the defaults, and so has a null
 * pointer to options.
 */
typedef struct pgsimhash_options
{
	int			features;		/* PGSIMHASH_WORDS_AND_PAIRS, ... */
	int			n;				/* 1 to 1000; 0: the default, 1 for words and
								 * 4 for characters.  0 with words and pairs */
	int			weight;			/* PGSIMHASH_ONCE, ...; ignored by functions
								 * of sets of features */
	int			no_fold;		/* 1: fold => false */
	int			no_normalization;	/* 1: normalization => false */
	int			reserved[3];	/* 0 */
} pgsimhash_options;

/*
 * minhash(text, ...) for 64 bits, minhash_bits(text, bits, ...).  "bits" is a multiple of 64
 * from 64 to PGSIMHASH_MOST_BITS; "fingerprint" has room for PGSIMHASH_WORDS(bits).
 * PGSIMHASH_NULL: the text has no word.
 */
PGSIMHASH_API int pgsimhash_minhash(const char *text, size_t length, int bits,
									const pgsimhash_options *options,
									uint64_t *fingerprint);

/* simhash(text, ...) for 64 bits, simhash_bits(text, bits, ...) */
PGSIMHASH_API int pgsimhash_simhash(const char *text, size_t length, int bits,
									const pgsimhash_options *options,
									uint64_t *fingerprint);

/*
 * simhash_resemblance(a, b, ...): the exact Jaccard resemblance of two texts' sets of features.
 * PGSIMHASH_NULL: both sets are empty.
 */
PGSIMHASH_API int pgsimhash_resemblance(const char *a, size_t a_length,
										const char *b, size_t b_length,
										const pgsimhash_options *options,
										double *resemblance);

/* ---------- fingerprints of features ---------- */

/* The hash of a feature of type text in the functions of features.  Nothing is normalised. */
PGSIMHASH_API int pgsimhash_feature(const char *feature, size_t length, uint64_t *hash);

/*
 * minhash_from_features(bigint[]), minhash_bits_from_features(bigint[], bits).
 * PGSIMHASH_NULL: n is 0.
 */
PGSIMHASH_API int pgsimhash_minhash_features(const uint64_t *hashes, size_t n, int bits,
											 uint64_t *fingerprint);

/*
 * simhash_from_features(bigint[], weights), simhash_bits_from_features(bigint[], weights, bits).
 * The n weights are finite numbers; a null pointer stands for weights of 1.  PGSIMHASH_NULL:
 * no feature has a weight other than 0.
 */
PGSIMHASH_API int pgsimhash_simhash_features(const uint64_t *hashes, const double *weights,
											 size_t n, int bits, uint64_t *fingerprint);

/*
 * simhash_bits_from_features(bit[], weights): the vote of n hashes of 1 to PGSIMHASH_MOST_BITS
 * bits, one after the other, without mixing
 */
PGSIMHASH_API int pgsimhash_vote(const uint64_t *hashes, const double *weights, size_t n,
								 int bits, uint64_t *fingerprint);

/*
 * minhash_bits_from_signature(bigint[]): the lowest bit of each of n values, which are the
 * minima of a MinHash signature of another program.  Value i gives bit i.  n is from 1 to
 * PGSIMHASH_MOST_BITS.
 */
PGSIMHASH_API int pgsimhash_signature_bits(const uint64_t *values, size_t n,
										   uint64_t *fingerprint);

/* ---------- distances ----------
 *
 * These functions take fingerprints of 1 to PGSIMHASH_MOST_BITS bits.
 */

/* a <-> b: the number of differing bits, or PGSIMHASH_INVALID_OPTION for the number of bits */
PGSIMHASH_API int pgsimhash_distance(const uint64_t *a, const uint64_t *b, int bits);

/* Store the distances of n fingerprints, one after the other, from q. */
PGSIMHASH_API int pgsimhash_distances(const uint64_t *fingerprints, size_t n,
									  const uint64_t *q, int bits, uint16_t *distances);

/*
 * Store the numbers, ascending, of those of the n fingerprints that are within "radius" of q,
 * and how many they are.  "found" has room for n.
 */
PGSIMHASH_API int pgsimhash_within(const uint64_t *fingerprints, size_t n,
								   const uint64_t *q, int bits, int radius,
								   size_t *found, size_t *n_found);

/*
 * simhash_blocks(fp, distance), bit_blocks(fp, distance): two fingerprints within the distance
 * have a key in common.  "keys" has room for distance + 1 keys, or bits + 1 if that is less.
 */
PGSIMHASH_API int pgsimhash_block_keys(const uint64_t *fingerprint, int bits, int distance,
									   int64_t *keys, size_t *n_keys);

/*
 * minhash_bound(resemblance, bits, recall): the least bound on the distance within which the
 * share "recall", such as .95, of pairs of a resemblance is found.  "bits" is a multiple of 64.
 */
PGSIMHASH_API int pgsimhash_bound(double resemblance, int bits, double recall, int *bound);

/* ---------- pairs and groups ----------
 *
 * n fingerprints, one after the other, of a multiple of 16 bits from 64 to PGSIMHASH_MOST_BITS.
 * n is less than 2^32 - 1.
 *
 * memory: 0 for a search in memory, which takes about 32 bytes for each fingerprint, up to 64 for
 * groups, and with more than 64 bits a copy of the fingerprints.  Otherwise a search takes about so
 * many bytes, but at least 1 MB, and 8 more for each fingerprint of groups.  It writes temporary files
 * into the folder of the environment variable TMPDIR, or into /var/tmp.
 */

/*
 * A search calls this several times a second, in the thread of its caller.  A value other than 0
 * ends the search with PGSIMHASH_STOPPED.  The function returns: it does not jump or throw.  A
 * null pointer stands for a function that returns 0.
 */
typedef int (*pgsimhash_stop) (void *arg);

/* Two of the fingerprints, by their numbers, a < b. */
typedef struct pgsimhash_pair
{
	uint32_t	a;
	uint32_t	b;
	int			distance;
} pgsimhash_pair;

typedef struct pgsimhash_pairs pgsimhash_pairs;

/*
 * simhash_pairs, bit_pairs: begin to find all pairs within a distance, in no special order.  The
 * caller keeps the fingerprints and "arg", the argument of "stop", until the end.
 */
PGSIMHASH_API int pgsimhash_pairs_begin(const uint64_t *fingerprints, size_t n, int bits,
										int distance, size_t memory,
										pgsimhash_stop stop, void *arg,
										pgsimhash_pairs **pairs);

/*
 * Store the next pairs, at most "room", and their number, which is 0 only after the last pair.
 * After an error "found" is undefined, and only pgsimhash_pairs_end may be called.
 */
PGSIMHASH_API int pgsimhash_pairs_next(pgsimhash_pairs *pairs, pgsimhash_pair *found,
									   size_t room, size_t *n_found);

/* Release the iterator.  NULL is allowed. */
PGSIMHASH_API void pgsimhash_pairs_end(pgsimhash_pairs *pairs);

/* method */
#define PGSIMHASH_COMPONENTS	0	/* connected by pairs */
#define PGSIMHASH_STAR			1	/* within the distance of the group's
									 * first */

/*
 * simhash_clusters, bit_clusters: store for each fingerprint the smallest number of a
 * fingerprint in its group.
 */
PGSIMHASH_API int pgsimhash_groups(const uint64_t *fingerprints, size_t n, int bits,
								   int distance, int method, size_t memory,
								   pgsimhash_stop stop, void *arg, uint32_t *groups);

/* An edge between two of n documents.  Documents have the numbers from 0 on in the order of a wish. */
typedef struct pgsimhash_edge
{
	uint32_t	a;
	uint32_t	b;
} pgsimhash_edge;

/*
 * simhash_stars: store for each document the number of its keeper.  In their order, each document
 * joins the earliest keeper to which it has an edge, or else becomes a keeper.  Both numbers are
 * less than 2^32 - 1.  The call takes about 24 bytes for each edge and 4 for each document.
 */
PGSIMHASH_API int pgsimhash_stars(const pgsimhash_edge *edges, size_t n_edges, size_t n,
								  pgsimhash_stop stop, void *arg, uint32_t *keepers);

/* ---------- duplicates ----------
 *
 * simhash_duplicates: which of many texts are copies of others, and which are edited versions.
 * Add all texts, which have the numbers from 0 on in the order of adding.  Then find the
 * duplicates, and read them until there are none.
 */
typedef struct pgsimhash_duplicates pgsimhash_duplicates;

#define PGSIMHASH_COPY			0	/* of a text that is no copy itself */
#define PGSIMHASH_REVISION		1

typedef struct pgsimhash_duplicate
{
	uint32_t	text;
	uint32_t	original;
	int			kind;
	int			distance;		/* of the fingerprints */
} pgsimhash_duplicate;

#define PGSIMHASH_DUPLICATES_BITS 256	/* of the fingerprints */

/*
 * titles is 1 if titles have to agree, or 0.  numbers is 1 if a replaced number makes another
 * document, or 0; 1 is the default of SQL.  Texts within the distance are compared; 20 is the
 * default of SQL.  memory, stop and arg are those of pgsimhash_pairs_begin.  Texts are in memory
 * if memory is 0, and otherwise in temporary files.
 */
PGSIMHASH_API int pgsimhash_duplicates_begin(int titles, int numbers, int distance, size_t memory,
											 pgsimhash_stop stop, void *arg,
											 pgsimhash_duplicates **duplicates);

/*
 * Add a text.  The title may be empty.  fingerprint is minhash of the text with
 * PGSIMHASH_DUPLICATES_BITS bits, or NULL: then the function computes it.  A text without words
 * has no duplicates.
 */
PGSIMHASH_API int pgsimhash_duplicates_add(pgsimhash_duplicates *duplicates,
										   const char *title, size_t title_length,
										   const char *text, size_t length,
										   const uint64_t *fingerprint);

/*
 * order has the numbers of all texts, the most preferred first, and NULL stands for the order of
 * adding.  No text can be added afterwards.
 */
PGSIMHASH_API int pgsimhash_duplicates_find(pgsimhash_duplicates *duplicates,
											const uint32_t *order);

/* Store the next duplicates, at most "room", and their number, which is 0 at the end. */
PGSIMHASH_API int pgsimhash_duplicates_next(pgsimhash_duplicates *duplicates,
											pgsimhash_duplicate *found, size_t room,
											size_t *n_found);

/* Release everything.  NULL is allowed. */
PGSIMHASH_API void pgsimhash_duplicates_end(pgsimhash_duplicates *duplicates);

/* ---------- passages ----------
 *
 * Of the options, only no_fold and no_normalization may differ from their defaults.
 */

/*
 * simhash_passage_keys(text, words, n): store an array of the text's keys, ascending, and their
 * number.  The caller releases *keys, which is not NULL, by pgsimhash_free.  "words" is from n
 * to 10000, and n is from 1 to 1000.  SQL's defaults are 30 and 8.
 */
PGSIMHASH_API int pgsimhash_passage_keys(const char *text, size_t length, int words, int n,
										 const pgsimhash_options *options,
										 int64_t **keys, size_t *n_keys);

/* A place in a text: bytes, and the same in code points.  Both are counted from 0. */
typedef struct pgsimhash_place
{
	size_t		byte;
	size_t		bytes;			/* length */
	size_t		character;		/* SQL counts from 1 */
	size_t		characters;
} pgsimhash_place;

typedef struct pgsimhash_passage
{
	pgsimhash_place a;
	pgsimhash_place b;
	size_t		words;			/* equal words */
} pgsimhash_passage;

/*
 * simhash_passages(a, b, words, gap): store an array of the passages that the texts have in
 * common, the longest first, and their number.  The caller releases *passages, which is not
 * NULL, by pgsimhash_free.  "words" is 1 or more, and gap is from 0 to 1000.  SQL's defaults are
 * 20 and 15.
 */
PGSIMHASH_API int pgsimhash_passages(const char *a, size_t a_length,
									 const char *b, size_t b_length, int words, int gap,
									 const pgsimhash_options *options,
									 pgsimhash_passage **passages, size_t *n_passages);

/*
 * simhash_containment(a, b, n): the share of the words of a that are in n adjacent words which b
 * has as well.  n is from 1 to 1000, by default 8 in SQL.  PGSIMHASH_NULL: a has no word.
 */
PGSIMHASH_API int pgsimhash_containment(const char *a, size_t a_length,
										const char *b, size_t b_length, int n,
										const pgsimhash_options *options,
										double *containment);

/* ---------- changes ---------- */

/*
 * simhash_first_change(a, b, numbers): how much more often the words that differ first occur in
 * their own text than in the other text; at most 1 for a revision.  In SQL, numbers is 1 by
 * default.
 */
PGSIMHASH_API int pgsimhash_first_change(const char *a, size_t a_length,
										 const char *b, size_t b_length, int numbers,
										 uint64_t *value);

/*
 * simhash_same_document(a, b, numbers): *same is 1 if two near texts are one document, a copy or
 * an edited version, or 0.  In SQL, numbers is 1 by default.
 */
PGSIMHASH_API int pgsimhash_same_document(const char *a, size_t a_length,
										  const char *b, size_t b_length, int numbers,
										  int *same);

/* simhash_copy_key(text): store 16 bytes, the same for copies only. */
PGSIMHASH_API int pgsimhash_copy_key(const char *text, size_t length, unsigned char *key);

/* kind */
#define PGSIMHASH_CHANGE_INSERT			0	/* words */
#define PGSIMHASH_CHANGE_DELETE			1
#define PGSIMHASH_CHANGE_REPLACE		2
#define PGSIMHASH_CHANGE_NUMBER			3	/* words of digits alone */
#define PGSIMHASH_CHANGE_FORM			4	/* equal words, written otherwise */
#define PGSIMHASH_CHANGE_PUNCTUATION	5	/* between words */
#define PGSIMHASH_CHANGE_SIGNS			6	/* anything else between words */

/* The name of a kind, such as "insert".  NULL: there is no such kind.  The string is constant. */
PGSIMHASH_API const char *pgsimhash_change_name(int kind);

typedef struct pgsimhash_change
{
	pgsimhash_place a;
	pgsimhash_place b;
	int			kind;
	size_t		times;			/* changes with the same two texts */
} pgsimhash_change;

/*
 * simhash_changes(a, b, fold): store an array of all that differs between the texts but
 * white space and case, in order, and their number.  No change: the texts are copies.  The
 * caller releases *changes, which is not NULL, by pgsimhash_free.  Of the options, only
 * no_fold may differ from its default.
 */
PGSIMHASH_API int pgsimhash_changes(const char *a, size_t a_length,
									const char *b, size_t b_length,
									const pgsimhash_options *options,
									pgsimhash_change **changes, size_t *n_changes);

#ifdef __cplusplus
}
#endif

#endif
