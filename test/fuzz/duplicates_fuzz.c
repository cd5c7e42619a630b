/*
 * Fuzz target: the copies and versions among a few texts match a definition in plain
 * loops, for any amount of memory, order of keeping, order of the parts and known texts.  The target is
 * built with JOIN_TEST_SIZES, so that a few texts fill several parts and chunks, and a large
 * component.
 *
 * The input is the options, the distance, the memory, the order, and steps that make texts:
 * a new text, an edit of an earlier one, or a template that is filled in several times.
 */
#define MOST_TEXTS 60
#define MOST_BYTES 600
#define MOST_ROWS MOST_TEXTS

#include "../../src/core/changes/copy.h"
#include "../../src/core/changes/same_title.h"
#include "../../src/core/duplicates/candidates.h"
#include "../../src/core/duplicates/duplicate_search.h"
#include "../../src/core/duplicates/sketch.h"
#include "../../src/core/duplicates/slots.h"
#include "../../src/core/hamming.h"
#include "../unit/join_check.h"
#include "fuzz_env.h"

typedef struct Text
{
	char		title[64];
	char		body[MOST_BYTES];
	uint64_t	fp;
} Text;

static Text texts[MOST_TEXTS];
static uint32_t n_texts;

static Env	env = {
	.resize = fuzz_resize,.release = fuzz_release,.check_interrupts = fuzz_check_interrupts,
	.fail = fuzz_fail, TEST_FILES
};

/* ---------- texts ---------- */

static const char *const vocabulary[] = {
	"storm", "harbour", "the", "of", "ship", "pier", "week", "and", "north", "south", "office", "repairs",
	"3", "14", "-5", "5 %", "Anna", "Bert", "Carla", "Dora", "http://a.de/1", "1. 5", "港口", "风暴", "三", "ß"
};

#define N_WORDS (sizeof(vocabulary) / sizeof(vocabulary[0]))

static void
put(char *text, size_t room, const char *word)
{
	size_t		len = strlen(text);

	if (len + strlen(word) + 2 < room)
		sprintf(text + len, "%s%s", len > 0 ? " " : "", word);
}

static void
put_words(char *text, uint64_t seed, int n)
{
	for (int i = 0; i < n; i++)
	{
		seed = seed * UINT64_C(6364136223846793005) + 1442695040888963407;
		put(text, MOST_BYTES, vocabulary[(seed >> 33) % N_WORDS]);
	}
}

/* Replace, insert or remove the word number "at", make a typo in it, or make all letters capitals. */
static void
edit(Text *text, int how, int at, const char *word)
{
	char		rest[MOST_BYTES];
	char	   *p = text->body;
	char	   *end;

	for (int i = 0; i < at && strchr(p, ' ') != NULL; i++)
		p = strchr(p, ' ') + 1;
	end = strchr(p, ' ');
	strcpy(rest, end != NULL ? end + 1 : "");
	switch (how)
	{
		case 0:					/* replace */
			*p = '\0';
			put(text->body, MOST_BYTES, word);
			break;
		case 1:					/* insert */
			if (end != NULL)
				*end = '\0';
			put(text->body, MOST_BYTES, word);
			break;
		case 2:					/* remove */
			if (p > text->body)
				p[-1] = '\0';
			break;
		default:				/* a typo, or capitals */
			if (at % 2 != 0 && p[0] > ' ' && p[1] >= 'a' && p[1] <= 'z' && p[2] >= 'a' && p[2] <= 'z')
			{
				char		letter = p[1];

				p[1] = p[2];
				p[2] = letter;
				return;
			}
			for (p = text->body; *p != '\0'; p++)
				if (*p >= 'a' && *p <= 'z')
					*p += 'A' - 'a';
			return;
	}
	if (rest[0] != '\0' && strlen(text->body) + strlen(rest) + 2 < MOST_BYTES)
		put(text->body, MOST_BYTES, rest);
}

