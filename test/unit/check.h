/*
 * The report of a test in numbered lines, the number of its rounds, and random numbers that are always the same.
 */
#ifndef SIMHASH_TEST_CHECK_H
#define SIMHASH_TEST_CHECK_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

#include "random.h"

static int	n_passed;
static int	n_failed;

static inline void
__attribute__((format(printf, 2, 3)))
check(bool passed, const char *format,...)
{
	va_list		args;

	printf("%sok %d - ", passed ? "" : "not ", n_passed + n_failed + 1);
	va_start(args, format);
	vprintf(format, args);
	va_end(args);
	printf("\n");
	fflush(stdout);
	if (passed)
		n_passed++;
	else
		n_failed++;
}

/* The last line, and the status of main() */
static inline int
end_tests(void)
{
	printf("%d passed, %d failed\n", n_passed, n_failed);
	return n_failed > 0;
}

/* SIMHASH_SOAK times n, by default n */
static inline int
rounds(int n)
{
	const char *soak = getenv("SIMHASH_SOAK");
	double		all = n * (soak != NULL ? atof(soak) : 1);

	return all < 1 ? 1 : all < 1e9 ? (int) all : 1000000000;
}

static inline size_t
below(size_t n)
{
	return (size_t) (random64() % n);
}

#endif
