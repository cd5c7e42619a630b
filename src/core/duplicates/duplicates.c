/*-------------------------------------------------------------------------
 *
 * duplicates.c
 *		Which of many texts are copies of others, and which are edited versions.
 *
 * Copies are found by a hash (core/changes/copy_key.h), and verified by reading them, so their
 * number does not matter.  The pairs of the other texts come from a join of their
 * fingerprints.  Sketches refuse most pairs of texts of one template.  The others are sorted by
 * the later text, and texts are read in the order of keeping: the rule of
 * core/changes/same_document.h compares a text with the originals near it, until one is the same
 * document.  So of many versions of one text each is compared once.
 *
 *-------------------------------------------------------------------------
 */
#include <stdlib.h>
#include <string.h>

#include "../changes/copy.h"
#include "../changes/copy_key.h"
#include "../changes/same_title.h"
#include "../hamming.h"
#include "../join/external_sort.h"
#include "../widths.h"
#include "duplicates.h"
#include "sketch.h"
#include "text_file.h"

/* Sketches that are written at a time */
#define SKETCHES_BUFFER	16

struct Duplicates
{
	const JoinEnv *env;
	const TextEnv *text_env;
	DuplicateOptions options;
	bool		titles;
	TextFile   *texts;
	ExternalSort *groups;		/* hashes of copies with the numbers of texts */
	JoinFile   *sketch_file;
	Sketch	   *sketches;		/* those of the buffer, then all of them, or
								 * as many as fit */
	size_t		nsketches;		/* a place for each text, or for several */
	uint32_t   *sketched;		/* the text whose sketch is at a place, if
								 * several share it */
	FingerprintSet *set;
	const uint32_t *order;
	uint32_t   *ranks;			/* the place of each text in the order; NULL:
								 * its number */
	uint32_t   *originals;
	uint8_t    *kinds;
	uint32_t   *refused;		/* how many near texts of each text the rule
								 * refused */
	uint32_t	next;			/* place in the order */
};

/* ----------
 * Reading
 * ----------
 */

Duplicates *
simhash_duplicates_begin(const DuplicateOptions *options, const JoinEnv *env,
						 const TextEnv *text_env)
{
	Duplicates *d = join_alloc(env, sizeof(Duplicates));

	memset(d, 0, sizeof(Duplicates));
	d->env = env;
	d->text_env = text_env;
	d->options = *options;
	d->texts = simhash_text_file_begin(options->memory / 8, env, text_env);
	d->groups = simhash_external_sort_begin(LONG_KEYS, options->memory / 4, env);
	d->sketch_file = env->create_file(env->file_arg);
	d->sketches = join_alloc(env, SKETCHES_BUFFER * sizeof(Sketch));
	return d;
}

void
simhash_duplicates_set_titles(Duplicates *d, bool titles)
{
	d->titles = titles;
}

static void
flush_sketches(Duplicates *d, uint32_t n)
{
	size_t		buffered = n % SKETCHES_BUFFER;

	if (n > 0 && buffered == 0)
		buffered = SKETCHES_BUFFER;
	d->env->append(d->sketch_file, d->sketches, buffered * sizeof(Sketch));
}

bool
simhash_duplicates_add(Duplicates *d, const char *utf8, size_t title_len, size_t len)
{
	uint32_t	n = simhash_text_file_n(d->texts);
	ReadText	read;

	simhash_read_text(utf8, len, d->text_env, &read);
	if (read.list.n > 0)
	{
		if (n > 0 && n % SKETCHES_BUFFER == 0)
			flush_sketches(d, n);
		simhash_sketch(&read, title_len, d->text_env, &d->sketches[n % SKETCHES_BUFFER]);
		simhash_external_sort_add(d->groups, simhash_copy_group(utf8, len, d->text_env), n);
		simhash_text_file_add(d->texts, utf8, title_len, len);
	}
	d->text_env->release(d->text_env->arg, read.list.words);
	return read.list.n > 0;
}

/* ----------
 * Copies
 * ----------
 */

static inline uint32_t
rank_of(const Duplicates *d, uint32_t text)
{
	return d->ranks != NULL ? d->ranks[text] : text;
}

