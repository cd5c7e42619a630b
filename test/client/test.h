/*
 * Shared by the tests of the library.
 */
#ifndef CLIENT_TEST_H
#define CLIENT_TEST_H

#include <stdlib.h>
#include <string.h>

#include "../unit/check.h"
#include "pgsimhash.h"

/* All options of a fingerprint: bits of "choice" choose them */
static inline pgsimhash_options
chosen_options(unsigned choice)
{
	pgsimhash_options options = {0};

	options.features = (int) (choice % 3);
	if (options.features != PGSIMHASH_WORDS_AND_PAIRS)
		options.n = (int) (choice / 3 % 6);
	options.weight = (int) (choice / 18 % 3);
	options.no_fold = choice / 54 % 2;
	options.no_normalization = choice / 108 % 2;
	return options;
}

#define N_CHOICES 216

#endif
