/*
 * Fingerprints of texts for the command, which are no part of the interface.
 */
#ifndef PGSIMHASH_TEXTS_H
#define PGSIMHASH_TEXTS_H

#include "pgsimhash.h"

/* As pgsimhash_minhash and pgsimhash_simhash, for a text that is known to be UTF-8 */
extern int	minhash_of_utf8(const char *text, size_t length, int bits,
							const pgsimhash_options *options, uint64_t *fingerprint);
extern int	simhash_of_utf8(const char *text, size_t length, int bits,
							const pgsimhash_options *options, uint64_t *fingerprint);

#endif