static bool
are_copies(Duplicates *d, uint32_t a, uint32_t b)
{
	const StoredText *of_a;
	const StoredText *of_b;
	Bytes		bytes_a;
	Bytes		bytes_b;

	simhash_text_file_pair(d->texts, a, b, false, &of_a, &of_b);
	bytes_a.text = (const uint8_t *) of_a->utf8;
	bytes_a.len = of_a->len;
	bytes_b.text = (const uint8_t *) of_b->utf8;
	bytes_b.len = of_b->len;
	return simhash_are_copies(&bytes_a, &bytes_b, true, d->text_env);
}

/*
 * Texts with one hash: those that are copies of the first one in the order, and
 * again those of the others that are copies of the first one of them.
 */
static void
mark_copies(Duplicates *d, uint32_t *texts, size_t n)
{
	while (n > 1)
	{
		uint32_t	original = texts[0];
		size_t		left = 0;

		for (size_t i = 1; i < n; i++)
			if (rank_of(d, texts[i]) < rank_of(d, original))
				original = texts[i];
		for (size_t i = 0; i < n; i++)
		{
			if (texts[i] == original)
				continue;
			if (!are_copies(d, original, texts[i]))
			{
				texts[left++] = texts[i];
				continue;
			}
			d->originals[texts[i]] = original;
			d->kinds[texts[i]] = DUPLICATE_COPY;
		}
		n = left;
	}
}

static void
find_copies(Duplicates *d)
{
	uint32_t   *texts = NULL;
	size_t		n = 0;
	size_t		room = 0;
	uint64_t	before = 0;
	uint64_t	hash;
	uint64_t	text;
	bool		any;

	simhash_external_sort_finish(d->groups);
	do
	{
		any = simhash_external_sort_next(d->groups, &hash, &text);
		if (n > 0 && (!any || hash != before))
		{
			mark_copies(d, texts, n);
			n = 0;
		}
		if (!any)
			break;
		if (n == room)
		{
			room = 2 * room + 64;
			texts = d->env->resize(d->env->arg, texts, room * sizeof(uint32_t));
		}
		texts[n++] = (uint32_t) text;
		before = hash;
		if (n % 4096 == 0)
			join_check_interrupts(d->env);
	} while (any);
	join_free(d->env, texts);
	simhash_external_sort_end(d->groups);
	d->groups = NULL;
}

/* ----------
 * Edited versions
 * ----------
 */

/* Have all sketches in memory, or places for as many as fit. */
static void
load_sketches(Duplicates *d, size_t memory)
{
	uint32_t	n = simhash_text_file_n(d->texts);

	flush_sketches(d, n);
	join_free(d->env, d->sketches);
	d->nsketches = n;
	if (d->nsketches > memory / sizeof(Sketch))
	{
		d->nsketches = memory / sizeof(Sketch) + 2; /* two at least */
		d->sketched = join_alloc(d->env, d->nsketches * sizeof(uint32_t));
		memset(d->sketched, 0xFF, d->nsketches * sizeof(uint32_t));
	}
	d->sketches = join_alloc(d->env, d->nsketches * sizeof(Sketch));
	if (d->sketched == NULL)
		d->env->read(d->sketch_file, 0, d->sketches, n * sizeof(Sketch));
}

static const Sketch *
sketch_of(Duplicates *d, uint32_t text, size_t place)
{
	if (d->sketched != NULL && d->sketched[place] != text)
	{
		d->env->read(d->sketch_file, (uint64_t) text * sizeof(Sketch), &d->sketches[place],
					 sizeof(Sketch));
		d->sketched[place] = text;
	}
	return &d->sketches[place];
}

static bool
sketches_differ(Duplicates *d, uint32_t a, uint32_t b)
{
	size_t		place_a = a;
	size_t		place_b = b;
	const Sketch *of_a;

	if (d->sketched != NULL)
	{
		place_a %= d->nsketches;
		place_b %= d->nsketches;
		if (place_b == place_a)
			place_b = place_a > 0 ? place_a - 1 : 1;
	}
	of_a = sketch_of(d, a, place_a);
	return simhash_sketches_differ(of_a, sketch_of(d, b, place_b), d->options.numbers,
								   d->titles);
}

