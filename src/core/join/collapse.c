/*-------------------------------------------------------------------------
 *
 * collapse.c
 *		The distinct fingerprints of a chunk in memory, and the rows of each.
 *
 * A sort finds them.  distinct.c finds those of a set that may be larger than memory.
 *
 *-------------------------------------------------------------------------
 */
#include <stdbool.h>
#include <string.h>

#include "collapse.h"
#include "radix.h"

/*
 * Rows between two interrupt checks.  At worst each row begins a sort of its own.
 */
#define SORTS_BETWEEN_CHECKS	(1 << 16)

/*
 * Sort rows by their fingerprints, from word number "word" on.  Rows of equal fingerprints
 * stay in their order.  words[i] becomes that word of rows[i].
 */
static void
sort_rows(const Fingerprints *fps, int word, uint64_t *words, uint32_t *rows, size_t n,
		  const JoinEnv *env)
{
	size_t		next_check = SORTS_BETWEEN_CHECKS;
	size_t		end;

	for (size_t i = 0; i < n; i++)
		words[i] = fingerprint_of_row(fps, rows[i])[word];
	simhash_sort_fps(words, rows, n, env);
	if (word + 1 == fps->nwords)
		return;
	for (size_t first = 0; first < n; first = end)
	{
		uint64_t	value = words[first];

		if (first >= next_check)
		{
			join_check_interrupts(env);
			next_check = first + SORTS_BETWEEN_CHECKS;
		}
		end = first + 1;
		while (end < n && words[end] == value)
			end++;
		if (end - first == 1)
			continue;
		sort_rows(fps, word + 1, words + first, rows + first, end - first, env);
		for (size_t i = first; i < end; i++)
			words[i] = value;
	}
}

/* Do two rows whose first words are equal have the same fingerprint? */
static inline bool
same_rest(const Fingerprints *fps, uint32_t a, uint32_t b)
{
	return fps->nwords == 1 ||
		memcmp(fingerprint_of_row(fps, a) + 1, fingerprint_of_row(fps, b) + 1,
			   (size_t) (fps->nwords - 1) * sizeof(uint64_t)) == 0;
}

/*
 * Collapse n rows, n > 0.  The caller allocates "rows" by env, and "rows" becomes part of
 * the result.  The result takes 8 bytes a row.  While the function runs, it takes 24
 * bytes a row.
 */
void
simhash_collapse(const Fingerprints *fps, uint32_t *rows, size_t n, const JoinEnv *env,
				 Collapsed *collapsed)
{
	uint64_t   *words = join_alloc(env, n * sizeof(uint64_t));
	uint32_t   *starts;
	size_t		distinct = 1;
	size_t		nothers = 0;

	sort_rows(fps, 0, words, rows, n, env);

	/*
	 * There are as many first and other rows as there were rows.  The other
	 * rows fill the memory of "starts" from its end, so that the two never
	 * meet.
	 */
	starts = join_alloc(env, (n + 1) * sizeof(uint32_t));
	starts[0] = 0;
	for (size_t i = 1; i < n; i++)
	{
		uint32_t	row = rows[i];

		if (words[i] == words[i - 1] && same_rest(fps, row, rows[distinct - 1]))
		{
			starts[n - nothers++] = row;
			continue;
		}
		starts[distinct] = (uint32_t) nothers;
		rows[distinct++] = row;
	}
	starts[distinct] = (uint32_t) nothers;
	join_free(env, words);

	collapsed->n = distinct;
	collapsed->first_rows = rows;
	collapsed->starts = starts;
	collapsed->other_rows = starts + distinct + 1;
	for (size_t i = 0; i < nothers / 2; i++)
	{
		uint32_t   *others = collapsed->other_rows;
		uint32_t	row = others[i];

		others[i] = others[nothers - 1 - i];
		others[nothers - 1 - i] = row;
	}
}

void
simhash_collapsed_free(Collapsed *collapsed, const JoinEnv *env)
{
	join_free(env, collapsed->first_rows);
	join_free(env, collapsed->starts);
}
