/*-------------------------------------------------------------------------
 *
 * leading_columns.h
 *		Which columns an index may have in front of the fingerprint.
 *
 * An operator class for leading columns has the hash function of the type as its support
 * function BB_HASH_PROC.  An operator class for fingerprints has no support function.
 *
 *-------------------------------------------------------------------------
 */
#ifndef BITBLOCK_LEADING_COLUMNS_H
#define BITBLOCK_LEADING_COLUMNS_H

#include "postgres.h"

#include "utils/rel.h"

#define BB_HASH_PROC			1
#define BB_PROCS				1

/* Is the column a leading column? */
extern bool bb_is_leading(Relation index, int column);

/* Can the function be the BB_HASH_PROC of a type? */
extern bool bb_is_hash_function(Oid function, Oid type);

/* Is the operator declared as an equality that agrees with a hash function? */
extern bool bb_is_equality(Oid operator);

/* Does a family have what leading columns of that type need? */
extern bool bb_leading_is_valid(Oid family, Oid type);

#endif							/* BITBLOCK_LEADING_COLUMNS_H */
