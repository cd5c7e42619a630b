/*-------------------------------------------------------------------------
 *
 * roots.h
 *		Trees of rows (union-find): a row's parent comes before it, and a root is its
 *		own parent.
 *
 *-------------------------------------------------------------------------
 */
#ifndef SIMHASH_ROOTS_H
#define SIMHASH_ROOTS_H

#include <stddef.h>
#include <stdint.h>

static inline void
begin_roots(uint32_t *parents, size_t n)
{
	for (size_t row = 0; row < n; row++)
		parents[row] = (uint32_t) row;
}

/* The root of a row's tree.  The function shortens the path to it. */
static inline uint32_t
find_root(uint32_t *parents, uint32_t row)
{
	while (parents[row] != row)
	{
		parents[row] = parents[parents[row]];
		row = parents[row];
	}
	return row;
}

static inline void
join_roots(uint32_t *parents, uint32_t a, uint32_t b)
{
	if (parents[a] == parents[b])
		return;
	a = find_root(parents, a);
	b = find_root(parents, b);
	if (a < b)
		parents[b] = a;
	else
		parents[a] = b;
}

/* Let the parent of each row be its root. */
static inline void
end_roots(uint32_t *parents, size_t n)
{
	for (size_t row = 0; row < n; row++)
		parents[row] = parents[parents[row]];
}

#endif							/* SIMHASH_ROOTS_H */
