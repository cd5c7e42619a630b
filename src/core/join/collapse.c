/*-------------------------------------------------------------------------
 *
 * collapse.c
 *		The distinct fingerprints of a set, and the rows of each.
 *
 *-------------------------------------------------------------------------
 */
#include "collapse.h"
#include "radix.h"

/*
 * Both arrays come from the environment's memory and become part of the result.
 * While this runs it needs as much again, and then 4 bytes more for each of the
 * fingerprints.
 */
void
simhash_collapse(uint64_t *fps, uint32_t *rows, size_t n, const JoinEnv *env,
				 Collapsed *collapsed)
{
	uint32_t   *starts;
	size_t		distinct = 0;

	simhash_sort_fps(fps, rows, n, env);
	starts = join_alloc(env, (n + 1) * sizeof(uint32_t));
	for (size_t i = 0; i < n; i++)
	{
		if (i > 0 && fps[i] == fps[i - 1])
			continue;
		starts[distinct] = (uint32_t) i;
		/* behind us, as there are no more of them than were read */
		fps[distinct++] = fps[i];
	}
	starts[distinct] = (uint32_t) n;
	collapsed->n = distinct;
	collapsed->fps = fps;
	collapsed->starts = starts;
	collapsed->rows = rows;
}

void
simhash_collapsed_free(Collapsed *collapsed, const JoinEnv *env)
{
	join_free(env, collapsed->fps);
	join_free(env, collapsed->starts);
	join_free(env, collapsed->rows);
}
