/*-------------------------------------------------------------------------
 *
 * api_duplicates.c
 *		Copies and edited versions among many texts, and keys of copies.
 *
 *-------------------------------------------------------------------------
 */
#include <stdlib.h>

#include "arguments.h"
#include "call.h"
#include "core/changes/copy_key.h"
#include "core/duplicates/duplicate_search.h"
#include "core/text/methods/fingerprint.h"
#include "internal.h"
#include "tasks.h"

#define FINGERPRINT_WORDS (PGSIMHASH_DUPLICATES_BITS / WORD_BITS)

/* ---------- keys ---------- */

int
pgsimhash_copy_key(const char *text, size_t length, unsigned char *key)
{
	Call		call;
	bool		is_found;

	if (!utf8_is_valid(text, length))
		return PGSIMHASH_INVALID_UTF8;
	call_begin(&call);
	if (setjmp(call.out) != 0)
		return call_end(&call, call.result);
	is_found = core_copy_key(text, length, &call.env, key);
	return call_end(&call, is_found ? PGSIMHASH_OK : PGSIMHASH_NULL);
}

/* ---------- duplicates ---------- */

/* Texts of a task that computes fingerprints, and texts whose fingerprints are in memory at a time */
#define TEXTS_OF_TASK 256
#define TEXTS_AT_ONCE (1 << 16)

/* Rows are the numbers of the texts. */
struct pgsimhash_duplicates
{
	Call		call;
	Duplicates *search;
	FingerprintSet *set;
	JoinFile   *fingerprints;	/* of all texts; zeros: not known yet */
	size_t		n;				/* texts */
	DuplicateOptions options;
	size_t		memory;
	int			threads;
	bool		searched;		/* has a search begun? */
	bool		found;			/* has it ended? */
	TextCache  *cache;			/* of duplicates_read_text, or NULL */
};

int
pgsimhash_duplicates_begin(int titles, int numbers, int distance, size_t memory,
						   pgsimhash_duplicates **duplicates)
{
	pgsimhash_duplicates *d;

	if ((titles != 0 && titles != 1) || (numbers != 0 && numbers != 1))
		return PGSIMHASH_INVALID_OPTION;
	d = calloc(1, sizeof(pgsimhash_duplicates));
	if (d == NULL)
		return PGSIMHASH_NO_MEMORY;
	d->options.titles = titles == 1;
	d->options.numbers = numbers == 1;
	d->options.distance = search_distance(distance, PGSIMHASH_DUPLICATES_BITS);
	d->memory = search_memory(memory);
	call_begin(&d->call);
	d->call.on_disk = memory > 0;
	if (setjmp(d->call.out) != 0)
	{
		int			result = d->call.result;

		pgsimhash_duplicates_end(d);
		return result;
	}
	d->search = core_duplicates_begin(&d->call.env);
	d->set = core_set_begin(FINGERPRINT_WORDS, &d->call.env);
	d->fingerprints = d->call.env.create_file(&d->call);
	*duplicates = d;
	return PGSIMHASH_OK;
}

/* ---------- adding ---------- */

int
pgsimhash_duplicates_add(pgsimhash_duplicates *d, const char *title, size_t title_length,
						 const char *text, size_t length, const uint64_t *fingerprint)
{
	static const uint64_t unknown[FINGERPRINT_WORDS] = {0};
	TitledText	added = {title, title_length, text, length};

	if (d->searched || d->n >= UINT32_MAX - 2)
		return PGSIMHASH_INVALID_OPTION;
	if (!utf8_is_valid(title, title_length) || !utf8_is_valid(text, length))
		return PGSIMHASH_INVALID_UTF8;
	if (setjmp(d->call.out) != 0)
		return d->call.result;
	if (title_length + length > 0)
		core_duplicates_add(d->search, (uint32_t) d->n, &added);
	d->call.env.append(d->fingerprints, fingerprint != NULL ? fingerprint : unknown,
					   sizeof(unknown));
	d->n++;
	return PGSIMHASH_OK;
}

/* ---------- finding ---------- */

/* The fingerprints that are computed together */
typedef struct FingerprintTask
{
	pgsimhash_duplicates *duplicates;
	size_t		first;			/* text */
	size_t		n;
	uint64_t   *words;
	bool	   *has_words;
} FingerprintTask;

