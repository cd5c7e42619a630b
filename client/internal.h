/*-------------------------------------------------------------------------
 *
 * internal.h
 *		Functions of the library for the command, that are not part of the interface. The command
 *		includes no other header of the library's sources.
 *
 *-------------------------------------------------------------------------
 */
#ifndef PGSIMHASH_INTERNAL_H
#define PGSIMHASH_INTERNAL_H

#include <stdbool.h>

#include "pgsimhash.h"

/* pgsimhash_minhash or pgsimhash_simhash, of a text that may be known to be UTF-8 */
extern int	fingerprint_text(bool is_minhash, bool is_utf8, const char *text, size_t length,
							 int bits, const pgsimhash_options *options,
							 uint64_t *fingerprint);

/* pgsimhash_same_document, with numbers, as the reason why the texts are not the same; NULL if they are */
extern int	difference_of_documents(const char *a, size_t a_length, const char *b, size_t b_length,
									const char **reason);

/*
 * pgsimhash_groups.  The first "known" rows are known.  Groups are the components of new rows,
 * connected by pairs with a new one, or stars in which known rows are keepers.
 */
extern int	groups_of_new(const uint64_t *fingerprints, size_t n, size_t known, int bits, int distance,
						  int method, size_t memory, uint32_t *groups);

/* The place of the text that is added next to a search */
extern uint64_t duplicates_next_place(const pgsimhash_duplicates *d);

/*
 * Read a text of a search that has found all duplicates.  Its title and a blank are before it.  The bytes
 * are valid until the call after the next one.
 */
extern int	duplicates_read_text(pgsimhash_duplicates *d, uint32_t text, uint64_t place,
								 const char **bytes, size_t *length, size_t *title_length);

/* The processors that this process may use, at least 1 */
extern int	processors(void);

/*
 * Create a file without a name, which is gone when it is closed, in the folder TMPDIR, or /var/tmp.
 * Return its descriptor, or -1.
 */
extern int	temporary_file(void);

#endif
