/*-------------------------------------------------------------------------
 *
 * server_env.h
 *		The server's memory and interrupts, for text/ and join/ of core.
 *
 * These are functions of a TextEnv and of a JoinEnv.  Their argument is the memory
 * context to allocate in, or NULL for the context that is current at the call.
 *
 *-------------------------------------------------------------------------
 */
#ifndef SIMHASH_SERVER_ENV_H
#define SIMHASH_SERVER_ENV_H

#include "postgres.h"

extern void *server_resize(void *context, void *ptr, size_t size);
extern void server_release(void *context, void *ptr);
extern void server_check_interrupts(void *context);

#endif							/* SIMHASH_SERVER_ENV_H */