/* Has each text a number that the other one has not, or has less often? */
static bool
numbers_replaced(const StoredText *a, const StoredText *b)
{
	size_t		i = 0;
	size_t		j = 0;
	bool		own_a = false;
	bool		own_b = false;

	while (!(own_a && own_b) && (i < a->n_numbers || j < b->n_numbers))
	{
		if (j == b->n_numbers || (i < a->n_numbers && a->numbers[i] < b->numbers[j]))
		{
			own_a = true;
			i++;
		}
		else if (i == a->n_numbers || a->numbers[i] > b->numbers[j])
		{
			own_b = true;
			j++;
		}
		else
		{
			i++;
			j++;
		}
	}
	return own_a && own_b;
}

/* The texts are no copies of each other.  Their numbers, which are sorted, decide fastest. */
static bool
are_one_document(Duplicates *d, uint32_t a, uint32_t b)
{
	const StoredText *of_a;
	const StoredText *of_b;

	simhash_text_file_pair(d->texts, a, b, true, &of_a, &of_b);
	return !(d->options.numbers && numbers_replaced(of_a, of_b)) &&
		(!d->titles ||
		 simhash_same_title(of_a->utf8, of_a->title_len, of_b->utf8, of_b->title_len,
							d->text_env)) &&
		simhash_same_document_of_read(&of_a->read, &of_b->read, d->options.numbers, d->text_env);
}

/* The fingerprints of the texts that are not copies; the same set if that is all. */
static FingerprintSet *
without_copies(Duplicates *d, FingerprintSet *set)
{
	FingerprintSet *rest;
	SetReader	reader;
	const uint64_t *fp;
	uint32_t	row;

	if (memchr(d->kinds, DUPLICATE_COPY, (size_t) set->n) == NULL)
		return set;
	rest = simhash_set_begin(set->nwords, d->env);
	simhash_set_reader_begin(&reader, set);
	while ((fp = simhash_set_reader_next(&reader, &row)) != NULL)
		if (d->kinds[row] == DUPLICATE_NONE)
			simhash_set_add(rest, fp, row);
	simhash_set_reader_end(&reader);
	return rest;
}

static void
refuse(Duplicates *d, uint32_t text)
{
	if (d->refused[text] < UINT32_MAX)
		d->refused[text]++;
}

/* Link the near texts that may be one document, the later one first. */
static void
link_pairs(Duplicates *d, FingerprintSet *set, int distance, const PairsSource *source,
		   ExternalSort *links)
{
	void	   *pairs = source->begin(source->arg, set, distance, UINT64_MAX, NULL,
									  d->options.memory / 8, d->env);
	const FingerprintPair *found;
	size_t		n;

	while ((n = source->next(pairs, &found)) > 0)
	{
		for (size_t i = 0; i < n; i++)
		{
			uint32_t	a = found[i].a;
			uint32_t	b = found[i].b;
			uint32_t	rank_a = rank_of(d, a);
			uint32_t	rank_b = rank_of(d, b);

			if (i % 4096 == 0)
				join_check_interrupts(d->env);
			if (sketches_differ(d, a, b))
			{
				refuse(d, a);
				refuse(d, b);
			}
			else if (rank_a > rank_b)
				simhash_external_sort_add(links, rank_a, rank_b);
			else
				simhash_external_sort_add(links, rank_b, rank_a);
		}
	}
	source->end(pairs);
	simhash_external_sort_finish(links);
}

static inline uint32_t
text_at(const Duplicates *d, uint32_t rank)
{
	return d->order != NULL ? d->order[rank] : rank;
}

static int
compare_ranks(const void *a, const void *b)
{
	uint32_t	x = *(const uint32_t *) a;
	uint32_t	y = *(const uint32_t *) b;

	return x < y ? -1 : x > y;
}

/* Find the original of the text with a rank among n texts near it, whose ranks are smaller. */
static void
find_original(Duplicates *d, uint32_t rank, uint32_t *ranks, size_t n)
{
	uint32_t	text = text_at(d, rank);

	qsort(ranks, n, sizeof(uint32_t), compare_ranks);
	for (size_t i = 0; i < n; i++)
	{
		uint32_t	original = text_at(d, ranks[i]);

		if (d->kinds[original] != DUPLICATE_NONE)
			continue;
		join_check_interrupts(d->env);
		if (are_one_document(d, original, text))
		{
			d->originals[text] = original;
			d->kinds[text] = DUPLICATE_REVISION;
			return;
		}
		refuse(d, original);
		refuse(d, text);
	}
}

