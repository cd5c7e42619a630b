/*-------------------------------------------------------------------------
 *
 * options.c
 *		The named options of the functions that read a text.
 *
 * In SQL the options are arguments behind the texts:
 *
 *		features name, n integer, weight text, fold boolean,
 *		normalization boolean
 *
 * without "weight" if the function sees a text as a set of features.  NULL stands for the
 * default of an option.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "core/text/tokens/dictionary.h"
#include "options.h"
#include "utils/builtins.h"

enum
{
	FEATURES_WORDS_AND_PAIRS,
	FEATURES_WORDS,
	FEATURES_CHARACTERS
};

static const OptionName feature_names[] = {
	{"words and pairs", FEATURES_WORDS_AND_PAIRS},
	{"words", FEATURES_WORDS},
	{"characters", FEATURES_CHARACTERS},
	{NULL}
};

static const OptionName weight_names[] = {
	{"once", WEIGHT_ONCE},
	{"frequency", WEIGHT_FREQUENCY},
	{"logarithm", WEIGHT_LOGARITHM},
	{NULL}
};

/* Return the value of an option.  Raises an error unless it is one of "names". */
int
named_option(const char *given, const char *option, const OptionName *names,
			 const char *hint)
{
	for (; names->name != NULL; names++)
	{
		if (pg_strcasecmp(given, names->name) == 0)
			return names->value;
	}
	ereport(ERROR,
			(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
			 errmsg("unrecognized value for option \"%s\": \"%s\"", option, given),
			 errhint("%s", hint)));
}

static bool
boolean_option(FunctionCallInfo fcinfo, int arg, bool otherwise)
{
	return PG_ARGISNULL(arg) ? otherwise : PG_GETARG_BOOL(arg);
}

/* Return the option n: the number of adjacent tokens of a feature. */
static int
shingle_option(FunctionCallInfo fcinfo, int arg, int features)
{
	int32		n;

	if (PG_ARGISNULL(arg))
	{
		if (features == FEATURES_WORDS_AND_PAIRS)
			return SINGLES_AND_PAIRS;
		return features == FEATURES_WORDS ? 1 : 4;
	}
	if (features == FEATURES_WORDS_AND_PAIRS)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("option \"n\" is not supported with features \"words and pairs\""),
				 errhint("With features => 'words' or features => 'characters', n is the number of adjacent words or characters in a feature.")));
	n = PG_GETARG_INT32(arg);
	if (n < 1 || n > LONGEST_SHINGLE)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("value %d out of bounds for option \"n\"", n),
				 errhint("Values between 1 and %d are valid.", LONGEST_SHINGLE)));
	return n;
}

/* Read the options from argument "first" on.  If "weighted" is true, one of them is the weight. */
TextOptions
text_options(FunctionCallInfo fcinfo, int first, bool weighted)
{
	TextOptions options;
	int			features = feature_names->value;
	int			arg = first;

	if (!PG_ARGISNULL(arg))
		features = named_option(text_to_cstring(PG_GETARG_TEXT_PP(arg)), "features",
								feature_names,
								"Valid features are \"words and pairs\" (the default), \"words\" and \"characters\".");
	options.tokens = features == FEATURES_CHARACTERS ? TOKENS_CHARACTERS : TOKENS_WORDS;
	options.shingle = shingle_option(fcinfo, ++arg, features);
	options.weight = weight_names->value;
	if (weighted && !PG_ARGISNULL(++arg))
		options.weight = named_option(text_to_cstring(PG_GETARG_TEXT_PP(arg)),
									  "weight", weight_names,
									  "Valid weights are \"once\" (the default), \"frequency\" and \"logarithm\".");
	options.fold = boolean_option(fcinfo, ++arg, true);
	options.normalize = boolean_option(fcinfo, ++arg, true);
	return options;
}

/* Let a dictionary find the words of texts with these options. */
void
use_dictionary(TextOptions *options)
{
	if (options->tokens == TOKENS_CHARACTERS)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("features \"characters\" do not use a dictionary"),
				 errhint("A dictionary finds words. Use features \"words and pairs\" or \"words\".")));
	if (!core_dictionary_exists())
		ereport(ERROR,
				(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
				 errmsg("finding words by dictionary is not supported by this build"),
				 errhint("Build simhash with the ICU headers (libicu-dev) for a PostgreSQL server that was built with ICU.")));
	options->tokens = TOKENS_DICTIONARY_WORDS;
}
