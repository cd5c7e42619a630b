/*
 * pgsimhash.h: compute and compare the text fingerprints of the PostgreSQL extension simhash.
 *
 * Every function returns the value of the SQL function that its comment names, bit for bit.
 *
 * Results.  A function returns PGSIMHASH_OK, PGSIMHASH_NULL if the SQL function returns NULL,
 * or a negative error code.  It stores results only if it returns PGSIMHASH_OK.  No function
 * exits, prints, raises a signal or jumps.
 *
 * Threads.  Any number of threads can call any functions at the same time, but only one thread
 * at a time can use an iterator (pgsimhash_pairs) or a pgsimhash_duplicates.  The only visible
 * state between calls is the function of pgsimhash_set_stop, which each thread has for itself.
 *
 * Texts are UTF-8 of a given length, and need no terminating zero.  Bytes that are not UTF-8
 * are an error.  As PostgreSQL does, the library rejects surrogates, overlong forms, and code
 * points beyond U+10FFFF.  U+0000, which PostgreSQL's type text cannot contain, separates words.
 *
 * Fingerprints are arrays of uint64_t.  A fingerprint of n bits has PGSIMHASH_WORDS(n) words.
 * Bit 0 is the most significant bit of the first word, as in "bit(n)".  The unused bits of the
 * last word are 0.  A fingerprint of type "simhash" is one word.
 *
 * This library does not find words by dictionary (simhash_features_by_dictionary), because they
 * depend on the version of ICU that the server uses.
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

/* An option, a width or a bound is out of range. */
#define PGSIMHASH_INVALID_OPTION (-3)

#define PGSIMHASH_STOPPED		(-4)	/* see pgsimhash_set_stop */
#define PGSIMHASH_FILE_ERROR	(-5)	/* of a temporary file; see errno */

/* Return a message for a result, such as "text is not UTF-8".  The string is constant. */
PGSIMHASH_API const char *pgsimhash_message(int result);

/*
 * Return the version of the library, which may be newer than PGSIMHASH_VERSION.  The string is
 * constant.
 */
PGSIMHASH_API const char *pgsimhash_version(void);

/* Free an array that a function of this library has returned.  NULL is allowed. */
PGSIMHASH_API void pgsimhash_free(void *array);

/*
 * From now on, long calls of this thread call "stop" several times a second.  If it returns a
 * value other than 0, the call ends with PGSIMHASH_STOPPED.  The function must return: it must not
 * jump or throw.  "arg" is its argument.  With a null pointer, as in a new thread, no call is
 * stopped.
 */
typedef int (*pgsimhash_stop) (void *arg);
PGSIMHASH_API void pgsimhash_set_stop(pgsimhash_stop stop, void *arg);

/* ---------- fingerprints of texts ---------- */

#define PGSIMHASH_MOST_BITS		1024
#define PGSIMHASH_MOST_WORDS	(PGSIMHASH_MOST_BITS / 64)
#define PGSIMHASH_WORDS(bits)	(((bits) + 63) / 64)

/* The distance of near-duplicates, as for the operator % */
#define PGSIMHASH_NEAR(bits)	((bits) * 5 / 64)

/* The distance of candidates, which their texts confirm, as for simhash_duplicates */
#define PGSIMHASH_CANDIDATES(bits) ((bits) * 10 / 64)

/* features: what texts are compared by */
#define PGSIMHASH_WORDS_AND_PAIRS 0 /* every word and every two adjacent words */
#define PGSIMHASH_WORD_SHINGLES 1	/* 'words': every n adjacent words */
#define PGSIMHASH_CHARACTERS	2	/* every n adjacent characters */

/* weight: of a feature that occurs f times */
#define PGSIMHASH_ONCE			0	/* 1 */
#define PGSIMHASH_FREQUENCY		1	/* f */
#define PGSIMHASH_LOGARITHM		2	/* 1 + log2 f */

/*
 * The options of the SQL functions.  All zeros are the defaults, and so is a null pointer to
 * options.
 */
typedef struct pgsimhash_options
{
	int			features;		/* PGSIMHASH_WORDS_AND_PAIRS, ... */

	/*
	 * 1 to 1000; 0 is the default: 1 for words, 4 for characters.  0 with
	 * words means words and pairs.
	 */
	int			n;

	/* PGSIMHASH_ONCE, ...  Functions of sets of features ignore it. */
	int			weight;

	int			no_fold;		/* 1: fold => false */
	int			no_normalization;	/* 1: normalization => false */
	int			reserved[3];	/* 0 */
} pgsimhash_options;

