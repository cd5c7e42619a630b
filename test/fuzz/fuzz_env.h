/*
 * The environment of src/text in the fuzz targets.
 */
#ifndef SIMHASH_FUZZ_ENV_H
#define SIMHASH_FUZZ_ENV_H

#include "../../src/core/text/text_env.h"
#include "fuzz.h"

static void
env_fail(void *arg, bool out_of_memory, const char *message)
{
	(void) arg;
	(void) out_of_memory;
	fprintf(stderr, "failed: %s\n", message);
	abort();
}

static inline TextEnv
fuzz_env(uint64_t salt)
{
	TextEnv		env = {env_resize, env_release, env_check_interrupts, env_fail, NULL, 0};

	env.salt = salt;
	return env;
}

#endif
