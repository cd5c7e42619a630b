/*-------------------------------------------------------------------------
 *
 * texts.c
 *		Fingerprints and resemblance of texts.
 *
 *-------------------------------------------------------------------------
 */
#include "arguments.h"
#include "call.h"
#include "core/text/methods/fingerprint.h"
#include "internal.h"

int
fingerprint_text(bool is_minhash, bool is_utf8, const char *text, size_t length, int bits,
				 const pgsimhash_options *given, uint64_t *fingerprint)
{
	int			words = bits / WORD_BITS;
	uint64_t	found[MOST_WORDS];
	TextOptions options;
	Call		call;
	bool		is_found;

	if (!is_text_width(bits) || !options_of_text(given, &options))
		return PGSIMHASH_INVALID_OPTION;
	if (!is_utf8 && !utf8_is_valid(text, length))
		return PGSIMHASH_INVALID_UTF8;
	call_begin(&call);
	if (setjmp(call.out) != 0)
		return call_end(&call, call.result);
	is_found = (is_minhash ? core_minwise_text : core_of_text)
		(text, length, &options, &call.env, words, found);
	return call_end_fingerprint(&call, is_found, found, words, fingerprint);
}

int
pgsimhash_minhash(const char *text, size_t length, int bits,
				  const pgsimhash_options *options, uint64_t *fingerprint)
{
	return fingerprint_text(true, false, text, length, bits, options, fingerprint);
}

int
pgsimhash_simhash(const char *text, size_t length, int bits,
				  const pgsimhash_options *options, uint64_t *fingerprint)
{
	return fingerprint_text(false, false, text, length, bits, options, fingerprint);
}

int
pgsimhash_resemblance(const char *a, size_t a_length, const char *b, size_t b_length,
					  const pgsimhash_options *given, double *resemblance)
{
	TextOptions options;
	Call		call;
	bool		is_found;

	if (!options_of_text(given, &options))
		return PGSIMHASH_INVALID_OPTION;
	if (!utf8_is_valid(a, a_length) || !utf8_is_valid(b, b_length))
		return PGSIMHASH_INVALID_UTF8;
	call_begin(&call);
	if (setjmp(call.out) != 0)
		return call_end(&call, call.result);
	is_found = core_resemblance_text(a, a_length, b, b_length, &options, &call.env, resemblance);
	return call_end(&call, is_found ? PGSIMHASH_OK : PGSIMHASH_NULL);
}