static bool
is_known(const uint64_t *words)
{
	for (int i = 0; i < FINGERPRINT_WORDS; i++)
		if (words[i] != 0)
			return true;
	return false;
}

/* A TaskBody: compute the fingerprints that are not known, of some texts. */
static void
fingerprint_task(Call *call, void *arg, size_t task)
{
	static const TextOptions options = TEXT_OPTIONS_DEFAULT;
	FingerprintTask *t = arg;
	const Duplicates *search = t->duplicates->search;
	JoinFile   *file = call_view_file(call, search->file);
	size_t		end = (task + 1) * TEXTS_OF_TASK;
	TextBuffer	whole = {NULL, 0, 0};

	for (size_t i = task * TEXTS_OF_TASK; i < t->n && i < end; i++)
	{
		uint64_t   *words = t->words + i * FINGERPRINT_WORDS;
		uint32_t	row = (uint32_t) (t->first + i);

		t->has_words[i] = core_duplicates_have(search, row);
		if (!t->has_words[i] || is_known(words))
			continue;
		core_read_whole_text(&call->env, file, search->places[row], &whole);
		t->has_words[i] = core_minwise_text(whole.bytes, whole.len, &options, &call->env,
											FINGERPRINT_WORDS, words);
	}
	env_free(&call->env, whole.bytes);
	call->env.remove_file(file);
}

/* Put the fingerprints of all texts into the set, and forget texts without words. */
static void
find_fingerprints(pgsimhash_duplicates *d)
{
	const Env  *env = &d->call.env;
	FingerprintTask t = {.duplicates = d};

	t.words = env_alloc(env, TEXTS_AT_ONCE * FINGERPRINT_WORDS * sizeof(uint64_t));
	t.has_words = env_alloc(env, TEXTS_AT_ONCE);
	for (; t.first < d->n; t.first += t.n)
	{
		size_t		bytes = FINGERPRINT_WORDS * sizeof(uint64_t);

		t.n = d->n - t.first < TEXTS_AT_ONCE ? d->n - t.first : TEXTS_AT_ONCE;
		env->read(d->fingerprints, t.first * bytes, t.words, t.n * bytes);
		do_tasks(&d->call, d->threads, (t.n - 1) / TEXTS_OF_TASK + 1, fingerprint_task, &t);
		for (size_t i = 0; i < t.n; i++)
		{
			core_set_add(d->set, t.words + i * FINGERPRINT_WORDS, (uint32_t) (t.first + i));
			if (!t.has_words[i])
				core_duplicates_forget(d->search, (uint32_t) (t.first + i));
		}
	}
	core_set_flush(d->set);
	env_free(env, t.words);
	env_free(env, t.has_words);
	env->remove_file(d->fingerprints);
}

/* The duplicates of each part, in the place where its texts are */
typedef struct PartsTask
{
	pgsimhash_duplicates *duplicates;
	size_t		memory;			/* of a thread */
	Duplicate  *found;
	uint32_t   *n_found;
	DuplicateCounts *counts;
} PartsTask;

/* A TaskBody: find the duplicates of a part. */
static void
part_task(Call *call, void *arg, size_t task)
{
	PartsTask  *t = arg;
	const pgsimhash_duplicates *d = t->duplicates;
	const DuplicateParts *parts = &d->search->parts;
	uint32_t	start = parts->starts[task];
	PartSearch	search = {&d->options, t->memory, NULL, NULL, &call->env};

	search.texts = call_view_file(call, d->search->file);
	search.set = core_set_copy(d->set, call_view_file(call, d->set->file), &call->env);
	t->n_found[task] = core_find_in_part(&search, parts->texts + start,
										 parts->starts[task + 1] - start, t->found + start,
										 &t->counts[task]);
	call->env.remove_file(search.texts);
	core_set_end(search.set);
}

