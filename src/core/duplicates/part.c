/*-------------------------------------------------------------------------
 *
 * part.c
 *		Which texts of a part are copies of others, and which are edited versions; see part.h.
 *
 * All texts are read once.  Copies have equal words, so texts with the same hash of words are
 * compared as copies, and their number does not matter.  The other texts are rows in the order of
 * keeping, and their stars (core/groups/stars.c) are the originals with their versions.  The rule of
 * these stars is that of core/changes/same_document.h.  In a large component, texts are compared with
 * candidates only (candidates.h).  Sketches refuse most pairs of texts of one template before the rule
 * reads them.
 *
 *-------------------------------------------------------------------------
 */
#include <stdlib.h>
#include <string.h>

#include "../changes/copy.h"
#include "../changes/copy_key.h"
#include "../changes/same_title.h"
#include "../hamming.h"
#include "../store/external_sort.h"
#include "../groups/groups.h"
#include "../store/radix.h"
#include "../text/mix.h"
#include "../widths.h"
#include "candidates.h"
#include "part.h"
#include "sketch.h"
#include "slots.h"

/* Pairs whose sketches or texts are compared between two reports of progress */
#define SKETCHES_BETWEEN_REPORTS	65536
#define TEXTS_BETWEEN_REPORTS		64

#define NOT_FOUND		UINT32_MAX

/* Texts with which later ones that differ in numbers only are compared */
#define MOST_FIRST		100

/* A text is the number of one in the part: its place in the order of keeping there. */
typedef struct PartState
{
	const PartSearch *search;
	const Env  *env;
	const PartText *texts;
	uint32_t	n;
	uint32_t	n_known;		/* the first ones */
	TextCache  *cache;

	/* Hashes of all words, of titles and of components, with the texts. */
	ExternalSort *equal_words;

	/* Hashes that are equal if texts differ only in numbers. */
	ExternalSort *but_numbers;

	JoinFile   *sketch_file;
	Sketch	   *sketches;		/* those in memory */
	uint32_t	nsketches;		/* a place for each text, or for several */
	uint32_t   *sketched;		/* the text whose sketch a place has now */

	uint32_t   *rows;			/* the text of each row */
	uint32_t   *originals;

	/* The original of each version that has been found, or NOT_FOUND. */
	uint32_t   *found;

	uint8_t    *met;			/* see MOST_MET */

	uint8_t    *kinds;
	bool	   *has_words;

	/* How often the rule refused a text near each text. */
	uint32_t   *refused;

	/* NULL: texts are compared with all that are near. */
	Candidates *candidates;

	/*
	 * Has the rule refused a candidate of each text that has nothing rare?
	 */
	bool	   *limited;

	Slots	   *slots;

	/*
	 * Does each version part from its original at a slot?  NULL: slots are
	 * not known yet.
	 */
	uint8_t    *parted;

	uint32_t	n_later;		/* originals that differ in numbers only */
	uint64_t	n_compared;		/* pairs, by their sketches or texts */
	uint64_t	n_sketch_pairs; /* of which the sketches are compared */
	uint64_t	n_text_pairs;	/* of which the texts are compared */
} PartState;

/* ----------
 * Reading
 * ----------
 */

