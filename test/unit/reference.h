/*
 * The fingerprint computed a second time, slowly and simply, straight from the
 * files of the Unicode Character Database.  Nothing but the options' declaration is
 * shared with src/text.
 */
#ifndef SIMHASH_TEST_REFERENCE_H
#define SIMHASH_TEST_REFERENCE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "../../src/core/text/text_options.h"

/* The version to which the tables of src/text are pinned */
#define UNICODE_VERSION "15.0.0"

/*
 * Read the database's files from dir; false if they are not there, or of another
 * version, in which other code points are assigned.
 */
extern bool reference_load(const char *dir);

/* Same as simhash_of_text, but for logarithmic weights and words by dictionary. */
extern bool reference_text(const unsigned char *text, size_t len,
						   const TextOptions *options, uint64_t *fingerprint);

/* Same as simhash_minwise_text. */
extern bool reference_minwise_text(const unsigned char *text, size_t len,
								   const TextOptions *options,
								   uint64_t *fingerprint);

#endif
