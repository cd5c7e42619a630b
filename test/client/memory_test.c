/*
 * Every allocation of the library fails once.  Each call then returns PGSIMHASH_NO_MEMORY, and the
 * sanitizer finds no leak.  The linker puts the functions below in the place of the library's
 * malloc and realloc (--wrap).
 */
#include "calls.h"

#define TEXT_BYTES 40000

extern void *__real_malloc(size_t size);
extern void *__real_realloc(void *bytes, size_t size);
extern void *__wrap_malloc(size_t size);
extern void *__wrap_realloc(void *bytes, size_t size);

static long allowed;			/* allocations until one fails */

void *
__wrap_malloc(size_t size)
{
	return allowed-- == 0 ? NULL : __real_malloc(size);
}

void *
__wrap_realloc(void *bytes, size_t size)
{
	return allowed-- == 0 ? NULL : __real_realloc(bytes, size);
}

/* Fail allocation 0, 1, ... until all calls succeed.  Return the number of failures. */
static long
fail_each(bool (*calls) (uint64_t *sum, const char *text, size_t n), const char *text, size_t n)
{
	uint64_t	sum = 0;
	long		i = 0;

	for (;; i++)
	{
		allowed = i;
		if (!calls(&sum, text, n))
			break;
	}
	allowed = -1;
	return i;
}

static bool
texts(uint64_t *sum, const char *text, size_t n)
{
	const pgsimhash_options logarithm = {.weight = PGSIMHASH_LOGARITHM};
	const pgsimhash_options once = {0};
	bool		failed = call_texts(sum, text, n, &logarithm, 128);

	return call_texts(sum, text, n, &once, 64) || failed;
}

static bool
comparisons(uint64_t *sum, const char *text, size_t n)
{
	const pgsimhash_options once = {0};

	return call_comparisons(sum, text, n, &once);
}

static bool
duplicates(uint64_t *sum, const char *text, size_t n)
{
	return call_duplicates(sum, text, n, 7 * 4);
}

int
main(void)
{
	static char text[TEXT_BYTES];
	long		n;

	allowed = -1;
	for (size_t i = 0; i < TEXT_BYTES; i++)
		text[i] = random64() % 5 == 0 ? ' ' : (char) ('a' + random64() % 26);
	n = fail_each(texts, text, TEXT_BYTES);
	check(n >= 4, "fingerprints: %ld allocations fail", n);
	n = fail_each(comparisons, text, TEXT_BYTES);
	check(n >= 20, "comparisons: %ld allocations fail", n);
	n = fail_each(duplicates, text, TEXT_BYTES);
	check(n >= 20, "duplicates: %ld allocations fail", n);
	return end_tests();
}
