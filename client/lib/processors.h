/*-------------------------------------------------------------------------
 *
 * processors.h
 *		The number of processors.
 *
 *-------------------------------------------------------------------------
 */
#ifndef PGSIMHASH_PROCESSORS_H
#define PGSIMHASH_PROCESSORS_H

/* The processors that this process may use, at least 1 */
extern int	processors(void);

#endif