static void
make_texts(const uint8_t *data, size_t size)
{
	n_texts = 0;
	while (size > 0 && n_texts < MOST_TEXTS)
	{
		int			how = (int) take(&data, &size, 1);
		uint64_t	seed = take(&data, &size, 1);
		int			count = 1 + (int) take(&data, &size, 1) % 40;
		const Text *base = n_texts > 0 ? &texts[n_texts - 1 - (uint32_t) seed % n_texts] : NULL;
		int			copies = (how & 3) == 3 ? count : 1;

		for (int i = 0; i < copies && n_texts < MOST_TEXTS; i++)
		{
			Text	   *text = &texts[n_texts++];

			if (base == NULL || (how & 3) == 0)
			{
				memset(text, 0, sizeof(Text));
				put_words(text->body, seed, count);
				text->fp = seed * UINT64_C(0x9E3779B97F4A7C15);
			}
			else
			{
				*text = *base;
				for (int j = (how & 3) == 3 ? 3 : 1; j > 0; j--)
					edit(text, (how & 3) == 3 ? 0 : how >> 3 & 3, (how & 3) == 3 ? count * j : count,
						 vocabulary[(seed + (uint64_t) i) % N_WORDS]);
				text->fp ^= UINT64_C(1) << (seed + (uint64_t) i) % 64 & (0 - (uint64_t) (how >> 5 & 1));
			}
			if ((how >> 6 & 1) != 0)
			{
				text->title[0] = '\0';
				put(text->title, sizeof(text->title), vocabulary[seed % N_WORDS]);
				put(text->title, sizeof(text->title), vocabulary[seed % 7]);
			}
		}
	}
}

/* ---------- the definition ---------- */

typedef struct Definition
{
	const DuplicateOptions *options;
	const uint32_t *order;		/* texts by rank */
	uint32_t	component[MOST_TEXTS];
	bool		is_near[MOST_TEXTS];
	ReadText	read[MOST_TEXTS];
	char		whole[MOST_TEXTS][MOST_BYTES + 70];
	size_t		title_len[MOST_TEXTS];
	Sketch		sketch[MOST_TEXTS];
	uint32_t	original[MOST_TEXTS];
	int			kind[MOST_TEXTS];
	bool		parted[MOST_TEXTS];
	bool		limited[MOST_TEXTS];
	uint64_t	words[MOST_TEXTS][MOST_BYTES];	/* with core_repeated_word */
	int			n_words[MOST_TEXTS];
	bool		is_large[MOST_TEXTS];	/* is its component? */
	uint64_t	rarest[MOST_TEXTS][RAREST_WORDS];
	int			n_rarest[MOST_TEXTS];
	bool		rare[MOST_TEXTS];
	Slots	   *slots;
	uint32_t	n_known;		/* the first of the order */
	bool		is_new[MOST_TEXTS];
} Definition;

static Definition d;

static bool
are_near(uint32_t a, uint32_t b)
{
	return hamming_weight(texts[a].fp ^ texts[b].fp) <= d.options->distance;
}

static void
find_components(void)
{
	int			distance = d.options->distance < 0 ? 0 : d.options->distance;
	int			n[MOST_TEXTS] = {0};
	bool		has_new[MOST_TEXTS] = {false};

	for (uint32_t rank = 0; rank < n_texts; rank++)
		d.is_new[d.order[rank]] = rank >= d.n_known;
	for (uint32_t i = 0; i < n_texts; i++)
		d.component[i] = i;
	for (uint32_t i = 0; i < n_texts; i++)
		for (uint32_t j = 0; j < i; j++)
		{
			uint32_t	from = d.component[i];

			if (hamming_weight(texts[i].fp ^ texts[j].fp) > distance ||
				(!d.is_new[i] && !d.is_new[j] && texts[i].fp != texts[j].fp))
				continue;
			for (uint32_t k = 0; k < n_texts; k++)
				if (d.component[k] == from)
					d.component[k] = d.component[j];
		}
	for (uint32_t i = 0; i < n_texts; i++)
	{
		n[d.component[i]]++;
		has_new[d.component[i]] |= d.is_new[i];
	}
	for (uint32_t i = 0; i < n_texts; i++)
		d.is_near[i] = n[d.component[i]] > 1 && has_new[d.component[i]];
}

static bool
are_copies(uint32_t a, uint32_t b)
{
	const Bytes of_a = bytes_of(d.whole[a], d.read[a].len, &env);
	const Bytes of_b = bytes_of(d.whole[b], d.read[b].len, &env);
	const Bytes title_a = bytes_of(d.whole[a], d.title_len[a], &env);
	const Bytes title_b = bytes_of(d.whole[b], d.title_len[b], &env);

	return core_are_copies(&of_a, &of_b) && core_are_copies(&title_a, &title_b);
}

static bool
are_one_document(uint32_t a, uint32_t b)
{
	return (!d.options->titles ||
			core_same_title(d.whole[a], d.title_len[a], d.whole[b], d.title_len[b], &env)) &&
		core_same_document_of_texts(d.whole[a], d.read[a].len, d.whole[b], d.read[b].len,
									d.options->numbers, &env);
}

