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
#include "texts.h"

typedef bool (*FingerprintFunction) (const char *utf8, size_t len,
									 const TextOptions *options, const Env *env,
									 int words, uint64_t *fingerprint);

typedef struct TextCall
{
	FingerprintFunction function;
	const char *text;
	size_t		length;
	int			words;
	TextOptions options;
	uint64_t   *fingerprint;
} TextCall;

static int
text_body(Call *call, void *arg)
{
	TextCall   *c = arg;
	uint64_t	found[MOST_WORDS];

	if (!c->function(c->text, c->length, &c->options, &call->env, c->words, found))
		return PGSIMHASH_NULL;
	return store_fingerprint(c->fingerprint, found, c->words);
}

int
fingerprint_text(bool is_minhash, bool is_utf8, const char *text, size_t length, int bits,
				 const pgsimhash_options *options, uint64_t *fingerprint)
{
	TextCall	c = {is_minhash ? core_minwise_text : core_of_text, text, length,
	bits / WORD_BITS, TEXT_OPTIONS_DEFAULT, fingerprint};

	if (!is_text_width(bits) || !options_of_text(options, &c.options))
		return PGSIMHASH_INVALID_OPTION;
	if (!is_utf8 && !utf8_is_valid(text, length))
		return PGSIMHASH_INVALID_UTF8;
	return call_once(text_body, &c);
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

typedef struct ResemblanceCall
{
	const char *a;
	size_t		a_length;
	const char *b;
	size_t		b_length;
	TextOptions options;
	double	   *resemblance;
} ResemblanceCall;

static int
resemblance_body(Call *call, void *arg)
{
	ResemblanceCall *c = arg;

	return core_resemblance_text(c->a, c->a_length, c->b, c->b_length, &c->options,
								 &call->env, c->resemblance) ?
		PGSIMHASH_OK : PGSIMHASH_NULL;
}

int
pgsimhash_resemblance(const char *a, size_t a_length, const char *b, size_t b_length,
					  const pgsimhash_options *options, double *resemblance)
{
	ResemblanceCall c = {a, a_length, b, b_length, TEXT_OPTIONS_DEFAULT, resemblance};

	if (!options_of_text(options, &c.options))
		return PGSIMHASH_INVALID_OPTION;
	if (!utf8_is_valid(a, a_length) || !utf8_is_valid(b, b_length))
		return PGSIMHASH_INVALID_UTF8;
	return call_once(resemblance_body, &c);
}
