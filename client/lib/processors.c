/*-------------------------------------------------------------------------
 *
 * processors.c
 *		The number of processors.
 *
 *-------------------------------------------------------------------------
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif

#include "internal.h"

#include <sched.h>

int
processors(void)
{
	cpu_set_t	set;

	return sched_getaffinity(0, sizeof(set), &set) == 0 ? CPU_COUNT(&set) : 1;
}