/*
 * minhash(text, ...) for 64 bits, minhash_bits(text, bits, ...).  "bits" is a multiple of 64
 * from 64 to PGSIMHASH_MOST_BITS; "fingerprint" has room for PGSIMHASH_WORDS(bits) words.
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

/* Hash a feature of type text, as the functions of features do.  The text is not normalized. */
PGSIMHASH_API int pgsimhash_feature(const char *feature, size_t length, uint64_t *hash);

/*
 * minhash_from_features(bigint[]), minhash_bits_from_features(bigint[], bits).
 * PGSIMHASH_NULL: n is 0.
 */
PGSIMHASH_API int pgsimhash_minhash_features(const uint64_t *hashes, size_t n, int bits,
											 uint64_t *fingerprint);

/*
 * simhash_from_features(bigint[], weights), simhash_bits_from_features(bigint[], weights, bits).
 * The n weights are finite numbers; a null pointer means that all are 1.  PGSIMHASH_NULL: all
 * weights are 0.
 */
PGSIMHASH_API int pgsimhash_simhash_features(const uint64_t *hashes, const double *weights,
											 size_t n, int bits, uint64_t *fingerprint);

/*
 * simhash_bits_from_features(bit[], weights): the vote of n hashes of 1 to PGSIMHASH_MOST_BITS
 * bits, which are one after the other and are not mixed.
 */
PGSIMHASH_API int pgsimhash_vote(const uint64_t *hashes, const double *weights, size_t n,
								 int bits, uint64_t *fingerprint);

/*
 * minhash_bits_from_signature(bigint[]): the lowest bit of each of the n values of a MinHash
 * signature that another program has computed.  Value i determines bit i.  n is from 1 to
 * PGSIMHASH_MOST_BITS.
 */
PGSIMHASH_API int pgsimhash_signature_bits(const uint64_t *values, size_t n,
										   uint64_t *fingerprint);

/* ---------- distances ----------
 *
 * These functions take fingerprints of 1 to PGSIMHASH_MOST_BITS bits.
 */

/*
 * a <-> b: the number of bits that differ, or PGSIMHASH_INVALID_OPTION if "bits" is out of
 * range
 */
PGSIMHASH_API int pgsimhash_distance(const uint64_t *a, const uint64_t *b, int bits);

/*
 * Store the distance of each of n fingerprints from q.  If the call is stopped, the array is
 * undefined.
 */
PGSIMHASH_API int pgsimhash_distances(const uint64_t *fingerprints, size_t n,
									  const uint64_t *q, int bits, uint16_t *distances);

/*
 * Store the numbers of the fingerprints that are within "radius" of q, in ascending order, and
 * how many there are.  "found" has room for n.  If the call is stopped, the array is undefined.
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
 * minhash_bound(resemblance, bits, recall): the smallest distance that includes the share
 * "recall", such as .95, of the pairs with that resemblance.  "bits" is a multiple of 64.
 */
PGSIMHASH_API int pgsimhash_bound(double resemblance, int bits, double recall, int *bound);

/* ---------- pairs and groups ----------
 *
 * These functions search n fingerprints, one after the other.  "bits" is a multiple of 16 from 64
 * to PGSIMHASH_MOST_BITS, and n is less than 2^32 - 2.
 *
 * memory: 0 for a search in memory, which uses about 32 bytes for each fingerprint, up to 64 for
 * groups, and with more than 64 bits a copy of the fingerprints.  Otherwise a search uses about this
 * many bytes, but at least 1 MB, plus 8 for each fingerprint of groups.  It writes temporary files
 * to the folder named by the environment variable TMPDIR, or to /var/tmp.
 */

/* The numbers of two fingerprints, a < b. */
typedef struct pgsimhash_pair
{
	uint32_t	a;
	uint32_t	b;
	int			distance;
} pgsimhash_pair;

typedef struct pgsimhash_pairs pgsimhash_pairs;

/*
 * simhash_pairs: begin to find all pairs within a distance, in no particular order.
 * The fingerprints must exist until pgsimhash_pairs_end.
 */
PGSIMHASH_API int pgsimhash_pairs_begin(const uint64_t *fingerprints, size_t n, int bits,
										int distance, size_t memory,
										pgsimhash_pairs **pairs);

/*
 * Store the next pairs, at most "room", and their number, which is 0 only after the last pair.
 * After an error, "found" is undefined, and only pgsimhash_pairs_end can be called.
 */
