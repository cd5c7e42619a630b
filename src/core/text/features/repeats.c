/*-------------------------------------------------------------------------
 *
 * repeats.c
 *		Features of characters that come again; see repeats.h.
 *
 *-------------------------------------------------------------------------
 */
#include "../kernels/token_hash.h"
#include "repeats.h"

void
core_repeats_init(Repeats *repeats, const TextOptions *options, const Env *env)
{
	static const uint8_t characters[] = "0123456789.,";

	repeats->numbered = options->tokens == TOKENS_CHARACTERS && options->weight == WEIGHT_ONCE &&
		options->shingle != SINGLES_AND_PAIRS;
	if (!repeats->numbered)
		return;
	core_counts_init(&repeats->counts, env);
	repeats->shingle = (size_t) options->shingle;
	repeats->low_bits = 0;
	repeats->last = 0;
	repeats->n_equal = 0;
	repeats->n_digits = 0;
	for (int i = 0; i < DIGITS_AND_SIGNS; i++)
	{
		repeats->digits[i] = token_hash_1to8(characters[i], 1);
		repeats->low_bits |= UINT64_C(1) << (repeats->digits[i] & 63);
	}
}

void
core_repeats_free(Repeats *repeats)
{
	if (repeats->numbered)
		core_counts_free(&repeats->counts);
}

static inline bool
is_digit_or_sign(const Repeats *repeats, uint64_t token)
{
	int			i = 0;

	if ((repeats->low_bits >> (token & 63) & 1) == 0)
		return false;
	while (i < DIGITS_AND_SIGNS && repeats->digits[i] != token)
		i++;
	return i < DIGITS_AND_SIGNS;
}

void
core_number_repeats(Repeats *repeats, const uint64_t *tokens, size_t n_tokens,
					uint64_t *features, size_t n)
{
	if (!repeats->numbered)
		return;
	for (size_t i = 0; i < n_tokens; i++)
	{
		repeats->n_equal = tokens[i] == repeats->last ? repeats->n_equal + 1 : 1;
		repeats->n_digits = is_digit_or_sign(repeats, tokens[i]) ? repeats->n_digits + 1 : 0;
		repeats->last = tokens[i];

		/* the first tokens of a text end no feature */
		if (i + n >= n_tokens &&
			(repeats->n_digits >= repeats->shingle ||
			 (repeats->n_equal >= repeats->shingle && repeats->shingle > 1)))
		{
			uint64_t   *feature = &features[i + n - n_tokens];

			*feature = core_counts_number(&repeats->counts, *feature);
		}
	}
}
