/*-------------------------------------------------------------------------
 *
 * open.h
 *		Opening a bitblock index by name, for SQL functions.
 *
 *-------------------------------------------------------------------------
 */
#ifndef BITBLOCK_OPEN_H
#define BITBLOCK_OPEN_H

#include "postgres.h"

#include "storage/lockdefs.h"
#include "utils/relcache.h"

/* Open and lock an index and its table. */
extern Relation bb_open(Oid index_oid, LOCKMODE lockmode, Relation *heap);

/* Close an index and its table. */
extern void bb_close(Relation index, Relation heap, LOCKMODE lockmode);

#endif							/* BITBLOCK_OPEN_H */