PGSIMHASH_API int pgsimhash_pairs_next(pgsimhash_pairs *pairs, pgsimhash_pair *found,
									   size_t room, size_t *n_found);

/* Free the iterator.  NULL is allowed. */
PGSIMHASH_API void pgsimhash_pairs_end(pgsimhash_pairs *pairs);

/* method */
#define PGSIMHASH_COMPONENTS	0	/* connected by pairs */

/* Each member is within the distance of the first one of its group. */
#define PGSIMHASH_STAR			1

/*
 * simhash_clusters: store for each fingerprint the smallest number in its group.
 */
PGSIMHASH_API int pgsimhash_groups(const uint64_t *fingerprints, size_t n, int bits,
								   int distance, int method, size_t memory,
								   uint32_t *groups);

/* An edge between two of n documents.  Document 0 is the most preferred one. */
typedef struct pgsimhash_edge
{
	uint32_t	a;
	uint32_t	b;
} pgsimhash_edge;

/*
 * simhash_stars: store for each document the number of its keeper.  In order of their numbers, each
 * document joins the first keeper to which it has an edge, or else becomes a keeper.  n and n_edges
 * are less than 2^32 - 2.  The call uses about 24 bytes for each edge and 4 for each document.
 */
PGSIMHASH_API int pgsimhash_stars(const pgsimhash_edge *edges, size_t n_edges, size_t n,
								  uint32_t *keepers);

/* ---------- duplicates ----------
 *
 * simhash_duplicates: find which of many texts are copies or edited versions of others.  First add
 * all texts; they are numbered from 0 in the order in which they are added.  Then find the
 * duplicates, and read them until none is left.  The time is linear.
 */
typedef struct pgsimhash_duplicates pgsimhash_duplicates;

#define PGSIMHASH_COPY			0	/* an earlier text is the same */
#define PGSIMHASH_REVISION		1

typedef struct pgsimhash_duplicate
{
	uint32_t	text;
	uint32_t	original;		/* not a duplicate itself */
	int			kind;
	int			distance;		/* of the fingerprints */
} pgsimhash_duplicate;

#define PGSIMHASH_DUPLICATES_BITS 256	/* of the fingerprints */

/*
 * "titles" is 1 if titles must agree, or 0.  "numbers" is 1 if a replaced number makes a different
 * document, or 0; the default in SQL is 1.  Texts within the distance are compared; the default in
 * SQL is PGSIMHASH_CANDIDATES(PGSIMHASH_DUPLICATES_BITS), 40.  "memory" is as for
 * pgsimhash_pairs_begin.  Texts are kept in memory if "memory" is 0, and otherwise in temporary
 * files.
 */
PGSIMHASH_API int pgsimhash_duplicates_begin(int titles, int numbers, int distance, size_t memory,
											 pgsimhash_duplicates **duplicates);

/*
 * Add a text.  The title can be empty.  "fingerprint" is the minhash, with PGSIMHASH_DUPLICATES_BITS
 * bits, of the title, a space and the text; if it is NULL, pgsimhash_duplicates_find computes it.  What
 * has no words in title and text has no duplicates.
 */
PGSIMHASH_API int pgsimhash_duplicates_add(pgsimhash_duplicates *duplicates,
										   const char *title, size_t title_length,
										   const char *text, size_t length,
										   const uint64_t *fingerprint);

/*
 * Find the duplicates.  The first "known" texts are known: they are not reported as duplicates, and
 * are preferred to all others, which are new.  If it is 0, all texts are new.  "order" has the numbers
 * of all texts, the most preferred first; NULL means the order in which they were added.  "threads" is
 * the number of threads; 0 means one for each processor of this process.  The result does not depend on
 * it.  After this call no text can be added.  PGSIMHASH_INVALID_OPTION: "known" is more than the number
 * of texts, "order" is not a permutation, "threads" is negative, or this is not the first call.
 *
 * If hundreds of texts share all words of a text, it is compared with a limited number of these, so
 * its original can be missed.  Unless "n_limited" is NULL, store in it how many texts without an
 * original have reached the limit.
 *
 * Unless "n_by_numbers" is NULL, store in it how many originals differ from an earlier text in
 * numbers only, so that they could be revisions with "numbers" 0.  If "numbers" is 0, there are
 * none.
 */
PGSIMHASH_API int pgsimhash_duplicates_find(pgsimhash_duplicates *duplicates, size_t known,
											const uint32_t *order, int threads,
											size_t *n_by_numbers, size_t *n_limited);

