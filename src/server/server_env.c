/*-------------------------------------------------------------------------
 *
 * server_env.c
 *		The server's memory and interrupts; see server_env.h.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "miscadmin.h"
#include "server_env.h"
#include "utils/memutils.h"

void *
server_resize(void *context, void *ptr, size_t size)
{
	if (ptr != NULL)
		return repalloc_huge(ptr, size);
	return MemoryContextAllocHuge(context != NULL ? context : CurrentMemoryContext, size);
}

void
server_release(void *context, void *ptr)
{
	pfree(ptr);
}

void
server_check_interrupts(void *context)
{
	CHECK_FOR_INTERRUPTS();
}
