/*
 * Shared by the fuzz targets.
 *
 * A target is a function that gets any bytes, and aborts if the tested code gives a
 * wrong result.  The name is libFuzzer's.  Without libFuzzer replay.c calls the
 * function.
 */
#ifndef SIMHASH_FUZZ_H
#define SIMHASH_FUZZ_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

extern int	LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static inline void
require(int condition, const char *file, int line, const char *text)
{
	if (condition)
		return;
	fprintf(stderr, "%s:%d: not true: %s\n", file, line, text);
	abort();
}

#define REQUIRE(condition) require((condition) ? 1 : 0, __FILE__, __LINE__, #condition)

/*
 * A copy that ends where its memory ends, so that checkers notice reading beyond it.
 */
static inline void *
exact_copy(const void *data, size_t size)
{
	void	   *copy = calloc(1, size > 0 ? size : 1);

	REQUIRE(copy != NULL);
	if (size > 0)
		memcpy(copy, data, size);
	return copy;
}

/*
 * The next n bytes of the input as a number, with zeros behind the end of the
 * input.
 */
static inline uint64_t
take(const uint8_t **data, size_t *size, size_t n)
{
	uint64_t	value = 0;

	for (; n > 0; n--)
	{
		value <<= 8;
		if (*size > 0)
		{
			value |= **data;
			(*data)++;
			(*size)--;
		}
	}
	return value;
}

/*
 * Functions of an Env: malloc, which sanitizers watch.
 */
static inline void *
fuzz_resize(void *arg, void *ptr, size_t size)
{
	(void) arg;
	ptr = realloc(ptr, size);
	REQUIRE(ptr != NULL);
	return ptr;
}

static inline void
fuzz_release(void *arg, void *ptr)
{
	(void) arg;
	free(ptr);
}

static inline void
fuzz_check_interrupts(void *arg)
{
	(void) arg;
}

#endif
