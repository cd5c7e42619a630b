/*
 * Fingerprints that must never change, with both methods: of 64 bits, and the first four
 * words of wider ones.
 */
#ifndef SIMHASH_TEST_PINNED_H
#define SIMHASH_TEST_PINNED_H

#include <stdint.h>

static const struct
{
	const char *name;
	const char *text;
	uint64_t	fingerprint;
	uint64_t	minwise;
}			pins[] =

{
#include "pins.h"
};

static const struct
{
	const char *text;
	uint64_t	fingerprint[4];
	uint64_t	minwise[4];
}			wide_pins[] =

{
#include "wide_pins.h"
};

#endif