/* Store the next duplicates, at most "room", and their number, which is 0 at the end. */
PGSIMHASH_API int pgsimhash_duplicates_next(pgsimhash_duplicates *duplicates,
											pgsimhash_duplicate *found, size_t room,
											size_t *n_found);

/* Free all memory and files.  NULL is allowed. */
PGSIMHASH_API void pgsimhash_duplicates_end(pgsimhash_duplicates *duplicates);

/* ---------- passages ----------
 *
 * Only the options no_fold and no_normalization can differ from their defaults.
 */

/*
 * simhash_passage_keys(text, words, n): store an array of the keys of the text, in ascending order,
 * and their number.  The caller frees *keys, which is not NULL, with pgsimhash_free.  "words" is from n
 * to 10000, and n is from 1 to 1000.  SQL's defaults are 30 and 8.
 */
PGSIMHASH_API int pgsimhash_passage_keys(const char *text, size_t length, int words, int n,
										 const pgsimhash_options *options,
										 int64_t **keys, size_t *n_keys);

/* A place in a text, in bytes and in code points.  Both are counted from 0. */
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
 * common, the longest first, and their number.  The caller frees *passages, which is not NULL,
 * with pgsimhash_free.  "words" is 1 or more, and "gap" is from 0 to 1000.  SQL's defaults are
 * 20 and 15.
 */
PGSIMHASH_API int pgsimhash_passages(const char *a, size_t a_length,
									 const char *b, size_t b_length, int words, int gap,
									 const pgsimhash_options *options,
									 pgsimhash_passage **passages, size_t *n_passages);

/*
 * simhash_containment(a, b, n): the share of the words of a that belong to n adjacent words also
 * found in b.  n is from 1 to 1000; the default in SQL is 8.  PGSIMHASH_NULL: a has no word.
 */
PGSIMHASH_API int pgsimhash_containment(const char *a, size_t a_length,
										const char *b, size_t b_length, int n,
										const pgsimhash_options *options,
										double *containment);

/* ---------- changes ---------- */

/*
 * simhash_first_change(a, b, numbers): how much more often the first differing words occur in
 * their own text than in the other; at most 1 for a revision.  The default of "numbers" in SQL
 * is 1.
 */
PGSIMHASH_API int pgsimhash_first_change(const char *a, size_t a_length,
										 const char *b, size_t b_length, int numbers,
										 uint64_t *value);

/*
 * simhash_same_document(a, b, numbers): set *same to 1 if two near texts are the same document,
 * that is, a copy or an edited version, and otherwise to 0.  The default of "numbers" in SQL is 1.
 */
PGSIMHASH_API int pgsimhash_same_document(const char *a, size_t a_length,
										  const char *b, size_t b_length, int numbers,
										  int *same);

/*
 * simhash_copy_key(text): store 16 bytes, which are equal if and only if texts are copies.
 * PGSIMHASH_NULL: the text has no visible character.
 */
PGSIMHASH_API int pgsimhash_copy_key(const char *text, size_t length, unsigned char *key);

/* kind */
#define PGSIMHASH_CHANGE_INSERT			0	/* words */
#define PGSIMHASH_CHANGE_DELETE			1
#define PGSIMHASH_CHANGE_REPLACE		2
#define PGSIMHASH_CHANGE_NUMBER			3	/* words of digits only */
#define PGSIMHASH_CHANGE_FORM			4	/* another spelling of equal words */
#define PGSIMHASH_CHANGE_PUNCTUATION	5	/* between words */
#define PGSIMHASH_CHANGE_SIGNS			6	/* anything else between words */

/* Return the name of a kind, such as "insert", or NULL.  The string is constant. */
PGSIMHASH_API const char *pgsimhash_change_name(int kind);

typedef struct pgsimhash_change
{
	pgsimhash_place a;
	pgsimhash_place b;
	int			kind;
	size_t		times;			/* changes with the same two texts */
} pgsimhash_change;

/*
 * simhash_changes(a, b, fold): store an array of the differences between two texts other than
 * whitespace and case, in order, and their number, which is 0 for copies.  The caller frees
 * *changes, which is not NULL, with pgsimhash_free.  Only the option no_fold can differ from its
 * default.
 */
PGSIMHASH_API int pgsimhash_changes(const char *a, size_t a_length,
									const char *b, size_t b_length,
									const pgsimhash_options *options,
									pgsimhash_change **changes, size_t *n_changes);

#ifdef __cplusplus
}
#endif

#endif
