/*-------------------------------------------------------------------------
 *
 * texts.h
 *		Fingerprints of texts for the command, which are no part of the interface.
 *
 *-------------------------------------------------------------------------
 */
#ifndef PGSIMHASH_TEXTS_H
#define PGSIMHASH_TEXTS_H

#include <stdbool.h>

#include "pgsimhash.h"

/* pgsimhash_minhash or pgsimhash_simhash, of a text that may be known to be UTF-8 */
extern int	fingerprint_text(bool is_minhash, bool is_utf8, const char *text, size_t length,
							 int bits, const pgsimhash_options *options,
							 uint64_t *fingerprint);

#endif
