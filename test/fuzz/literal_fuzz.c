/*
 * Fuzz target: the text form of a fingerprint.  A fingerprint that is read is
 * written in the canonical form, and can be read again.
 */
#include "../../src/core/literal.h"
#include "fuzz.h"

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char	   *s = exact_copy(data, size);
	char	   *out = malloc(FINGERPRINT_HEX_DIGITS + 1);
	uint64_t	f;
	uint64_t	again;

	if (fingerprint_parse(s, size, &f))
	{
		REQUIRE(size >= FINGERPRINT_HEX_DIGITS);
		fingerprint_format(f, out);
		REQUIRE(strlen(out) == FINGERPRINT_HEX_DIGITS);
		REQUIRE(fingerprint_parse(out, FINGERPRINT_HEX_DIGITS, &again) && again == f);
		REQUIRE(strtoull(out, NULL, 16) == f);
	}
	if (size >= sizeof(f))
	{
		memcpy(&f, data, sizeof(f));
		fingerprint_format(f, out);
		REQUIRE(fingerprint_parse(out, FINGERPRINT_HEX_DIGITS, &again) && again == f);
	}
	free(out);
	free(s);
	return 0;
}
