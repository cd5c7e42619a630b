/*
 * Tests of the library: numbered lines, and random numbers that are always the same.
 */
#ifndef CLIENT_TEST_H
#define CLIENT_TEST_H

#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../unit/random.h"
#include "pgsimhash.h"

static int	n_tests = 0;
static int	n_failed = 0;

static inline void __attribute__((format(printf, 2, 3)))
check(bool passed, const char *format, ...)
{
	va_list		args;

	n_failed += !passed;
	printf("%sok %d - ", passed ? "" : "not ", ++n_tests);
	va_start(args, format);
	vprintf(format, args);
	va_end(args);
	printf("\n");
}

static inline int
end_tests(void)
{
	printf("%d passed, %d failed\n", n_tests - n_failed, n_failed);
	return n_failed == 0 ? 0 : 1;
}

/* All options of a fingerprint: bits of "choice" choose them */
static inline pgsimhash_options
chosen_options(unsigned choice)
{
	pgsimhash_options options = {0};

	options.features = (int) (choice % 3);
	if (options.features != PGSIMHASH_WORDS_AND_PAIRS)
		options.n = (int) (choice / 3 % 6);
	options.weight = (int) (choice / 18 % 3);
	options.keep_case = choice / 54 % 2;
	options.keep_form = choice / 108 % 2;
	return options;
}

#define N_CHOICES 216

#endif
