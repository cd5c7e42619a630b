/*-------------------------------------------------------------------------
 *
 * row_links.h
 *		A sort of links between two rows, in limited memory.
 *
 *-------------------------------------------------------------------------
 */
#ifndef SIMHASH_ROW_LINKS_H
#define SIMHASH_ROW_LINKS_H

#include <stdbool.h>
#include <stdint.h>

#include "join_env.h"

/* Bytes of memory for a link and its copy during the sort */
#define LINK_BYTES	24

typedef struct RowLinks RowLinks;

extern RowLinks *simhash_links_begin(size_t memory, const JoinEnv *env);
extern void simhash_links_add(RowLinks *links, uint32_t row, uint32_t other);
extern void simhash_links_sort(RowLinks *links);
extern bool simhash_links_next(RowLinks *links, uint32_t *row, uint32_t *other);
extern void simhash_links_end(RowLinks *links);

#endif							/* SIMHASH_ROW_LINKS_H */