/* Read the text of a rank, and find the first text of which it is a copy. */
static void
begin_text(uint32_t rank)
{
	uint32_t	i = d.order[rank];
	const Text *text = &texts[i];

	d.title_len[i] = strlen(text->title);
	sprintf(d.whole[i], "%s%s%s", text->title, text->title[0] != '\0' ? " " : "", text->body);
	core_read_text(d.whole[i], strlen(d.whole[i]), SORTED_NUMBERS, &env, &d.read[i]);
	core_sketch(&d.read[i], d.title_len[i], &env, &d.sketch[i]);
	d.kind[i] = DUPLICATE_NONE;
	d.parted[i] = d.limited[i] = false;
	for (uint32_t earlier = 0; earlier < rank && d.is_near[i] && d.read[i].list.n > 0; earlier++)
	{
		uint32_t	j = d.order[earlier];

		if (d.kind[j] != DUPLICATE_NONE || d.component[i] != d.component[j] || !are_copies(j, i))
			continue;
		d.kind[i] = DUPLICATE_COPY;
		d.original[i] = j;
		break;
	}
}

static bool
is_row(uint32_t i, bool again)
{
	return d.is_near[i] && d.read[i].list.n > 0 && d.kind[i] != DUPLICATE_COPY &&
		(!again || core_slots_have(d.slots, i));
}

static bool
has_word(uint32_t i, uint64_t word)
{
	for (int k = 0; k < d.n_words[i]; k++)
		if (d.words[i][k] == word)
			return true;
	return false;
}

/* Store the words of a text, and those that it has 2, 4, 8 times and so on. */
static void
find_words(uint32_t i)
{
	const WordList *list = &d.read[i].list;

	d.n_words[i] = 0;
	for (size_t k = 0; k < list->n; k++)
	{
		uint32_t	times = 0;

		for (size_t before = 0; before <= k; before++)
			times += list->words[before] == list->words[k];
		for (uint32_t power = 1; power <= times; power *= 2)
			if (power == times)
				d.words[i][d.n_words[i]++] = core_repeated_word(list->words[k], times);
	}
}

/* How many texts of a component have a word? */
static int
texts_with(uint32_t component, uint64_t word)
{
	int			n = 0;

	for (uint32_t j = 0; j < n_texts; j++)
		n += d.component[j] == component && is_row(j, false) && has_word(j, word);
	return n;
}

/* Does a word come before another one in the order of rarity in a component? */
static bool
is_rarer(uint32_t component, uint64_t a, uint64_t b)
{
	int			n_a = texts_with(component, a);
	int			n_b = texts_with(component, b);

	while (n_a > 1 && n_b > 1)
	{
		n_a /= 2;
		n_b /= 2;
	}
	return n_a != n_b ? n_a < n_b : a < b;
}

/* Find the rarest words of a text that others have. */
static void
find_rarest(uint32_t i)
{
	d.n_rarest[i] = 0;
	for (uint64_t *next = d.rarest[i]; next < d.rarest[i] + RAREST_WORDS; next++)
	{
		for (int k = 0; k < d.n_words[i]; k++)
		{
			uint64_t	word = d.words[i][k];

			d.rare[i] |= texts_with(d.component[i], word) <= FEW_TEXTS;
			if (texts_with(d.component[i], word) > 1 &&
				(next == d.rarest[i] || is_rarer(d.component[i], next[-1], word)) &&
				(next == d.rarest[i] + d.n_rarest[i] || is_rarer(d.component[i], word, *next)))
			{
				*next = word;
				d.n_rarest[i] = (int) (next - d.rarest[i]) + 1;
			}
		}
		if (next == d.rarest[i] + d.n_rarest[i])
			break;
	}
}

static void
find_large(void)
{
	for (uint32_t i = 0; i < n_texts; i++)
	{
		int			n = 0;

		for (uint32_t j = 0; j < n_texts; j++)
			n += d.component[j] == d.component[i] && is_row(j, false);
		d.is_large[i] = n > 16 && is_row(i, false);
		d.rare[i] = false;
		find_words(i);
	}
	for (uint32_t i = 0; i < n_texts; i++)
		if (d.is_large[i])
			find_rarest(i);
}

/* Does a text have two of its rarest words, which may be one word, among those of a text? */
static bool
has_key(uint32_t i, uint64_t a, uint64_t b)
{
	bool		has_a = false;
	bool		has_b = false;

	for (int k = 0; k < d.n_rarest[i]; k++)
	{
		has_a |= d.rarest[i][k] == a;
		has_b |= d.rarest[i][k] == b;
	}
	return has_a && has_b;
}

