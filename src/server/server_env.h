/*-------------------------------------------------------------------------
 *
 * server_env.h
 *		The server's memory, interrupts, errors and temporary files, for src/core/.
 *
 *-------------------------------------------------------------------------
 */
#ifndef SIMHASH_SERVER_ENV_H
#define SIMHASH_SERVER_ENV_H

#include "postgres.h"

#include "core/env.h"
#include "temp_files.h"

extern const Env *server_env(void);
extern Env	env_with_files(MemoryContext context, TempFiles *files);
extern size_t join_memory(void);

#endif							/* SIMHASH_SERVER_ENV_H */
