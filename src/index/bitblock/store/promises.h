/*-------------------------------------------------------------------------
 *
 * promises.h
 *		Switches for the code that relies on more than PostgreSQL promises.
 *
 * ../README.md lists what this code gains, and the tests that notice when it breaks.
 * Each switch chooses between that code and a plain form, and both are always compiled.
 * -DBB_PLAIN chooses the plain form of everything that affects only speed.
 * -DBB_PLAIN_COST chooses the plain estimates, and so other plans.
 *
 *-------------------------------------------------------------------------
 */
#ifndef BITBLOCK_PROMISES_H
#define BITBLOCK_PROMISES_H

#ifdef BB_PLAIN
#define BB_PLAIN_WAL
#define BB_PLAIN_MAP
#define BB_PLAIN_PREFETCH
#endif

/* insert_wal.c composes the record of an insertion; the plain form is GenericXLogFinish. */
#ifndef BB_PLAIN_WAL
#define BB_COMPOSES_WAL			true
#else
#define BB_COMPOSES_WAL			false
#endif

/* cache.c remembers in which buffer a page was; the plain form is ReadBuffer. */
#ifndef BB_PLAIN_MAP
#define BB_MAPS_BUFFERS			true
#else
#define BB_MAPS_BUFFERS			false
#endif

/* cache.c prefetches pages and headers of buffers without a pin; the plain form does not. */
#ifndef BB_PLAIN_PREFETCH
#define BB_PREFETCHES			true
#else
#define BB_PREFETCHES			false
#endif

/*
 * cost.c changes the type and the conditions of a path, and reports a correlation and a
 * startup cost that make the planner choose well.  The plain form returns its honest
 * estimate, and makes wrong index-only scans too expensive.
 */
#ifndef BB_PLAIN_COST
#define BB_STEERS_PLANNER		true
#else
#define BB_STEERS_PLANNER		false
#endif

#endif							/* BITBLOCK_PROMISES_H */
