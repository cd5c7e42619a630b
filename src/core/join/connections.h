/*-------------------------------------------------------------------------
 *
 * connections.h
 *		Connected components of any edges, in a given amount of memory.
 *
 *-------------------------------------------------------------------------
 */
#ifndef SIMHASH_CONNECTIONS_H
#define SIMHASH_CONNECTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "join_env.h"

typedef struct Connections Connections;

extern Connections *simhash_connections_begin(size_t memory, const JoinEnv *env);
extern void simhash_connections_add(Connections *connections, uint64_t a, uint64_t b);
extern void simhash_connections_finish(Connections *connections);
extern bool simhash_connections_next(Connections *connections, uint64_t *vertex,
									 uint64_t *root);
extern void simhash_connections_end(Connections *connections);

#endif							/* SIMHASH_CONNECTIONS_H */
