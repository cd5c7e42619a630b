/*-------------------------------------------------------------------------
 *
 * arguments.c
 *		The checks of arguments; see arguments.h.
 *
 *-------------------------------------------------------------------------
 */
#include "arguments.h"

#define FEWEST_CHARACTERS 4		/* of a feature, unless n is given */

bool
options_of_text(const pgsimhash_options *given, TextOptions *options)
{
	static const TextOptions otherwise = TEXT_OPTIONS_DEFAULT;

	*options = otherwise;
	if (given == NULL)
		return true;
	switch (given->features)
	{
		case PGSIMHASH_WORDS_AND_PAIRS:
			if (given->n != 0)
				return false;
			break;
		case PGSIMHASH_WORD_SHINGLES:
			options->shingle = given->n == 0 ? 1 : given->n;
			break;
		case PGSIMHASH_CHARACTERS:
			options->tokens = TOKENS_CHARACTERS;
			options->shingle = given->n == 0 ? FEWEST_CHARACTERS : given->n;
			break;
		default:
			return false;
	}
	switch (given->weight)
	{
		case PGSIMHASH_ONCE:
			break;
		case PGSIMHASH_FREQUENCY:
			options->weight = WEIGHT_FREQUENCY;
			break;
		case PGSIMHASH_LOGARITHM:
			options->weight = WEIGHT_LOGARITHM;
			break;
		default:
			return false;
	}
	options->fold = given->no_fold == 0;
	options->normalize = given->no_normalization == 0;
	return given->n >= 0 && given->n <= LONGEST_SHINGLE &&
		(given->no_fold | 1) == 1 && (given->no_normalization | 1) == 1 &&
		given->reserved[0] == 0 && given->reserved[1] == 0 && given->reserved[2] == 0;
}

bool
options_of_words(const pgsimhash_options *given, int n, TextOptions *options)
{
	if (n < 1 || n > LONGEST_SHINGLE || !options_of_text(given, options) ||
		options->shingle != SINGLES_AND_PAIRS || options->weight != WEIGHT_ONCE)
		return false;
	options->shingle = n;
	return true;
}
