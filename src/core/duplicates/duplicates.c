/*-------------------------------------------------------------------------
 *
 * duplicates.c
 *		Which of many texts are copies of others, and which are edited versions.
 *
 * Copies are found by a hash (core/changes/copy_key.h), and verified by reading them, so their
 * number does not matter.  The other texts are rows in the order of keeping, and their stars
 * (core/join/stars.c) are the originals with their versions.  The rule of these stars is that of
 * core/changes/same_document.h.  Sketches refuse most pairs of texts of one template before the
 * rule reads them.
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
#include "../join/groups.h"
#include "../text/mix.h"
#include "../widths.h"
#include "duplicates.h"
#include "sketch.h"
#include "slots.h"
#include "text_file.h"

/* Sketches that are written at a time */
#define SKETCHES_BUFFER	16

#define WORDS_BETWEEN_CHECKS	65536

/*
 * A text that the rule has refused so often belongs to a template, and is not compared with the
 * originals that follow.  So the time for texts of a template that sketches do not tell apart is
 * not quadratic.
 */
#define MOST_COMPARED	100

#define NOT_FOUND		UINT32_MAX

/* Texts with which later ones that differ in numbers only are compared */
#define MOST_FIRST		100

struct Duplicates
{
	const JoinEnv *env;
	const TextEnv *text_env;
	DuplicateOptions options;
	bool		titles;
	TextFile   *texts;
	ExternalSort *groups;		/* hashes of copies with the numbers of texts */
	ExternalSort *but_numbers;	/* hashes of what texts have in common that
								 * differ in numbers only */
	JoinFile   *sketch_file;
	Sketch	   *sketches;		/* those of the buffer, then all of them, or
								 * as many as fit */
	size_t		nsketches;		/* a place for each text, or for several */
	uint32_t   *sketched;		/* the text whose sketch is at a place; NULL:
								 * each text has a place of its own */
	FingerprintSet *set;
	int			distance;
	const uint32_t *order;
	uint32_t   *rows;			/* the text of each row */
	uint32_t   *originals;
	uint32_t   *found;			/* the original of each version that the stars
								 * have found, or NOT_FOUND */
	uint8_t    *kinds;
	uint32_t   *refused;		/* how often the rule refused a text near each
								 * text */
	uint32_t   *accepted;		/* how many versions of each text it found */
	uint8_t    *compared;		/* how many originals the rule refused for
								 * each text, up to MOST_COMPARED */
	Slots	   *slots;
	uint8_t    *parted;			/* does each version part from its original at
								 * a slot?  NULL: slots are not known yet */
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
	d->but_numbers = simhash_external_sort_begin(LONG_KEYS, options->memory / 8, env);
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

static uint64_t
count_visible(const Bytes *t)
{
	uint64_t	n = 0;
	size_t		place = 0;

	while (next_visible(t, &place, t->len) != NO_CHARACTER)
		n++;
	return n;
}

/* Hash the words other than numbers.  Return 0 if there are none. */
static uint64_t
hash_but_numbers(const ReadText *text, const TextEnv *env)
{
	uint64_t	hash = 0;
	size_t		digits = 0;		/* the next number */

	for (size_t i = 0; i < text->list.n; i++)
	{
		if (digits < text->n_digits && text->digits[digits] == i)
			digits++;
		else
			hash = mix64(hash * MIX_FACTOR + text->list.words[i]);
		if ((i + 1) % WORDS_BETWEEN_CHECKS == 0)
			env->check_interrupts(env->arg);
	}
	return hash;
}

/* Note what a text has in common with texts that differ from it in numbers only.  Titles are equal. */
static void
add_but_numbers(Duplicates *d, const ReadText *text, const Sketch *sketch, uint32_t n)
{
	uint64_t	hash = hash_but_numbers(text, d->text_env);

	if (hash != 0)
		simhash_external_sort_add(d->but_numbers, mix64(hash + sketch->title), n);
}

bool
simhash_duplicates_add(Duplicates *d, const char *utf8, size_t title_len, size_t len)
{
	uint32_t	n = simhash_text_file_n(d->texts);
	const Bytes bytes = bytes_of(utf8, len, d->text_env);
	ReadText	read;

	simhash_read_text(utf8, len, NUMBERS, d->text_env, &read);
	if (read.list.n > 0)
	{
		const Bytes title = bytes_of(utf8, title_len, d->text_env);
		Sketch	   *sketch = &d->sketches[n % SKETCHES_BUFFER];

		if (n > 0 && n % SKETCHES_BUFFER == 0)
			flush_sketches(d, n);
		simhash_sketch(&read, title_len, d->text_env, sketch);
		add_but_numbers(d, &read, sketch, n);
		/* copies also have the same title */
		simhash_external_sort_add(d->groups,
								  mix64(simhash_copy_hash(&bytes, &read.list) +
										count_visible(&title)), n);
		simhash_text_file_add(d->texts, utf8, title_len, len);
	}
	simhash_release_text(&read, d->text_env);
	return read.list.n > 0;
}

/* ----------
 * Copies
 * ----------
 */

/* Are texts and titles copies? */
static bool
are_copies(Duplicates *d, uint32_t a, uint32_t b)
{
	const StoredText *of_a;
	const StoredText *of_b;
	Bytes		bytes_a;
	Bytes		bytes_b;

	simhash_text_file_pair(d->texts, a, b, false, &of_a, &of_b);
	bytes_a = bytes_of(of_a->utf8, of_a->title_len, d->text_env);
	bytes_b = bytes_of(of_b->utf8, of_b->title_len, d->text_env);
	if (!simhash_are_copies(&bytes_a, &bytes_b, true))
		return false;
	bytes_a.len = of_a->len;
	bytes_b.len = of_b->len;
	return simhash_are_copies(&bytes_a, &bytes_b, true);
}

/*
 * Texts with one hash: they are copies of the first one in the order, but for collisions of hashes,
 * which nobody can craft.  A text that collides is a row of its own.
 */
static void
mark_copies(Duplicates *d, const uint32_t *ranks, const uint32_t *texts, size_t n)
{
	uint32_t	original = texts[0];

	for (size_t i = 1; i < n; i++)
		if (ranks != NULL ? ranks[texts[i]] < ranks[original] : texts[i] < original)
			original = texts[i];
	for (size_t i = 0; i < n; i++)
	{
		join_check_interrupts(d->env);
		if (texts[i] != original && are_copies(d, original, texts[i]))
		{
			d->originals[texts[i]] = original;
			d->kinds[texts[i]] = DUPLICATE_COPY;
		}
	}
}

/* The place of each text in the order; NULL if the texts are in their order. */
static uint32_t *
ranks_of(const Duplicates *d, uint32_t n)
{
	uint32_t   *ranks;

	if (d->order == NULL)
		return NULL;
	ranks = join_alloc(d->env, n * sizeof(uint32_t));
	for (uint32_t rank = 0; rank < n; rank++)
		ranks[d->order[rank]] = rank;
	return ranks;
}

static void
find_copies(Duplicates *d)
{
	uint32_t   *ranks = ranks_of(d, simhash_text_file_n(d->texts));
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
		if (n > 1 && (!any || hash != before))
			mark_copies(d, ranks, texts, n);
		if (!any)
			break;
		if (hash != before)
			n = 0;
		if (n == room)
		{
			room = 2 * room + 64;
			texts = d->env->resize(d->env->arg, texts, room * sizeof(uint32_t));
		}
		texts[n++] = (uint32_t) text;
		before = hash;
		if (text % 4096 == 0)
			join_check_interrupts(d->env);
	} while (any);
	join_free(d->env, texts);
	join_free(d->env, ranks);
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

/*
 * Are two texts, which are not copies, one document by the rule of two texts?  If so, store where
 * they part.
 */
static bool
are_one_document(Duplicates *d, uint32_t a, uint32_t b, Parting *partings)
{
	const StoredText *of_a;
	const StoredText *of_b;

	simhash_text_file_pair(d->texts, a, b, true, &of_a, &of_b);
	if ((d->titles && !simhash_same_title(of_a->utf8, of_a->title_len, of_b->utf8,
										  of_b->title_len, d->text_env)) ||
		!simhash_same_document_of_read(&of_a->read, &of_b->read, d->options.numbers, d->text_env))
		return false;
	simhash_partings(&of_a->read, &of_b->read, d->text_env, partings);
	return true;
}

static inline uint32_t
text_at(const Duplicates *d, uint32_t rank)
{
	return d->order != NULL ? d->order[rank] : rank;
}

/*
 * Make rows of the texts that are not copies, in their order.  When slots are known, make rows only
 * of the texts that are in a group.
 */
static FingerprintSet *
make_rows(Duplicates *d)
{
	uint32_t	n = simhash_text_file_n(d->texts);
	FingerprintSet *rows = simhash_set_begin(d->set->nwords, d->env);
	uint64_t	fp[MOST_WORDS];
	uint32_t	unused;

	join_free(d->env, d->rows);
	d->rows = join_alloc(d->env, n * sizeof(uint32_t));
	for (uint32_t rank = 0; rank < n; rank++)
	{
		uint32_t	text = text_at(d, rank);

		if (rank % 4096 == 0)
			join_check_interrupts(d->env);
		if (d->kinds[text] == DUPLICATE_COPY ||
			(d->parted != NULL && !simhash_slots_have(d->slots, text)))
			continue;
		simhash_set_read(d->set, text, 1, fp, &unused);
		d->rows[rows->n] = text;
		simhash_set_add(rows, fp, (uint32_t) rows->n);
	}
	return rows;
}

static bool
may_be_version(void *arg, uint32_t earlier, uint32_t row)
{
	Duplicates *d = arg;
	uint32_t	text = d->rows[row];
	bool		may;

	may = d->compared[text] < MOST_COMPARED && !sketches_differ(d, d->rows[earlier], text);
	d->refused[d->rows[earlier]] += !may;
	d->refused[text] += !may;
	return may;
}

/*
 * Are two texts one document by the rule of two texts?  Then the place where they part is evidence
 * of slots, and the answer is whether it is none of those that are known.
 */
static bool
is_version(void *arg, uint32_t original, uint32_t row)
{
	Duplicates *d = arg;
	uint32_t	text = d->rows[row];
	PartedPair	pair = {.text = text,.original = d->rows[original]};
	bool		same;

	if (d->parted != NULL && d->kinds[text] == DUPLICATE_REVISION &&
		d->originals[text] == pair.original)
		return !d->parted[text];
	if (d->compared[text] == MOST_COMPARED)
		return false;
	same = are_one_document(d, pair.original, text, pair.partings);
	if (same)
	{
		simhash_slots_add(d->slots, &pair);
		same = d->parted == NULL || !simhash_slots_part(d->slots, &pair);
	}
	d->compared[text] += !same;
	d->refused[pair.original] += !same;
	d->refused[text] += !same;
	return same;
}

static void
mark_version(void *arg, uint32_t row, uint32_t original)
{
	Duplicates *d = arg;

	d->found[d->rows[row]] = d->rows[original];
}

/* Find the original of each text that is a version, and mark the text. */
static void
find_versions(Duplicates *d, const PairsSource *source)
{
	const StarRule rule = {may_be_version, is_version, d};
	uint32_t	n = simhash_text_file_n(d->texts);
	FingerprintSet *rows = make_rows(d);

	memset(d->compared, 0, n);
	memset(d->found, 0xFF, n * sizeof(uint32_t));
	simhash_stars_by_rule(rows, d->distance, d->options.memory / 4, d->env, source, &rule,
						  mark_version, d);
	simhash_set_end(rows);
	for (uint32_t text = 0; text < n; text++)
		if (d->found[text] != NOT_FOUND)
		{
			d->kinds[text] = DUPLICATE_REVISION;
			d->originals[text] = d->found[text];
		}
		else if (d->kinds[text] == DUPLICATE_REVISION)
			d->kinds[text] = DUPLICATE_NONE;
}

/* Note a version that parts from its original at a slot. */
static void
note_parted(void *arg, const PartedPair *pair)
{
	Duplicates *d = arg;

	if (d->kinds[pair->text] == DUPLICATE_REVISION && d->originals[pair->text] == pair->original)
		d->parted[pair->text] = true;
}

/*
 * If there are slots, look again for the originals of texts that have versions.  So a version that
 * was given to another document of its template finds its own, and the pairs compared on the way
 * testify, too.  At last unmark the versions that part from their originals at a slot all the same.
 */
static void
find_versions_but_at_slots(Duplicates *d, const PairsSource *source)
{
	uint32_t	n = simhash_text_file_n(d->texts);

	if (!simhash_slots_find(d->slots))
		return;
	d->parted = join_alloc(d->env, n);
	memset(d->parted, false, n);
	simhash_slots_for_each(d->slots, note_parted, d);
	find_versions(d, source);
	simhash_slots_find(d->slots);
	memset(d->parted, false, n);
	simhash_slots_for_each(d->slots, note_parted, d);
	for (uint32_t text = 0; text < n; text++)
		if (d->parted[text])
			d->kinds[text] = DUPLICATE_NONE;
}

void
simhash_duplicates_find(Duplicates *d, FingerprintSet *set, const uint32_t *order, int distance,
						const PairsSource *source)
{
	uint32_t	n = simhash_text_file_n(d->texts);
	size_t		bytes = n * sizeof(uint32_t);

	d->set = set;
	d->distance = distance;
	d->order = order;
	d->originals = join_alloc(d->env, bytes);
	d->found = join_alloc(d->env, bytes);
	d->refused = join_alloc(d->env, bytes);
	d->accepted = join_alloc(d->env, bytes);
	d->kinds = join_alloc(d->env, n);
	d->compared = join_alloc(d->env, n);
	memset(d->refused, 0, bytes);
	memset(d->accepted, 0, bytes);
	memset(d->kinds, DUPLICATE_NONE, n);
	d->slots = simhash_slots_begin(n, d->options.memory / 8, d->env);
	find_copies(d);
	load_sketches(d, d->options.memory / 2);
	simhash_text_file_set_memory(d->texts, d->options.memory / 8 * 5 -
								 d->nsketches * sizeof(Sketch));
	find_versions(d, source);
	find_versions_but_at_slots(d, source);
	for (uint32_t text = 0; text < n; text++)
		if (d->kinds[text] == DUPLICATE_REVISION)
			d->accepted[d->originals[text]]++;
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

/* The largest of the counts of the texts, and among equal ones the first in the order. */
static TextCount
largest_of(const Duplicates *d, const uint32_t *counts)
{
	TextCount	largest = {0, 0};

	for (uint32_t rank = 0; rank < simhash_text_file_n(d->texts); rank++)
	{
		uint32_t	text = text_at(d, rank);

		if (counts[text] > largest.n)
		{
			largest.text = text;
			largest.n = counts[text];
		}
	}
	return largest;
}

/* The original of a text, which may be the text itself. */
static inline uint32_t
original_of(const Duplicates *d, uint32_t text)
{
	return d->kinds[text] == DUPLICATE_NONE ? text : d->originals[text];
}

/*
 * The join may have asked about a pair several times, so "refused" tells only which text has the
 * most siblings.
 */
TextCount
simhash_most_siblings(Duplicates *d)
{
	TextCount	most = largest_of(d, d->refused);
	uint32_t	original = original_of(d, most.text);
	uint64_t	here[MOST_WORDS];
	SetReader	reader;
	const uint64_t *fp;
	uint32_t	text;

	if (most.n == 0)
		return most;
	most.n = 0;
	simhash_set_read(d->set, most.text, 1, here, &text);
	simhash_set_reader_begin(&reader, d->set);
	while ((fp = simhash_set_reader_next(&reader, &text)) != NULL)
	{
		most.n += original_of(d, text) != original &&
			hamming_between(here, fp, d->set->nwords) <= d->distance;
		if (text % 65536 == 0)
			join_check_interrupts(d->env);
	}
	simhash_set_reader_end(&reader);
	return most;
}

TextCount
simhash_most_versions(const Duplicates *d)
{
	return largest_of(d, d->accepted);
}

/*
 * Count the originals among texts that differ in numbers only and are near an earlier one of them,
 * that is, one of the first MOST_FIRST that are not near each other.
 */
static uint32_t
count_later(Duplicates *d, uint32_t *ranks, size_t n)
{
	uint64_t	first[MOST_FIRST][MOST_WORDS];
	uint64_t	fp[MOST_WORDS];
	int			n_first = 0;
	uint32_t	n_later = 0;
	uint32_t	unused;

	qsort(ranks, n, sizeof(uint32_t), compare_rows);
	for (size_t i = 0; i < n; i++)
	{
		uint32_t	text = text_at(d, ranks[i]);
		int			near = 0;

		join_check_interrupts(d->env);
		simhash_set_read(d->set, text, 1, fp, &unused);
		while (near < n_first &&
			   hamming_between(fp, first[near], d->set->nwords) > d->distance)
			near++;
		if (near < n_first)
			n_later += d->kinds[text] == DUPLICATE_NONE;
		else if (n_first < MOST_FIRST)
			memcpy(first[n_first++], fp, sizeof(fp));
	}
	return n_later;
}

uint32_t
simhash_count_number_siblings(Duplicates *d)
{
	uint32_t   *ranks = ranks_of(d, simhash_text_file_n(d->texts));
	uint32_t   *group = NULL;	/* ranks of texts */
	size_t		n = 0;
	size_t		room = 0;
	uint32_t	n_later = 0;
	uint64_t	before = 0;
	uint64_t	hash;
	uint64_t	text;

	simhash_external_sort_finish(d->but_numbers);
	while (simhash_external_sort_next(d->but_numbers, &hash, &text))
	{
		if (hash != before && n > 1)
			n_later += count_later(d, group, n);
		if (hash != before)
			n = 0;
		if (n == room)
		{
			room = 2 * room + 64;
			group = d->env->resize(d->env->arg, group, room * sizeof(uint32_t));
		}
		group[n++] = ranks != NULL ? ranks[text] : (uint32_t) text;
		before = hash;
	}
	if (n > 1)
		n_later += count_later(d, group, n);
	simhash_external_sort_end(d->but_numbers);
	d->but_numbers = NULL;
	join_free(d->env, group);
	join_free(d->env, ranks);
	return n_later;
}

void
simhash_duplicates_end(Duplicates *d)
{
	simhash_text_file_end(d->texts);
	if (d->groups != NULL)
		simhash_external_sort_end(d->groups);
	if (d->but_numbers != NULL)
		simhash_external_sort_end(d->but_numbers);
	d->env->remove_file(d->sketch_file);
	join_free(d->env, d->sketches);
	join_free(d->env, d->sketched);
	join_free(d->env, d->rows);
	join_free(d->env, d->originals);
	join_free(d->env, d->found);
	join_free(d->env, d->parted);
	join_free(d->env, d->kinds);
	join_free(d->env, d->refused);
	join_free(d->env, d->accepted);
	join_free(d->env, d->compared);
	if (d->slots != NULL)
		simhash_slots_end(d->slots);
	join_free(d->env, d);
}