/* Is a text compared with the original of an earlier one, because they share a key? */
static bool
is_candidate(uint32_t earlier, uint32_t i)
{
	bool		is = false;

	for (int a = 0; a < d.n_rarest[i]; a++)
		for (int b = a; b < d.n_rarest[i]; b++)
		{
			int			n = 0;
			int			place = -1;

			for (uint32_t rank = 0; rank < n_texts; rank++)
			{
				uint32_t	j = d.order[rank];

				if (d.component[j] != d.component[i] || !d.is_large[j] ||
					!has_key(j, d.rarest[i][a], d.rarest[i][b]))
					continue;
				if (j == earlier)
					place = n;
				n++;
			}
			d.rare[i] |= n <= FEW_TEXTS;
			is |= place >= 0 && (n <= FEW_TEXTS || place < FIRST_TEXTS);
		}
	return is;
}

/* Find the originals of all texts in the order of keeping. */
static void
find_stars(bool again)
{
	bool		keeps[MOST_TEXTS] = {false};
	int			kind[MOST_TEXTS];
	uint32_t	original[MOST_TEXTS];

	for (uint32_t rank = 0; rank < n_texts; rank++)
	{
		uint32_t	i = d.order[rank];
		bool		compared[MOST_TEXTS];
		int			met = 0;

		kind[i] = DUPLICATE_NONE;
		if (!is_row(i, again))
			continue;
		keeps[i] = !d.is_new[i];
		if (keeps[i])
			continue;
		memset(compared, !d.is_large[i], sizeof(compared));
		for (uint32_t earlier = 0; earlier < rank && d.is_large[i]; earlier++)
		{
			uint32_t	j = d.order[earlier];

			if (is_candidate(j, i))
				compared[kind[j] == DUPLICATE_REVISION ? original[j] : j] = true;
		}
		if (again && d.kind[i] == DUPLICATE_REVISION)
			compared[d.original[i]] = true;
		for (uint32_t earlier = 0; earlier < rank; earlier++)
		{
			uint32_t	j = d.order[earlier];
			PartedPair	pair = {.text = i,.original = j};
			bool		same;

			if (!keeps[j] || !compared[j] || !are_near(i, j))
				continue;
			if (kind[i] == DUPLICATE_REVISION)
			{
				if (core_sketches_differ(&d.sketch[j], &d.sketch[i], d.options->numbers, d.options->titles))
					continue;
				if (d.is_new[j])
					break;
				pair.text = j;
				pair.original = original[i];
				if (are_near(original[i], j) && are_one_document(original[i], j))
				{
					core_partings(&d.read[original[i]], &d.read[j], &env, pair.partings);
					core_slots_add(d.slots, &pair);
				}
				if (++met == MOST_MET)
					break;
				continue;
			}
			if (again && d.kind[i] == DUPLICATE_REVISION && d.original[i] == j)
				same = !d.parted[i];
			else
			{
				same = are_one_document(j, i);
				/* sketches refuse only what the rule refuses */
				if (core_sketches_differ(&d.sketch[j], &d.sketch[i], d.options->numbers,
										 d.options->titles))
				{
					REQUIRE(!same);
					continue;
				}
				if (same)
				{
					core_partings(&d.read[j], &d.read[i], &env, pair.partings);
					core_slots_add(d.slots, &pair);
					same = !again || !core_slots_part(d.slots, &pair);
				}
			}
			d.limited[i] |= !same && d.is_large[i] && !d.rare[i];
			if (!same)
				continue;
			original[i] = j;
			kind[i] = DUPLICATE_REVISION;
			if (d.is_new[j] || again)
				break;
		}
		keeps[i] = kind[i] == DUPLICATE_NONE;
	}
	for (uint32_t i = 0; i < n_texts; i++)
		if (d.kind[i] != DUPLICATE_COPY)
		{
			d.kind[i] = kind[i];
			if (kind[i] == DUPLICATE_REVISION)
				d.original[i] = original[i];
		}
}

static void
note_parted(void *arg, const PartedPair *pair)
{
	(void) arg;
	if (d.kind[pair->text] == DUPLICATE_REVISION && d.original[pair->text] == pair->original &&
		core_slots_part(d.slots, pair))
		d.parted[pair->text] = true;
}