static void
find_in_parts(pgsimhash_duplicates *d)
{
	const Env  *env = &d->call.env;
	const DuplicateParts *parts = &d->search->parts;
	PartsTask	t = {.duplicates = d,.memory = d->memory / (size_t) d->threads};

	t.found = env_alloc(env, parts->n_texts * sizeof(Duplicate));
	t.n_found = env_alloc(env, parts->n * sizeof(uint32_t));
	t.counts = env_alloc(env, parts->n * sizeof(DuplicateCounts));
	do_tasks(&d->call, d->threads, parts->n, part_task, &t);
	for (uint32_t part = 0; part < parts->n; part++)
	{
		core_duplicates_take(d->search, t.found + parts->starts[part], t.n_found[part]);
		core_add_counts(&d->search->counts, &t.counts[part]);
	}
	env_free(env, t.found);
	env_free(env, t.n_found);
	env_free(env, t.counts);
}

/* Copy the order.  Return NULL if it is not a permutation. */
static uint32_t *
copy_order(const Env *env, const uint32_t *order, size_t n)
{
	uint32_t   *copy = env_alloc(env, n * sizeof(uint32_t));
	bool	   *has = env_alloc(env, n);

	memset(has, false, n);
	for (size_t i = 0; i < n; i++)
	{
		copy[i] = order[i];
		if (copy[i] >= n || has[copy[i]])
			return NULL;
		has[copy[i]] = true;
	}
	env_free(env, has);
	return copy;
}

int
pgsimhash_duplicates_find(pgsimhash_duplicates *d, size_t known, const uint32_t *order, int threads,
						  size_t *n_by_numbers, size_t *n_limited)
{
	uint32_t   *copy;
	bool	   *is_new;

	if (d->searched || threads < 0 || known > d->n)
		return PGSIMHASH_INVALID_OPTION;
	d->searched = true;
	d->threads = threads > 0 ? threads : processors();
	if (setjmp(d->call.out) != 0)
		return d->call.result;
	if (d->n > 0)
	{
		copy = order == NULL ? NULL : copy_order(&d->call.env, order, d->n);
		if (order != NULL && copy == NULL)
			return PGSIMHASH_INVALID_OPTION;
		find_fingerprints(d);
		is_new = call_new_rows(&d->call, known, d->n);
		core_duplicates_find_near(d->search, d->set, is_new, d->options.distance, d->memory,
								  &core_serial_pairs);
		core_duplicates_divide(d->search, copy);
		env_free(&d->call.env, is_new);
		find_in_parts(d);
	}
	d->found = true;
	if (n_by_numbers != NULL)
		*n_by_numbers = d->search->counts.number_siblings;
	if (n_limited != NULL)
		*n_limited = d->search->counts.limited.n;
	return PGSIMHASH_OK;
}

int
pgsimhash_duplicates_next(pgsimhash_duplicates *d, pgsimhash_duplicate *found, size_t room,
						  size_t *n_found)
{
	Duplicate	duplicate;
	size_t		n;

	if (!d->found)
		return PGSIMHASH_INVALID_OPTION;
	if (setjmp(d->call.out) != 0)
		return d->call.result;
	for (n = 0; n < room && d->n > 0 && core_duplicates_next(d->search, &duplicate); n++)
	{
		found[n].text = duplicate.row;
		found[n].original = duplicate.original;
		found[n].distance = duplicate.distance;
		found[n].kind = duplicate.kind == DUPLICATE_COPY ? PGSIMHASH_COPY : PGSIMHASH_REVISION;
	}
	*n_found = n;
	return PGSIMHASH_OK;
}

uint64_t
duplicates_next_place(const pgsimhash_duplicates *d)
{
	return d->search->file_size;
}

int
duplicates_read_text(pgsimhash_duplicates *d, uint32_t text, uint64_t place,
					 const char **bytes, size_t *length, size_t *title_length)
{
	const StoredText *stored;

	if (setjmp(d->call.out) != 0)
		return d->call.result;
	/* the cache always has the last text, too */
	if (d->cache == NULL)
		d->cache = core_text_cache_begin(d->search->file, 1, 0, &d->call.env);
	stored = core_text_cache_read(d->cache, text, place, false);
	*bytes = stored->utf8;
	*length = stored->len;
	*title_length = stored->title_len;
	return PGSIMHASH_OK;
}

void
pgsimhash_duplicates_end(pgsimhash_duplicates *d)
{
	if (d == NULL)
		return;
	(void) call_end(&d->call, PGSIMHASH_OK);
	free(d);
}
