/*-------------------------------------------------------------------------
 *
 * chunks.c
 *		A set of fingerprints in chunks; see chunks.h.
 *
 *-------------------------------------------------------------------------
 */
#include "chunks.h"

void
core_chunks_add(Chunks *chunks, uint32_t part, uint64_t n, size_t room)
{
	uint64_t	count = (n + room - 1) / room;

	if (n == 0)
		return;
	chunks->chunks = env_resize(chunks->set->env, chunks->chunks,
								(chunks->n + count) * sizeof(Chunk));
	for (uint64_t i = 0; i < count; i++)
	{
		Chunk	   *chunk = &chunks->chunks[chunks->n++];

		chunk->part = part;
		chunk->first = n * i / count;
		chunk->n = (uint32_t) (n * (i + 1) / count - chunk->first);
	}
}

static void
load_chunk(Chunks *chunks, const Chunk *chunk, size_t place)
{
	uint64_t   *fps = chunks->words + place * (size_t) chunks->set->nwords;
	uint32_t   *rows = chunks->rows + place;

	if (chunks->parts != NULL)
		core_parts_read(chunks->parts, chunk->part, chunk->first, chunk->n, fps, rows);
	else
		core_set_read(chunks->set, chunk->first, chunk->n, fps, rows);
}

void
core_chunks_load(Chunks *chunks, size_t a, size_t b)
{
	const Env  *env = chunks->set->env;
	size_t		nwords = (size_t) chunks->set->nwords;

	if (chunks->words == NULL)
	{
		chunks->words = env_alloc(env, 2 * chunks->room * nwords * sizeof(uint64_t));
		chunks->rows = env_alloc(env, 2 * chunks->room * sizeof(uint32_t));
	}
	if (chunks->loaded != a + 1)
		load_chunk(chunks, &chunks->chunks[a], 0);
	chunks->loaded = a + 1;
	if (b != a)
		load_chunk(chunks, &chunks->chunks[b], chunks->chunks[a].n);
}

void
core_chunks_clear(Chunks *chunks)
{
	env_free(chunks->set->env, chunks->chunks);
	chunks->chunks = NULL;
	chunks->n = chunks->loaded = 0;
}

void
core_chunks_unload(Chunks *chunks)
{
	env_free(chunks->set->env, chunks->words);
	env_free(chunks->set->env, chunks->rows);
	chunks->words = NULL;
	chunks->rows = NULL;
	chunks->loaded = 0;
}
