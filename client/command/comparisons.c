/*-------------------------------------------------------------------------
 *
 * comparisons.c
 *		The commands distance, pairs and groups.
 *
 *-------------------------------------------------------------------------
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "command_options.h"
#include "fail.h"
#include "fingerprint_list.h"

#define PAIRS_AT_ONCE	4096
#define OUTPUT_PART		(1 << 16)

static void
check(int result)
{
	if (result == PGSIMHASH_INVALID_OPTION)
		fail(EXIT_USAGE, "the number of bits of a fingerprint must be a multiple of 16 from 64 to 1024");
	if (result == PGSIMHASH_FILE_ERROR)
		fail(EXIT_TROUBLE, "%s: %s", pgsimhash_message(result), strerror(errno));
	if (result < 0)
		fail(EXIT_TROUBLE, "%s", pgsimhash_message(result));
}

/* Write what there is if it is much, or at the end. */
static void
flush(Buffer *out, bool at_end)
{
	if (!at_end && out->length < OUTPUT_PART)
		return;
	write_out(out);
	out->length = 0;
	if (at_end)
		buffer_free(out);
}

/* ---------- distance ---------- */

static int
given_fingerprint(const Options *options, const char *argument, uint64_t *words)
{
	int			bits = parse_fingerprint(argument, strlen(argument),
										 options->output.type == TYPE_BIGINT, words);

	if (bits == 0)
		fail(EXIT_USAGE, "\"%s\" is not a fingerprint", argument);
	return bits;
}

static int
distance_of_two(const Options *options, char **arguments)
{
	uint64_t	a[PGSIMHASH_MOST_WORDS];
	uint64_t	b[PGSIMHASH_MOST_WORDS];
	int			bits = given_fingerprint(options, arguments[0], a);
	Buffer		out = {NULL, 0, 0, 0};

	if (given_fingerprint(options, arguments[1], b) != bits)
		fail(EXIT_USAGE, "the fingerprints have different lengths");
	buffer_printf(&out, "%d\n", pgsimhash_distance(a, b, bits));
	flush(&out, true);
	return 0;
}

static int
distances_from_one(const Options *options, char **arguments, int n)
{
	FingerprintList list = {.is_bigint = options->output.type == TYPE_BIGINT};
	uint64_t	q[PGSIMHASH_MOST_WORDS];
	int			bits = given_fingerprint(options, options->to, q);
	uint16_t   *distances;
	Buffer		out = {NULL, 0, 0, 0};

	list_read(&list, arguments, n);
	if (list.n > 0 && list.bits != bits)
		fail(EXIT_USAGE, "the fingerprints have %d bits, but --to has %d", list.bits, bits);
	distances = allocate(list.n * sizeof(uint16_t));
	check(pgsimhash_distances(list_words(&list), list.n, q, bits, distances));
	for (size_t i = 0; i < list.n; i++)
	{
		if (options->within != NO_BOUND && distances[i] > options->within)
			continue;
		append_id(&out, &list, i);
		buffer_printf(&out, "\t%d\n", distances[i]);
		flush(&out, false);
	}
	flush(&out, true);
	free(distances);
	list_free(&list);
	return 0;
}

int
run_distance(const Options *options, char **arguments, int n)
{
	if (options->to != NULL)
		return distances_from_one(options, arguments, n);
	if (n != 2)
		fail(EXIT_USAGE, "distance requires two fingerprints, or --to");
	return distance_of_two(options, arguments);
}

/* ---------- pairs and groups ---------- */

/* Near-duplicates, as the operator % has them. */
static int
bound_of(const Options *options, const FingerprintList *list)
{
	return options->within != NO_BOUND ? options->within : PGSIMHASH_NEAR(list->bits);
}

int
run_pairs(const Options *options, char **arguments, int n)
{
	FingerprintList list = {.is_bigint = options->output.type == TYPE_BIGINT,
	.on_disk = options->memory > 0};
	pgsimhash_pair found[PAIRS_AT_ONCE];
	pgsimhash_pairs *pairs = NULL;
	size_t		n_found = 0;
	Buffer		out = {NULL, 0, 0, 0};

	list_read(&list, arguments, n);
	if (list.n > 0)
		check(pgsimhash_pairs_begin(list_words(&list), list.n, list.bits,
									bound_of(options, &list), options->memory, &pairs));
	do
	{
		if (pairs != NULL)
			check(pgsimhash_pairs_next(pairs, found, PAIRS_AT_ONCE, &n_found));
		for (size_t i = 0; i < n_found; i++)
		{
			append_id(&out, &list, found[i].a);
			buffer_append(&out, "\t", 1);
			append_id(&out, &list, found[i].b);
			buffer_printf(&out, "\t%d\n", found[i].distance);
			flush(&out, false);
		}
	} while (n_found > 0);
	flush(&out, true);
	pgsimhash_pairs_end(pairs);
	list_free(&list);
	return 0;
}

static void
write_groups(const FingerprintList *list, const uint32_t *groups, const uint32_t *sizes)
{
	Buffer		out = {NULL, 0, 0, 0};

	for (size_t i = 0; i < list->n; i++)
	{
		append_id(&out, list, i);
		buffer_append(&out, "\t", 1);
		append_id(&out, list, groups[i]);
		buffer_printf(&out, "\t%u\n", sizes[groups[i]]);
		flush(&out, false);
	}
	flush(&out, true);
}

int
run_groups(const Options *options, char **arguments, int n)
{
	FingerprintList list = {.is_bigint = options->output.type == TYPE_BIGINT,
	.on_disk = options->memory > 0};
	uint32_t   *groups;
	uint32_t   *sizes;

	list_read(&list, arguments, n);
	groups = allocate(list.n * sizeof(uint32_t));
	sizes = allocate(list.n * sizeof(uint32_t));
	if (list.n > 0)
		check(pgsimhash_groups(list_words(&list), list.n, list.bits, bound_of(options, &list),
							   options->star ? PGSIMHASH_STAR : PGSIMHASH_COMPONENTS, options->memory,
							   groups));
	memset(sizes, 0, list.n * sizeof(uint32_t));
	for (size_t i = 0; i < list.n; i++)
		sizes[groups[i]]++;
	write_groups(&list, groups, sizes);
	free(groups);
	free(sizes);
	list_free(&list);
	return 0;
}
