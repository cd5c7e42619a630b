/*-------------------------------------------------------------------------
 *
 * server_join.h
 *		The server's memory, interrupts and temporary files, for join/ of core.
 *
 *-------------------------------------------------------------------------
 */
#ifndef SIMHASH_SERVER_JOIN_H
#define SIMHASH_SERVER_JOIN_H

#include "postgres.h"

#include "core/join/join_env.h"
#include "temp_files.h"

extern JoinEnv join_env(MemoryContext context, TempFiles *files);
extern size_t join_memory(void);

#endif							/* SIMHASH_SERVER_JOIN_H */
