/*
 * A second implementation of the fingerprint, slow and simple, which reads the
 * files of the Unicode Character Database.  It shares only the declaration of the
 * options with src/core/text.
 */
#ifndef SIMHASH_TEST_REFERENCE_H
#define SIMHASH_TEST_REFERENCE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "../../src/core/text/text_options.h"

/* The version of the tables of src/core/text */
#define UNICODE_VERSION "15.0.0"

/*
 * Read the database's files from dir.  Return false if they do not exist, or have
 * another version, in which other code points are assigned.
 */
extern bool reference_load(const char *dir);

/*
 * The same as core_of_text, except for logarithmic weights and words by
 * dictionary.
 */
extern bool reference_text(const unsigned char *text, size_t len,
						   const TextOptions *options, int words,
						   uint64_t *fingerprint);

/* The same as core_minwise_text */
extern bool reference_minwise_text(const unsigned char *text, size_t len,
								   const TextOptions *options, int words,
								   uint64_t *fingerprint);

#endif
