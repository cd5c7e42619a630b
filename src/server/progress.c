/*-------------------------------------------------------------------------
 *
 * progress.c
 *		Notices of the progress of long calls, on request; see progress.h.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "compat.h"
#include "progress.h"
#include "utils/timestamp.h"

#define INTERVAL_MS		10000

static bool progress = false;
static TimestampTz last;

void
progress_init(void)
{
	DefineCustomBoolVariable("simhash.progress",
							 "Reports the progress of long calls in notices, every ten seconds.",
							 NULL,
							 &progress,
							 false,
							 PGC_USERSET, 0,
							 NULL, NULL, NULL);
}

/* Note that a call begins.  Its first notice is due some seconds later. */
void
progress_begin(void)
{
	last = GetCurrentTimestamp();
}

/* Is a notice due?  If so, the next one is due some seconds later. */
bool
progress_is_due(void)
{
	TimestampTz now;

	if (!progress)
		return false;
	now = GetCurrentTimestamp();
	if (!TimestampDifferenceExceeds(last, now, INTERVAL_MS))
		return false;
	last = now;
	return true;
}
