/*
 * Fuzz target: a text of any bytes, with any options.
 *
 * Two bytes choose the options and the width, the rest is the text.  Its fingerprints do not
 * depend on the random salt, nor on the registers of the machine.  They equal the
 * fingerprints of the listed features and, if the Unicode Character Database is
 * installed, those of the reference implementation.
 */
#include "../../src/core/text/kernels/token_kernels.h"
#include "../../src/core/text/features/list_features.h"
#include "../../src/core/text/methods/fingerprint.h"
#include "../../src/core/text/methods/minwise.h"
#include "../../src/core/text/methods/salts.h"
#include "../../src/core/text/tokens/dictionary.h"
#include "../unit/reference.h"
#include "fuzz_env.h"

#define LONGEST_FOR_REFERENCE 4096	/* the time of the reference is quadratic
									 * in runs of marks */

typedef struct Listed
{
	const Env  *env;
	int			words;
	Tally		tallies[MOST_WORDS];
	MinWise		min[MOST_WORDS];
	size_t		n;
} Listed;

static void
list_feature(void *arg, const char *utf8, size_t len, double weight, uint64_t hash)
{
	Listed	   *listed = arg;

	/* every byte must be accessible */
	if (len > 0)
	{
		char	   *copy = exact_copy(utf8, len);

		REQUIRE(copy[len - 1] == utf8[len - 1]);
		free(copy);
	}
	REQUIRE(weight >= 1);
	listed->n++;
	core_tally_add(listed->tallies, listed->words, hash, weight, listed->env);
	core_minwise_add(listed->min, listed->words, &hash, 1);
}

static bool
same(const uint64_t *a, const uint64_t *b, int words)
{
	return memcmp(a, b, (size_t) words * sizeof(*a)) == 0;
}

static bool
has_reference(void)
{
	static int	loaded = -1;

	if (loaded < 0)
	{
		const char *dir = getenv("UNICODE_DIR");

		loaded = reference_load(dir ? dir : "/usr/share/unicode");
	}
	return loaded > 0;
}

static TextOptions
choose_options(unsigned int a, unsigned int b)
{
	static const int shingles[] = {SINGLES_AND_PAIRS, 1, 2, 3, 4, 7, LONGEST_SHINGLE};
	TextOptions options;

	options.tokens = a % 3 == 2 ? TOKENS_CHARACTERS :
		a % 3 == 1 && core_dictionary_exists() ? TOKENS_DICTIONARY_WORDS :
		TOKENS_WORDS;
	options.shingle = shingles[a / 3 % 7];
	options.fold = (b & 1) == 0;
	options.normalize = (b & 2) == 0;
	options.weight = (b >> 2) % 3 == 0 ? WEIGHT_ONCE :
		(b >> 2) % 3 == 1 ? WEIGHT_FREQUENCY : WEIGHT_LOGARITHM;
	return options;
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	unsigned int a = (unsigned int) take(&data, &size, 1);
	unsigned int b = (unsigned int) take(&data, &size, 1);
	TextOptions options = choose_options(a, b);
	TextOptions sets = options;
	Env			env = fuzz_env(1);
	Env			other_env = fuzz_env(UINT64_C(0x123456789ABCDEF1));
	char	   *text = exact_copy(data, size);
	size_t		half = size / 2;
	int			words = 1 + (int) (b >> 4);
	uint64_t	f[MOST_WORDS];
	uint64_t	g[MOST_WORDS];
	uint64_t	min[MOST_WORDS];
	bool		found;
	bool		min_found;
	double		resemblance = -1;
	double		reverse = -1;
	Listed		listed;

	sets.weight = WEIGHT_ONCE;
	found = core_of_text(text, size, &options, &env, words, f);
	min_found = core_minwise_text(text, size, &options, &env, words, min);
	REQUIRE(found == min_found);
	for (int k = 0; k < core_n_token_kernels; k++)
	{
		if (!core_token_kernels[k].supported())
			continue;
		core_token_kernel_chosen = &core_token_kernels[k];
		REQUIRE(core_of_text(text, size, &options, &other_env, words, g) == found &&
				(!found || same(f, g, words)));
		REQUIRE(core_minwise_text(text, size, &options, &env, words, g) == found &&
				(!found || same(min, g, words)));

		/* the first word is the narrow fingerprint */
		REQUIRE(core_of_text(text, size, &options, &env, 1, g) == found &&
				(!found || same(f, g, 1)));
		REQUIRE(core_minwise_text(text, size, &options, &env, 1, g) == found &&
				(!found || same(min, g, 1)));
	}
	core_token_kernel_chosen = NULL;

	listed.words = words;
	core_tally_init(listed.tallies, words);
	core_minwise_init(listed.min, words);
	listed.env = &env;
	listed.n = 0;
	core_list_features(text, size, &options, &env, list_feature, &listed);
	REQUIRE((listed.n > 0) == found);
	REQUIRE(core_tally_result(listed.tallies, words, g) == found &&
			(!found || same(f, g, words)));
	core_tally_free(listed.tallies, words, &env);

	/*
	 * the features of a set, which with characters are others than those with
	 * a weight
	 */
	core_tally_init(listed.tallies, words);
	core_minwise_init(listed.min, words);
	core_list_features(text, size, &sets, &env, list_feature, &listed);
	REQUIRE(core_minwise_result(listed.min, words, g) == found &&
			(!found || same(min, g, words)));
	core_tally_free(listed.tallies, words, &env);

	REQUIRE(core_resemblance_text(text, size, text, size, &sets, &env,
								  &resemblance) == found);
	REQUIRE(!found || resemblance == 1);
	if (core_resemblance_text(text, half, text + half, size - half, &sets, &env,
							  &resemblance))
	{
		REQUIRE(core_resemblance_text(text + half, size - half, text, half, &sets,
									  &env, &reverse));
		REQUIRE(resemblance == reverse && resemblance >= 0 && resemblance <= 1);
	}

	if (options.tokens != TOKENS_DICTIONARY_WORDS && size <= LONGEST_FOR_REFERENCE &&
		has_reference())
	{
		if (options.weight != WEIGHT_LOGARITHM)
			REQUIRE(reference_text((unsigned char *) text, size, &options, words, g) == found &&
					(!found || same(f, g, words)));
		REQUIRE(reference_minwise_text((unsigned char *) text, size, &options, words, g) == found &&
				(!found || same(min, g, words)));
	}
	free(text);
	return 0;
}
