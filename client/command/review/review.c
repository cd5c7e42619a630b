/*-------------------------------------------------------------------------
 *
 * review.c
 *		The review page; see review.h. The classes and their order are those of
 *		examples/review.sql.
 *
 *-------------------------------------------------------------------------
 */
#include "review.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../output.h"
#include "review_pair.h"

#include "review_page.h"

/* In the order of examples/review.html */
enum
{
	KIND_NAME,
	KIND_SIBLING,
	KIND_SIGNS,
	KIND_WORDS,
	KIND_NUMBER,
	KIND_PUNCTUATION,
	KIND_COPY,
	KINDS
};

static const char *const kinds[KINDS] = {"name", "sibling", "signs", "words", "number", "punctuation", "copy"};

#define SHOWN_PAIRS 200			/* of each kind */

/* ---------- measuring ---------- */

/* What is noted of each pair */
typedef struct Measured
{
	uint64_t	first_change;
	uint64_t	times;
	uint64_t	characters;
	uint32_t	pair;
	uint8_t		kind;
	bool		other_name;
} Measured;

static int
kind_of(const Changes *changes)
{
	const size_t *counts = changes->counts;

	if (changes->n == 0)
		return KIND_COPY;
	if (changes->first_change > 1)
		return KIND_SIBLING;
	if (changes->words > 0)
		return KIND_WORDS;
	if (counts[PGSIMHASH_CHANGE_NUMBER] > 0)
		return KIND_NUMBER;
	return counts[PGSIMHASH_CHANGE_SIGNS] + counts[PGSIMHASH_CHANGE_FORM] > 0 ? KIND_SIGNS :
		KIND_PUNCTUATION;
}

static bool
names_differ(const ReviewText *a, const ReviewText *b)
{
	unsigned char key_a[16];
	unsigned char key_b[16];

	return key_of_part(part_of(a->name, 0, a->name_length), key_a) &&
		key_of_part(part_of(b->name, 0, b->name_length), key_b) &&
		memcmp(key_a, key_b, sizeof(key_a)) != 0;
}

static Measured
measure(size_t pair, ReviewPair get)
{
	ReviewText	keeper;
	ReviewText	other;
	Changes		changes;
	Measured	measured;

	get(pair, &keeper, &other);
	changes = find_changes(&keeper, &other);
	measured.first_change = changes.first_change;
	measured.times = changes.times;
	measured.characters = changes.characters;
	measured.pair = (uint32_t) pair;
	measured.kind = (uint8_t) kind_of(&changes);
	measured.other_name = names_differ(&keeper, &other);
	pgsimhash_free(changes.changes);
	return measured;
}

static int
descending(uint64_t a, uint64_t b)
{
	return (a < b) - (a > b);
}

/* The least certain pair first */
static int
compare_measured(const void *a, const void *b)
{
	const Measured *m = a;
	const Measured *n = b;
	int			order = (int) m->kind - (int) n->kind;

	if (order == 0 && m->kind == KIND_WORDS)
		order = descending(m->times, n->times);
	if (order == 0)
		order = descending(m->first_change, n->first_change);
	if (order == 0)
		order = descending(m->characters, n->characters);
	return order != 0 ? order : m->pair < n->pair ? -1 : 1;
}

void
measure_pairs(size_t n, ReviewPair get, Buffer *measured)
{
	Measured   *all;
	size_t		other_names = 0;

	for (size_t i = 0; i < n; i++)
	{
		Measured	m = measure(i, get);

		other_names += m.other_name;
		buffer_append(measured, &m, sizeof(m));
	}
	all = (Measured *) (void *) measured->bytes;
	/* if all names differ, they are not titles */
	for (size_t i = 0; i < n; i++)
		if (all[i].other_name && other_names < n && all[i].kind != KIND_COPY)
			all[i].kind = KIND_NAME;
}

const char *
class_of_pair(const Buffer *measured, size_t pair)
{
	return kinds[((const Measured *) (const void *) measured->bytes)[pair].kind];
}

/* ---------- the page ---------- */

/* Write what there is, and empty the buffer. */
static void
write_page(int fd, const char *path, Buffer *out)
{
	write_all(fd, out->bytes, out->length, path);
	out->length = 0;
}

void
write_review(int fd, const char *path, Buffer *measured, ReviewPair get)
{
	Buffer		out = {NULL, 0, 0, 0};
	Measured   *all = (Measured *) (void *) measured->bytes;
	size_t		n_pairs = measured->length / sizeof(Measured);
	size_t		pairs[KINDS] = {0};
	const char *separator = "";

	for (size_t i = 0; i < n_pairs; i++)
		pairs[all[i].kind]++;
	if (n_pairs > 1)
		qsort(all, n_pairs, sizeof(Measured), compare_measured);
	buffer_append(&out, review_page, sizeof(review_page) - 1);
	buffer_append_string(&out, "{\"pairs\": {");
	for (int k = 0; k < KINDS; k++)
		if (pairs[k] > 0)
		{
			buffer_printf(&out, "%s\"%s\": %zu", separator, kinds[k], pairs[k]);
			separator = ", ";
		}
	buffer_append_string(&out, "}, \"shown\": [");
	separator = "\n";
	for (int k = 0; k < KINDS; k++)
	{
		for (size_t i = 0; i < pairs[k] && i < SHOWN_PAIRS; i++)
		{
			buffer_append_string(&out, separator);
			separator = ",\n";
			write_pair(&out, all[i].pair, get, kinds[k]);
			write_page(fd, path, &out);
		}
		all += pairs[k];
	}
	buffer_append_string(&out, "\n]}\n");
	write_page(fd, path, &out);
	close_output(fd, path);
	buffer_free(&out);
}
