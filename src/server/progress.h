/*-------------------------------------------------------------------------
 *
 * progress.h
 *		Notices of the progress of long calls, on request (simhash.progress).
 *
 *-------------------------------------------------------------------------
 */
#ifndef SIMHASH_PROGRESS_H
#define SIMHASH_PROGRESS_H

#include "postgres.h"

extern void progress_init(void);
extern void progress_begin(void);
extern bool progress_is_due(void);

#endif							/* SIMHASH_PROGRESS_H */