static const StoredText *
read_stored(PartState *d, uint32_t text, bool words)
{
	return core_text_cache_read(d->cache, text, d->texts[text].place, words);
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

/*
 * Hash all words of a text, and those other than numbers.  Nobody can craft words whose hashes
 * collide.
 */
static void
hash_words(const ReadText *read, const Env *env, uint64_t *of_all, uint64_t *but_numbers)
{
	size_t		digits = 0;		/* the next number */

	*of_all = *but_numbers = env->salt;
	for (size_t i = 0; i < read->list.n; i++)
	{
		uint64_t	word = mix64(read->list.words[i] ^ env->salt);

		*of_all = mix64(*of_all * MIX_FACTOR + word);
		if (digits < read->n_digits && read->digits[digits] == i)
			digits++;
		else
			*but_numbers = mix64(*but_numbers * MIX_FACTOR + word);
		tick(env, i);
	}
}

/* Read all texts, and note what copies and versions have in common. */
static void
read_all(PartState *d)
{
	for (uint32_t text = 0; text < d->n; text++)
	{
		const StoredText *stored = read_stored(d, text, true);
		const ReadText *read = &stored->read;
		const Bytes title = bytes_of(stored->utf8, stored->title_len, d->env);
		Sketch		sketch;
		uint64_t	of_all;
		uint64_t	but_numbers;

		check_interrupts(d->env);
		d->has_words[text] = read->list.n > 0;
		if (d->has_words[text])
			core_sketch(read, stored->title_len, d->env, &sketch);
		else
			memset(&sketch, 0, sizeof(Sketch));
		d->env->append(d->sketch_file, &sketch, sizeof(Sketch));
		if (!d->has_words[text])
			continue;
		hash_words(read, d->env, &of_all, &but_numbers);
		/* copies also have the same title, and are in one component */
		of_all = mix64(of_all * MIX_FACTOR + d->texts[text].component);
		core_external_sort_add(d->equal_words, mix64(of_all + count_visible(&title)), text);
		if (d->candidates != NULL)
			core_candidates_add(d->candidates, text, &read->list);
		if (read->n_digits < read->list.n)
			core_external_sort_add(d->but_numbers, mix64(but_numbers + sketch.title), text);
	}
}

/* ----------
 * Copies
 * ----------
 */

/* Are texts and titles copies? */
static bool
are_copies_with_titles(PartState *d, uint32_t a, uint32_t b)
{
	const StoredText *of_a = read_stored(d, a, false);
	const StoredText *of_b = read_stored(d, b, false);
	Bytes		bytes_a = bytes_of(of_a->utf8, of_a->title_len, d->env);
	Bytes		bytes_b = bytes_of(of_b->utf8, of_b->title_len, d->env);

	if (!core_are_copies(&bytes_a, &bytes_b))
		return false;
	bytes_a.len = of_a->len;
	bytes_b.len = of_b->len;
	/* their words have the same hash */
	return core_same_stretches(&bytes_a, span_of(0, bytes_a.len), &bytes_b,
							   span_of(0, bytes_b.len), true);
}

/* Mark those of n texts that are copies of the first one.  Return how many others follow it. */
static size_t
mark_copies_of_first(PartState *d, uint32_t *texts, size_t n)
{
	size_t		n_others = 0;

	for (size_t i = 1; i < n; i++)
	{
		check_interrupts(d->env);
		if (are_copies_with_titles(d, texts[0], texts[i]))
		{
			d->originals[texts[i]] = texts[0];
			d->kinds[texts[i]] = DUPLICATE_COPY;
		}
		else
			texts[1 + n_others++] = texts[i];
	}
	return n_others;
}

/*
 * A KeyVisitor: mark the copies among texts with equal words.  Each is compared with the first one.
 * The rest is divided by hashes of characters, and each is compared with the first one that has its
 * hash.  Nobody can craft a collision; if there is one, the text is treated as a text that is not a
 * copy.
 */
static void
mark_copies(void *arg, uint64_t key, uint32_t *texts, size_t n)
{
	PartState  *d = arg;
	uint32_t   *others = texts + 1;
	uint64_t   *hashes;
	size_t		n_others = mark_copies_of_first(d, texts, n);
	size_t		end;

	(void) key;
	if (n_others < 2)
		return;
	hashes = env_alloc(d->env, n_others * sizeof(uint64_t));
	for (size_t i = 0; i < n_others; i++)
	{
		const StoredText *stored = read_stored(d, others[i], true);
		const Bytes bytes = bytes_of(stored->utf8, stored->len, d->env);

		hashes[i] = core_copy_hash(&bytes, &stored->read.list);
	}
	core_sort_fps(hashes, others, n_others, d->env);
	for (size_t i = 0; i < n_others; i = end)
	{
		for (end = i + 1; end < n_others && hashes[end] == hashes[i];)
			end++;
		mark_copies_of_first(d, others + i, end - i);
	}
	env_free(d->env, hashes);
}

/* ----------
 * Edited versions
 * ----------
 */

/* Make places for all sketches, or for as many as fit. */
static void
make_places(PartState *d, size_t memory)
{
	size_t		most = memory / sizeof(Sketch) + 2; /* two at least */

	d->nsketches = d->n < most ? d->n : (uint32_t) most;
	d->sketches = env_alloc(d->env, d->nsketches * sizeof(Sketch));
	d->sketched = env_alloc(d->env, d->nsketches * sizeof(uint32_t));
	memset(d->sketched, 0xFF, d->nsketches * sizeof(uint32_t));
}

static const Sketch *
sketch_of(PartState *d, uint32_t text, uint32_t place)
{
	if (d->sketched[place] != text)
	{
		d->env->read(d->sketch_file, (uint64_t) text * sizeof(Sketch), &d->sketches[place],
					 sizeof(Sketch));
		d->sketched[place] = text;
	}
	return &d->sketches[place];
}

static bool
sketches_differ(PartState *d, uint32_t a, uint32_t b)
{
	uint32_t	n = d->nsketches;
	uint32_t	place_a = a < n ? a : a % n;
	uint32_t	place_b = b < n ? b : b % n;
	const Sketch *of_a;

	d->n_sketch_pairs++;
	if (place_b == place_a)
		place_b = place_a > 0 ? place_a - 1 : 1;
	of_a = sketch_of(d, a, place_a);
	return core_sketches_differ(of_a, sketch_of(d, b, place_b), d->search->options->numbers,
								d->search->options->titles);
}

/* A pair is compared. */
static inline void
report_compared(PartState *d, uint64_t between)
{
	if (++d->n_compared % between == 0 && d->env->report_compared != NULL)
		d->env->report_compared(d->n_compared);
}

/*
 * Are two texts, which are not copies, one document by the rule of two texts?  If so, store where
 * they part.
 */
static bool
are_one_document(PartState *d, uint32_t a, uint32_t b, Parting *partings)
{
	const DuplicateOptions *options = d->search->options;
	const StoredText *of_a = read_stored(d, a, true);
	const StoredText *of_b = read_stored(d, b, true);

	check_interrupts(d->env);
	d->n_text_pairs++;
	report_compared(d, TEXTS_BETWEEN_REPORTS);
	if ((options->titles && !core_same_title(of_a->utf8, of_a->title_len, of_b->utf8,
											 of_b->title_len, d->env)) ||
		!core_same_document_of_read(&of_a->read, &of_b->read, options->numbers, d->env))
		return false;
	core_partings(&of_a->read, &of_b->read, d->env, partings);
	return true;
}

/* Read the fingerprint of a text. */
static void
read_fingerprint(PartState *d, uint32_t text, uint64_t *fp)
{
	uint32_t	row;

	core_set_read(d->search->set, d->texts[text].row, 1, fp, &row);
}

static int
distance_between(PartState *d, uint32_t a, uint32_t b)
{
	uint64_t	fps[2][MOST_WORDS];

	read_fingerprint(d, a, fps[0]);
	read_fingerprint(d, b, fps[1]);
	return hamming_between(fps[0], fps[1], d->search->set->nwords);
}

/*
 * Is a text compared?  Copies are not.  When slots are known, only the texts that are in a group
 * are.
 */
static inline bool
is_row(const PartState *d, uint32_t text)
{
	return d->has_words[text] && d->kinds[text] != DUPLICATE_COPY &&
		(d->parted == NULL || core_slots_have(d->slots, text));
}

/* Make rows of the texts that are compared, in their order. */
static FingerprintSet *
make_rows(PartState *d)
{
	FingerprintSet *rows = core_set_begin(d->search->set->nwords, d->env);
	uint64_t	fp[MOST_WORDS];

	for (uint32_t text = 0; text < d->n; text++)
	{
		tick(d->env, text);
		if (!is_row(d, text))
			continue;
		read_fingerprint(d, text, fp);
		d->rows[rows->n] = text;
		core_set_add(rows, fp, (uint32_t) rows->n);
	}
	return rows;
}

/* Has the first search found that a text is a version of another one?  Slots decide once more. */
static bool
was_version(const PartState *d, uint32_t original, uint32_t text)
{
	return d->parted != NULL && d->kinds[text] == DUPLICATE_REVISION &&
		d->originals[text] == original;
}

/* Could a text be a version of an earlier one? */
static bool
may_be_version(PartState *d, uint32_t earlier, uint32_t text)
{
	bool		may;

	if (text < d->n_known)
		return false;
	report_compared(d, SKETCHES_BETWEEN_REPORTS);
	if (was_version(d, earlier, text))
		return true;
	may = !sketches_differ(d, earlier, text);
	d->refused[earlier] += !may;
	d->refused[text] += !may;
	return may;
}

/*
 * Are two texts one document by the rule of two texts?  Then the place where they part is evidence
 * of slots, and the answer is whether it is none of those that are known.
 */
static bool
is_version(PartState *d, uint32_t original, uint32_t text)
{
	PartedPair	pair = {.text = text,.original = original};
	bool		same;

	if (was_version(d, original, text))
		return !d->parted[text];
	same = are_one_document(d, original, text, pair.partings);
	if (same)
	{
		core_slots_add(d->slots, &pair);
		same = d->parted == NULL || !core_slots_part(d->slots, &pair);
	}
	d->refused[original] += !same;
	d->refused[text] += !same;
	return same;
}

/* Add the evidence of two known texts, if the rule takes them for one document. */
static void
compare_known(PartState *d, uint32_t earlier, uint32_t text)
{
	PartedPair	pair = {.text = text,.original = earlier};

	if (!sketches_differ(d, earlier, text) &&
		distance_between(d, earlier, text) <= d->search->options->distance &&
		are_one_document(d, earlier, text, pair.partings))
		core_slots_add(d->slots, &pair);
}

/*
 * Is the search for the original of a text over?  The first one of which the text is a version is its
 * original.  If that is known, the next known ones are compared with it.
 */
static bool
ends_search(PartState *d, uint32_t original, uint32_t text)
{
	uint32_t   *found = &d->found[text];

	if (*found != NOT_FOUND && original < d->n_known)
	{
		compare_known(d, *found, original);
		d->met[text]++;
	}
	else if (*found == NOT_FOUND)
	{
		if (!is_version(d, original, text))
			return false;
		*found = original;
	}
	return original >= d->n_known || d->parted != NULL || d->met[text] == MOST_MET;
}

static bool
may_belong(void *arg, uint32_t earlier, uint32_t row)
{
	PartState  *d = arg;

	return may_be_version(d, d->rows[earlier], d->rows[row]);
}

static bool
belongs(void *arg, uint32_t original, uint32_t row)
{
	PartState  *d = arg;

	/* a version whose search goes on looks like an original to the join */
	return d->found[d->rows[original]] == NOT_FOUND &&
		ends_search(d, d->rows[original], d->rows[row]);
}

/* A GroupMember that has nothing to do */
static void
pass_over(void *arg, uint32_t row, uint32_t original)
{
	(void) arg;
	(void) row;
	(void) original;
}

/* Compare texts with all that are near. */
static void
compare_near(PartState *d)
{
	const StarRule rule = {may_belong, belongs, d};
	FingerprintSet *rows = make_rows(d);

	core_stars_by_rule(rows, d->search->options->distance, d->search->memory / 4, &rule,
					   pass_over, d);
	core_set_end(rows);
}

/* Compare numbers for qsort. */
static int
compare_texts(const void *a, const void *b)
{
	uint32_t	x = *(const uint32_t *) a;
	uint32_t	y = *(const uint32_t *) b;

	return x < y ? -1 : x > y;
}

/*
 * Store the originals with which a text is compared, in their order: those of its candidates, and
 * the one that the first search has found.  Return their number.
 */
static size_t
originals_to_compare(PartState *d, uint32_t text, uint32_t **originals, size_t *room)
{
	const uint32_t *earlier;
	size_t		n = core_candidates_of(d->candidates, text, &earlier);
	size_t		n_different = 0;

	if (n + 1 > *room)
	{
		*room = 2 * n + 1;
		*originals = env_resize(d->env, *originals, *room * sizeof(uint32_t));
	}
	for (size_t i = 0; i < n; i++)
		(*originals)[i] = d->found[earlier[i]] != NOT_FOUND ? d->found[earlier[i]] : earlier[i];
	if (d->parted != NULL && d->kinds[text] == DUPLICATE_REVISION)
		(*originals)[n++] = d->originals[text];
	qsort(*originals, n, sizeof(uint32_t), compare_texts);
	for (size_t i = 0; i < n; i++)
	{
		uint32_t	original = (*originals)[i];

		if (is_row(d, original) && d->found[original] == NOT_FOUND &&
			(n_different == 0 || (*originals)[n_different - 1] != original))
			(*originals)[n_different++] = original;
	}
	return n_different;
}

/* Compare texts with their candidates. */
static void
compare_candidates(PartState *d)
{
	int			distance = d->search->options->distance;
	uint32_t   *originals = NULL;
	size_t		room = 0;

	core_candidates_rewind(d->candidates);
	for (uint32_t text = d->n_known; text < d->n; text++)
	{
		size_t		n;

		tick(d->env, text);
		if (!is_row(d, text))
			continue;
		n = originals_to_compare(d, text, &originals, &room);
		for (size_t i = 0; i < n; i++)
		{
			if (!may_be_version(d, originals[i], text) ||
				distance_between(d, originals[i], text) > distance)
				continue;
			if (ends_search(d, originals[i], text))
				break;
			if (d->found[text] == NOT_FOUND)
				d->limited[text] = !core_candidates_rare(d->candidates, text);
		}
	}
	env_free(d->env, originals);
}

/* Find the candidates, unless the component is small without its copies. */
static void
find_candidates(PartState *d)
{
	uint32_t	n = 0;

	for (uint32_t text = 0; text < d->n; text++)
		n += is_row(d, text);
	if (n > LARGE_COMPONENT)
	{
		core_candidates_find(d->candidates, d->kinds);
		return;
	}
	core_candidates_end(d->candidates);
	d->candidates = NULL;
}

/* Find the original of each text that is a version, and mark the text. */
static void
find_versions(PartState *d)
{
	memset(d->found, 0xFF, d->n * sizeof(uint32_t));
	memset(d->met, 0, d->n);
	if (d->candidates == NULL)
		compare_near(d);
	else
		compare_candidates(d);
	for (uint32_t text = 0; text < d->n; text++)
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
	PartState  *d = arg;

	if (d->kinds[pair->text] == DUPLICATE_REVISION &&
		d->originals[pair->text] == pair->original && core_slots_part(d->slots, pair))
		d->parted[pair->text] = true;
}

/*
 * If there are slots, look again for the originals of texts that have versions.  So a version that
 * was given to another document of its template finds its own, and the pairs compared on the way
 * also show slots.  Finally unmark the versions that still part from their originals at a slot.
 */
static void
find_versions_but_at_slots(PartState *d)
{
	uint32_t	n = d->n;

	if (!core_slots_find(d->slots))
		return;
	d->parted = env_alloc(d->env, n);
	memset(d->parted, false, n);
	core_slots_for_each(d->slots, note_parted, d);
	find_versions(d);
	core_slots_find(d->slots);
	memset(d->parted, false, n);
	core_slots_for_each(d->slots, note_parted, d);
	for (uint32_t text = 0; text < n; text++)
		if (d->parted[text])
			d->kinds[text] = DUPLICATE_NONE;
}

/* Give each copy of a version the original of that version. */
static void
flatten(PartState *d)
{
	for (uint32_t text = 0; text < d->n; text++)
	{
		tick(d->env, text);
		if (d->kinds[text] == DUPLICATE_COPY && d->kinds[d->originals[text]] != DUPLICATE_NONE)
			d->originals[text] = d->originals[d->originals[text]];
	}
}

/* ----------
 * Results
 * ----------
 */

/* Store the duplicates among the new texts.  Return their number. */
static uint32_t
store_found(PartState *d, Duplicate *found)
{
	uint32_t	n = 0;

	for (uint32_t text = d->n_known; text < d->n; text++)
	{
		tick(d->env, text);
		if (d->kinds[text] == DUPLICATE_NONE)
			continue;
		found[n].row = d->texts[text].row;
		found[n].original = d->texts[d->originals[text]].row;
		found[n].distance = (uint16_t) distance_between(d, d->originals[text], text);
		found[n++].kind = d->kinds[text];
	}
	return n;
}

/* The first of the texts with the largest count */
static uint32_t
largest_of(const PartState *d, const uint32_t *counts)
{
	uint32_t	largest = 0;

	for (uint32_t text = 1; text < d->n; text++)
		if (counts[text] > counts[largest])
			largest = text;
	return largest;
}

/* The original of a text, which may be the text itself. */
static inline uint32_t
original_of(const PartState *d, uint32_t text)
{
	return d->kinds[text] == DUPLICATE_NONE ? text : d->originals[text];
}

static TextCount
count_of(const PartState *d, uint32_t text, uint32_t n)
{
	TextCount	count = {d->texts[text].row, d->texts[text].rank, n};

	return count;
}

/*
 * The join may have asked about a pair several times, so "refused" tells only which text has the
 * most siblings.
 */
static TextCount
count_siblings(PartState *d)
{
	uint32_t	most = largest_of(d, d->refused);
	uint32_t	original = original_of(d, most);
	uint64_t	here[MOST_WORDS];
	uint64_t	fp[MOST_WORDS];
	uint32_t	n = 0;

	if (d->refused[most] == 0)
		return count_of(d, most, 0);
	read_fingerprint(d, most, here);
	for (uint32_t text = 0; text < d->n; text++)
	{
		tick(d->env, text);
		if (!d->has_words[text] || original_of(d, text) == original)
			continue;
		read_fingerprint(d, text, fp);
		n += hamming_between(here, fp, d->search->set->nwords) <= d->search->options->distance;
	}
	return count_of(d, most, n);
}

static TextCount
count_versions(PartState *d)
{
	uint32_t   *accepted = d->found;	/* nobody needs that any more */
	uint32_t	most;

	memset(accepted, 0, d->n * sizeof(uint32_t));
	for (uint32_t text = 0; text < d->n; text++)
		if (d->kinds[text] == DUPLICATE_REVISION)
			accepted[d->originals[text]]++;
	most = largest_of(d, accepted);
	return count_of(d, most, accepted[most]);
}

/* The first original that has nothing rare and differs from a candidate, and their number */
static TextCount
count_limited(const PartState *d)
{
	uint32_t	first = d->n;
	uint32_t	n = 0;

	for (uint32_t text = d->n; text-- > 0;)
		if (d->limited[text] && d->kinds[text] == DUPLICATE_NONE)
		{
			first = text;
			n++;
		}
	return count_of(d, first < d->n ? first : 0, n);
}

/*
 * A KeyVisitor: count the originals among texts that differ in numbers only and are near an earlier one of them,
 * that is, one of the first MOST_FIRST that are not near each other.
 */
static void
count_later(void *arg, uint64_t key, uint32_t *texts, size_t n)
{
	PartState  *d = arg;
	int			nwords = d->search->set->nwords;
	uint64_t	first[MOST_FIRST][MOST_WORDS];
	uint64_t	fp[MOST_WORDS];
	int			n_first = 0;

	(void) key;
	for (size_t i = 0; i < n; i++)
	{
		int			near = 0;

		check_interrupts(d->env);
		read_fingerprint(d, texts[i], fp);
		while (near < n_first &&
			   hamming_between(fp, first[near], nwords) > d->search->options->distance)
			near++;
		if (near < n_first)
			d->n_later += texts[i] >= d->n_known && d->kinds[texts[i]] == DUPLICATE_NONE;
		else if (n_first < MOST_FIRST)
			memcpy(first[n_first++], fp, sizeof(fp));
	}
}

/* ----------
 * All
 * ----------
 */

/* Does the part have one component only? */
static bool
is_component(const PartText *texts, uint32_t n)
{
	uint32_t	i = 1;

	while (i < n && texts[i].component == texts[0].component)
		i++;
	return i == n;
}

static void
begin_part(PartState *d, const PartSearch *search, const PartText *texts, uint32_t n)
{
	const Env  *env = search->env;
	size_t		bytes = n * sizeof(uint32_t);

	memset(d, 0, sizeof(PartState));
	d->search = search;
	d->env = env;
	d->texts = texts;
	d->n = n;
	while (d->n_known < n && texts[d->n_known].known)
		d->n_known++;
	d->cache = core_text_cache_begin(search->texts, n, search->memory / 4, env);
	d->equal_words = core_external_sort_begin(LONG_KEYS, search->memory / 8, env);
	d->but_numbers = core_external_sort_begin(LONG_KEYS, search->memory / 8, env);
	d->sketch_file = env->create_file(env->file_arg);
	d->slots = core_slots_begin(n, search->memory / 8, env);
	d->rows = env_alloc(env, bytes);
	d->originals = env_alloc(env, bytes);
	d->found = env_alloc(env, bytes);
	d->refused = env_alloc(env, bytes);
	d->met = env_alloc(env, n);
	d->kinds = env_alloc(env, n);
	d->has_words = env_alloc(env, n);
	d->limited = env_alloc(env, n);
	memset(d->refused, 0, bytes);
	memset(d->kinds, DUPLICATE_NONE, n);
	memset(d->limited, false, n);
	if (n > LARGE_COMPONENT && is_component(texts, n))
		d->candidates = core_candidates_begin(n, d->n_known, search->memory / 4, env);
}

static void
end_part(PartState *d)
{
	core_text_cache_end(d->cache);
	core_slots_end(d->slots);
	if (d->candidates != NULL)
		core_candidates_end(d->candidates);
	d->env->remove_file(d->sketch_file);
	env_free(d->env, d->sketches);
	env_free(d->env, d->sketched);
	env_free(d->env, d->rows);
	env_free(d->env, d->originals);
	env_free(d->env, d->found);
	env_free(d->env, d->refused);
	env_free(d->env, d->met);
	env_free(d->env, d->parted);
	env_free(d->env, d->kinds);
	env_free(d->env, d->has_words);
	env_free(d->env, d->limited);
}

uint32_t
core_find_in_part(const PartSearch *search, const PartText *texts, uint32_t n,
				  Duplicate *found, DuplicateCounts *counts)
{
	PartState	d;
	uint32_t	n_found;

	begin_part(&d, search, texts, n);
	read_all(&d);
	core_external_sort_visit(d.equal_words, mark_copies, &d);
	if (d.candidates != NULL)
		find_candidates(&d);
	make_places(&d, search->memory / 4);
	find_versions(&d);
	find_versions_but_at_slots(&d);
	flatten(&d);
	core_external_sort_visit(d.but_numbers, count_later, &d);
	counts->siblings = count_siblings(&d);
	counts->versions = count_versions(&d);
	counts->limited = count_limited(&d);
	counts->number_siblings = d.n_later;
	counts->compared = d.n_compared;
	counts->sketch_pairs = d.n_sketch_pairs;
	counts->text_pairs = d.n_text_pairs;
	counts->texts_read = core_text_cache_count(d.cache);
	n_found = store_found(&d, found);
	end_part(&d);
	return n_found;
}
