/*-------------------------------------------------------------------------
 *
 * comparisons.c
 *		The commands pairs and groups.
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
