/*-------------------------------------------------------------------------
 *
 * compat.h
 *		The newest PostgreSQL's interfaces, emulated on older servers.
 *
 * Call sites are written for the newest release and hold no version tests;
 * every difference between PostgreSQL 13 and the newest is here.
 *
 *-------------------------------------------------------------------------
 */
#ifndef SIMHASH_COMPAT_H
#define SIMHASH_COMPAT_H

#include "postgres.h"

#include "fmgr.h"
#include "optimizer/optimizer.h"
#include "optimizer/restrictinfo.h"
#include "utils/sortsupport.h"
#if PG_VERSION_NUM >= 160000
#include "varatt.h"
#endif

#if PG_VERSION_NUM < 130000
#error "simhash needs PostgreSQL 13 or newer"
#endif

/* The type is eight bytes and passed by value: that needs a 64-bit Datum. */
#if SIZEOF_VOID_P < 8
#error "simhash needs a 64-bit server (8-byte pass-by-value types)"
#endif

/* PostgreSQL 18 shows a module's name and version. */
#ifndef PG_MODULE_MAGIC_EXT
#define PG_MODULE_MAGIC_EXT(...) PG_MODULE_MAGIC
#endif

/* Soft input errors came with PostgreSQL 16. */
#if PG_VERSION_NUM < 160000
#define ereturn(context, dummy_value, ...) \
	do { \
		(void) (context); \
		ereport(ERROR, __VA_ARGS__); \
	} while (0)
#endif

/* PostgreSQL 14 added the PlannerInfo argument. */
#if PG_VERSION_NUM < 140000
#define is_pseudo_constant_for_index(root, expr, index) \
	is_pseudo_constant_for_index(expr, index)
#endif

/* PostgreSQL 15 has a comparator with a specialised sort behind it. */
#if PG_VERSION_NUM < 150000
static inline int
ssup_datum_unsigned_cmp(Datum x, Datum y, SortSupport ssup)
{
	return (x > y) - (x < y);
}
#endif

#endif							/* SIMHASH_COMPAT_H */
