/*-------------------------------------------------------------------------
 *
 * list_features.c
 *		The features of a text; see list_features.h.
 *
 * The text is read twice: the first reading counts the features, and the
 * second reading sees the tokens.  The count of a shown feature is reset, so
 * that each feature is shown once.
 *
 *-------------------------------------------------------------------------
 */
#include <string.h>

#include "counts.h"
#include "feature_reader.h"
#include "list_features.h"

/* No text has this many of a feature, because texts have less than 4 GB. */
#define SHOWN UINT32_MAX

/* The bytes of the tokens that the next feature may need, one after another. */
typedef struct Window
{
	uint8_t    *bytes;
	size_t		room;
	size_t		start;			/* of the oldest token */
	size_t		end;
	size_t		lengths[LONGEST_SHINGLE + 1];	/* ring buffer */
	size_t		n;				/* tokens */
	size_t		oldest;
} Window;

typedef struct Lister
{
	const TextOptions *options;
	const Env  *env;
	FeatureCounts counts;
	Repeats		repeats;
	FeatureMaker maker;
	Window		window;
	size_t		most;			/* most tokens in the window */
	FeatureCallback callback;
	void	   *arg;
} Lister;

/* Does a space separate the tokens of a feature? */
static bool
spaced(const Lister *lister)
{
	return lister->options->tokens != TOKENS_CHARACTERS;
}

/* Append a token.  If the window is full, the oldest token leaves it. */
static void
window_add(Lister *lister, const uint8_t *bytes, size_t len)
{
	Window	   *w = &lister->window;
	size_t		space = spaced(lister) && w->n > 0 ? 1 : 0;

	if (w->n == lister->most)
	{
		w->start += w->lengths[w->oldest];
		w->oldest = (w->oldest + 1) % lister->most;
		w->n--;
		if (w->n == 0)
			space = 0;
		else if (spaced(lister))
			w->start++;
	}
	if (w->room - w->end < len + 1)
	{
		/* at least half of the room becomes free, or the room doubles */
		if (w->start > 0)
			memmove(w->bytes, w->bytes + w->start, w->end - w->start);
		w->end -= w->start;
		w->start = 0;
		if (w->room / 2 < w->end + len + 1)
		{
			w->room = 2 * (w->end + len + 1);
			w->bytes = env_resize(lister->env, w->bytes, w->room);
		}
	}
	if (space > 0)
		w->bytes[w->end++] = ' ';
	memcpy(w->bytes + w->end, bytes, len);
	w->end += len;
	w->lengths[(w->oldest + w->n) % lister->most] = len;
	w->n++;
}

/*
 * Show the feature of the window's bytes from start on, unless it was shown
 * before.
 */
static void
show(Lister *lister, size_t start, uint64_t hash)
{
	const Window *w = &lister->window;
	uint32_t   *count = core_counts_of(&lister->counts, hash);

	if (*count == SHOWN)
		return;
	lister->callback(lister->arg, (const char *) w->bytes + start, w->end - start,
					 core_feature_weight(lister->options->weight, *count),
					 hash);
	*count = SHOWN;
}

static void
list_token(void *arg, const uint8_t *bytes, size_t len)
{
	Lister	   *lister = arg;
	const Window *w = &lister->window;
	uint64_t	token = core_hash_bytes(bytes, len);
	uint64_t	features[FEATURES_PER_TOKEN];
	size_t		n;

	window_add(lister, bytes, len);
	n = core_make_features(&lister->maker, &token, 1, features);
	core_number_repeats(&lister->repeats, &token, 1, features, n);
	if (lister->options->shingle == SINGLES_AND_PAIRS)
	{
		show(lister, w->end - len, features[0]);
		if (n == 2)
			show(lister, w->start, features[1]);
	}
	else if (n == 1)
		show(lister, w->start, features[0]);
}

void
core_list_features(const char *utf8, size_t len, const TextOptions *options,
				   const Env *env, FeatureCallback callback, void *arg)
{
	Lister		lister;
	TokenListener listener = {list_token, NULL};
	FeatureReader reader;
	Tokenizer  *tok = &reader.tok;
	uint64_t	hashes[FEATURE_BATCH];
	size_t		n;

	memset(&lister.window, 0, sizeof(lister.window));
	lister.options = options;
	lister.env = env;
	lister.callback = callback;
	lister.arg = arg;
	lister.most = options->shingle == SINGLES_AND_PAIRS ? 2 :
		(size_t) options->shingle;

	core_counts_init(&lister.counts, env);
	core_repeats_init(&lister.repeats, options, env);
	feature_reader_init(&reader, utf8, len, options, env);
	while (feature_reader_next(&reader, hashes, &n))
		core_counts_add(&lister.counts, hashes, n);
	feature_reader_free(&reader);

	core_features_init(&lister.maker, options->shingle);
	listener.arg = &lister;
	core_tokens_init(tok, utf8, len, options, &listener, env);
	while (core_tokens_next(tok, hashes, &n))
		;
	if (core_features_end(&lister.maker, hashes) == 1)
		show(&lister, lister.window.start, hashes[0]);

	core_tokens_free(tok);
	core_counts_free(&lister.counts);
	core_repeats_free(&lister.repeats);
	env_free(env, lister.window.bytes);
}
