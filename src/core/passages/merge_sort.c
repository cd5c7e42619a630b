/*-------------------------------------------------------------------------
 *
 * merge_sort.c
 *		Merge sort; see merge_sort.h.
 *
 *-------------------------------------------------------------------------
 */
#include <string.h>

#include "merge_sort.h"

void
core_merge_sort(void *items, size_t n, size_t size, size_t length,
				MergeFunction merge, const Env *env)
{
	char	   *from = items;
	char	   *to;
	char	   *room;

	if (n <= length)
		return;
	to = room = env_alloc(env, n * size);
	for (; length < n; length *= 2)
	{
		char	   *merged = to;

		for (size_t i = 0; i < n; i += 2 * length)
		{
			size_t		rest = n - i;

			merge(from + i * size, rest < length ? rest : length,
				  rest < 2 * length ? rest : 2 * length, to + i * size, env);
		}
		check_interrupts(env);
		to = from;
		from = merged;
	}
	if (from != items)
		memcpy(items, from, n * size);
	env_free(env, room);
}
