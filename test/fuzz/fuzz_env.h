/*
 * The environment of src/text in the fuzz targets.
 */
#ifndef SIMHASH_FUZZ_ENV_H
#define SIMHASH_FUZZ_ENV_H

#include "../../src/core/env.h"
#include "fuzz.h"

static void
fuzz_fail(void *arg, bool out_of_memory, const char *message)
{
	(void) arg;
	(void) out_of_memory;
	fprintf(stderr, "failed: %s\n", message);
	abort();
}

static inline Env
fuzz_env(uint64_t salt)
{
	Env			env = {
		.resize = fuzz_resize,.release = fuzz_release,
		.check_interrupts = fuzz_check_interrupts,.fail = fuzz_fail,.salt = salt
	};

	return env;
}

#endif