static void
define_duplicates(const DuplicateOptions *options, const uint32_t *order, uint32_t n_known)
{
	d.options = options;
	d.order = order;
	d.n_known = n_known;
	find_components();
	for (uint32_t rank = 0; rank < n_texts; rank++)
		begin_text(rank);
	find_large();
	d.slots = core_slots_begin(n_texts, 1 << 20, &env);
	find_stars(false);
	if (core_slots_find(d.slots))
	{
		core_slots_for_each(d.slots, note_parted, NULL);
		find_stars(true);
		core_slots_find(d.slots);
		memset(d.parted, false, sizeof(d.parted));
		core_slots_for_each(d.slots, note_parted, NULL);
		for (uint32_t i = 0; i < n_texts; i++)
			if (d.parted[i])
				d.kind[i] = DUPLICATE_NONE;
	}
	core_slots_end(d.slots);
	for (uint32_t i = 0; i < n_texts; i++)
	{
		if (d.kind[i] == DUPLICATE_COPY && d.kind[d.original[i]] == DUPLICATE_REVISION)
			d.original[i] = d.original[d.original[i]];
		core_release_text(&d.read[i], &env);
	}
}

/* ---------- the search ---------- */

/* Check that a search finds what the definition has found.  "turn" chooses the order of the parts. */
static void
check_search(const DuplicateOptions *options, const uint32_t *order, size_t memory, uint32_t turn)
{
	Duplicates *search = core_duplicates_begin(&env);
	FingerprintSet *set = core_set_begin(1, &env);
	PartSearch	part_search = {.options = options,.memory = memory,.env = &env};
	Duplicate	found;
	uint32_t	n_limited = 0;

	for (uint32_t i = 0; i < n_texts; i++)
	{
		const TitledText added = {texts[i].title, strlen(texts[i].title), texts[i].body, strlen(texts[i].body)};

		core_duplicates_add(search, i, &added);
		core_set_add(set, &texts[i].fp, i);
	}
	core_duplicates_find_near(search, set, d.n_known > 0 ? d.is_new : NULL, options->distance, memory, &core_serial_pairs);
	core_duplicates_divide(search, order);
	for (uint32_t part = 0; part < search->parts.n; part++)
		core_duplicates_find(search, &part_search, (part + turn) % search->parts.n);
	for (uint32_t rank = d.n_known; rank < n_texts; rank++)
	{
		uint32_t	i = d.order[rank];

		n_limited += d.limited[i] && d.kind[i] == DUPLICATE_NONE;
		if (d.kind[i] == DUPLICATE_NONE)
			continue;
		REQUIRE(core_duplicates_next(search, &found) && found.row == i && found.kind == d.kind[i]);
		REQUIRE(found.original == d.original[i] && (!d.is_new[found.original] || d.kind[found.original] == DUPLICATE_NONE));
		REQUIRE(found.distance == hamming_weight(texts[i].fp ^ texts[found.original].fp));
	}
	REQUIRE(!core_duplicates_next(search, &found));
	REQUIRE(search->counts.limited.n == n_limited);
	core_duplicates_end(search);
	core_set_end(set);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	int			mode = (int) take(&data, &size, 1);
	DuplicateOptions options = {(mode & 1) != 0, (mode & 2) != 0, (int) take(&data, &size, 1) % 66 - 1};
	uint64_t	seed = take(&data, &size, 1);
	uint32_t	order[MOST_TEXTS];
	uint32_t	by_rows[MOST_TEXTS];
	uint32_t	mixed[MOST_TEXTS];

	env.salt = seed * UINT64_C(0x9E3779B97F4A7C15);
	make_texts(data, size);
	if (n_texts == 0)
		return 0;
	for (uint32_t i = 0; i < n_texts; i++)
	{
		uint32_t	j = (uint32_t) (seed * 31 + i * 17) % (i + 1);

		by_rows[i] = i;
		order[i] = order[j];
		order[j] = i;
	}
	define_duplicates(&options, by_rows, 0);
	check_search(&options, NULL, 1 << 20, 0);
	check_search(&options, NULL, 0, 1);
	define_duplicates(&options, order, 0);
	check_search(&options, order, 1 << 20, 1);
	check_search(&options, order, (size_t) mode * 64, 0);
	/* some are known, and stand anywhere in the order of keeping */
	define_duplicates(&options, order, 1 + (uint32_t) seed % n_texts);
	for (uint32_t i = 0, known = 0, new = d.n_known; i < n_texts; i++)
		mixed[i] = new < n_texts && (known == d.n_known || (seed * 7 + i * 5) % 3 > 0) ? order[new++] :
			order[known++];
	check_search(&options, mixed, 1 << 20, 0);
	check_search(&options, order, (size_t) mode * 64, 1);
	return 0;
}