/* Find the originals of all texts, in the order of keeping. */
static void
find_originals(Duplicates *d, ExternalSort *links)
{
	uint32_t   *ranks = NULL;	/* of the texts near the present one */
	size_t		n = 0;
	size_t		room = 0;
	uint64_t	present = 0;
	uint64_t	later;
	uint64_t	earlier;
	bool		any;

	do
	{
		any = simhash_external_sort_next(links, &later, &earlier);
		if (n > 0 && (!any || later != present))
		{
			find_original(d, (uint32_t) present, ranks, n);
			n = 0;
		}
		if (!any)
			break;
		if (n == room)
		{
			room = 2 * room + 64;
			ranks = d->env->resize(d->env->arg, ranks, room * sizeof(uint32_t));
		}
		ranks[n++] = (uint32_t) earlier;
		present = later;
	} while (any);
	join_free(d->env, ranks);
}

void
simhash_duplicates_find(Duplicates *d, FingerprintSet *set, const uint32_t *order, int distance,
						const PairsSource *source)
{
	uint32_t	n = simhash_text_file_n(d->texts);
	size_t		bytes = n * sizeof(uint32_t);
	FingerprintSet *rest;
	ExternalSort *links;

	d->set = set;
	d->order = order;
	d->originals = join_alloc(d->env, bytes);
	d->refused = join_alloc(d->env, bytes);
	d->kinds = join_alloc(d->env, n);
	memset(d->refused, 0, bytes);
	memset(d->kinds, DUPLICATE_NONE, n);
	if (order != NULL)
	{
		d->ranks = join_alloc(d->env, bytes);
		for (uint32_t rank = 0; rank < n; rank++)
			d->ranks[order[rank]] = rank;
	}
	find_copies(d);
	rest = without_copies(d, set);
	load_sketches(d, d->options.memory / 2);
	simhash_text_file_set_memory(d->texts, d->options.memory / 8 * 5 -
								 d->nsketches * sizeof(Sketch));
	links = simhash_external_sort_begin(SHORT_NUMBERS, d->options.memory / 8, d->env);
	link_pairs(d, rest, distance, source, links);
	find_originals(d, links);
	simhash_external_sort_end(links);
	if (rest != set)
		simhash_set_end(rest);
}

/* ----------
 * Rows
 * ----------
 */

bool
simhash_duplicates_next(Duplicates *d, Duplicate *duplicate)
{
	uint32_t	n = simhash_text_file_n(d->texts);
	uint64_t	fps[2][MOST_WORDS];
	uint32_t	row;

	while (d->next < n && d->kinds[text_at(d, d->next)] == DUPLICATE_NONE)
		d->next++;
	if (d->next == n)
		return false;
	duplicate->text = text_at(d, d->next++);
	duplicate->original = d->originals[duplicate->text];
	duplicate->kind = (DuplicateKind) d->kinds[duplicate->text];
	simhash_set_read(d->set, duplicate->text, 1, fps[0], &row);
	simhash_set_read(d->set, duplicate->original, 1, fps[1], &row);
	duplicate->distance = hamming_between(fps[0], fps[1], d->set->nwords);
	return true;
}

LargestTemplate
simhash_largest_template(const Duplicates *d)
{
	LargestTemplate largest = {0, 0};

	for (uint32_t text = 0; text < simhash_text_file_n(d->texts); text++)
		if (d->refused[text] > largest.n)
		{
			largest.text = text;
			largest.n = d->refused[text];
		}
	return largest;
}

void
simhash_duplicates_end(Duplicates *d)
{
	simhash_text_file_end(d->texts);
	if (d->groups != NULL)
		simhash_external_sort_end(d->groups);
	d->env->remove_file(d->sketch_file);
	join_free(d->env, d->sketches);
	join_free(d->env, d->sketched);
	join_free(d->env, d->ranks);
	join_free(d->env, d->originals);
	join_free(d->env, d->kinds);
	join_free(d->env, d->refused);
	join_free(d->env, d);
}
