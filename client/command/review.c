/*-------------------------------------------------------------------------
 *
 * review.c
 *		The review page; see review.h. Names and comments are those of examples/review.sql,
 *		which also has the frame of the page.
 *
 *-------------------------------------------------------------------------
 */
#include "review.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "output.h"
#include "review_pair.h"

typedef struct ReviewKind
{
	const char *kind;
	const char *title;
	const char *explanation;
} ReviewKind;

#include "review_frame.h"

/* The places of the kinds */
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

_Static_assert(sizeof(kinds) / sizeof(kinds[0]) == KINDS, "the kinds of review.sql");
_Static_assert(sizeof(frame) / sizeof(frame[0]) == 4, "the frame of review.sql");

#define SHOWN_PAIRS 1000

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

	Part		name_a = part_of(a->name, 0, a->name_length);
	Part		name_b = part_of(b->name, 0, b->name_length);

	if (is_blank(name_a) || is_blank(name_b))
		return false;
	key_of_part(name_a, key_a);
	key_of_part(name_b, key_b);
	return memcmp(key_a, key_b, sizeof(key_a)) != 0;
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
	return kinds[((const Measured *) (const void *) measured->bytes)[pair].kind].kind;
}

/* ---------- the page ---------- */

/* The numbers of pairs that are shown of each kind: a share of the limit, and what others leave */
static void
share(const size_t *pairs, size_t *shown)
{
	size_t		n_kinds = 0;
	size_t		rest = SHOWN_PAIRS;

	for (int k = 0; k < KINDS; k++)
		n_kinds += pairs[k] > 0;
	for (int k = 0; k < KINDS; k++)
	{
		shown[k] = n_kinds == 0 || pairs[k] < SHOWN_PAIRS / n_kinds ? pairs[k] : SHOWN_PAIRS / n_kinds;
		rest -= shown[k];
	}
	for (int k = 0; k < KINDS; k++)
	{
		size_t		more = pairs[k] - shown[k] < rest ? pairs[k] - shown[k] : rest;

		shown[k] += more;
		rest -= more;
	}
}

static void
write_left_out(Buffer *out, size_t shown, size_t pairs)
{
	if (shown == pairs)
		return;
	buffer_append_string(out, " ");
	append_with_commas(out, shown);
	buffer_append_string(out, " of ");
	append_with_commas(out, pairs);
	buffer_append_string(out, " shown.");
}

static void
write_beginning(Buffer *out, const size_t *pairs, const size_t *shown)
{
	size_t		n_pairs = 0;
	size_t		n_shown = 0;
	const char *between = "";

	for (int k = 0; k < KINDS; k++)
	{
		n_pairs += pairs[k];
		n_shown += shown[k];
	}
	buffer_append_string(out, frame[0]);
	for (int k = 0; k < KINDS; k++)
		buffer_printf(out, "%sbody:has(#show-%s:not(:checked)) .%s { display: none; }",
					  k == 0 ? "" : "\n", kinds[k].kind, kinds[k].kind);
	buffer_append_string(out, frame[1]);
	buffer_append_string(out, "<p>");
	append_with_commas(out, n_pairs);
	buffer_append_string(out, n_pairs == 1 ? " pair" : " pairs");
	buffer_append_string(out, ", each with its original first. The least certain come first.");
	write_left_out(out, n_shown, n_pairs);
	buffer_append_string(out, "</p>");
	buffer_append_string(out, frame[2]);
	for (int k = 0; k < KINDS; k++)
	{
		if (pairs[k] == 0)
			continue;
		buffer_printf(out, "%s<label><input type=\"checkbox\" id=\"show-%s\" autocomplete=\"off\" checked> %s ",
					  between, kinds[k].kind, kinds[k].title);
		append_with_commas(out, pairs[k]);
		buffer_append_string(out, "</label>");
		between = "\n";
	}
	buffer_append_string(out, frame[3]);
	buffer_append_string(out, "\n");
}

static void
begin_section(Buffer *out, int kind, size_t pairs, size_t shown)
{
	buffer_printf(out, "<section class=\"%s\">\n<h2>%s <span>", kinds[kind].kind, kinds[kind].title);
	append_with_commas(out, pairs);
	buffer_printf(out, "</span></h2>\n<p class=\"note\">%s", kinds[kind].explanation);
	write_left_out(out, shown, pairs);
	buffer_append_string(out, kind == KIND_COPY && shown > 0 ? "</p>\n<ul class=\"copies\">\n" : "</p>\n");
}

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
	size_t		shown[KINDS];

	for (size_t i = 0; i < n_pairs; i++)
		pairs[all[i].kind]++;
	if (n_pairs > 1)
		qsort(all, n_pairs, sizeof(Measured), compare_measured);
	share(pairs, shown);
	write_beginning(&out, pairs, shown);
	for (int k = 0; k < KINDS; k++)
	{
		if (pairs[k] == 0)
			continue;
		begin_section(&out, k, pairs[k], shown[k]);
		for (size_t i = 0; i < shown[k]; i++)
		{
			write_pair(&out, all[i].pair, get, k == KIND_COPY);
			write_page(fd, path, &out);
		}
		buffer_append_string(&out, k == KIND_COPY && shown[k] > 0 ? "</ul>\n</section>\n" : "</section>\n");
		all += pairs[k];
	}
	buffer_append_string(&out, "</main>\n</body>\n</html>\n");
	write_page(fd, path, &out);
	close_output(fd, path);
	buffer_free(&out);
}
