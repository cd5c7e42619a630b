/*-------------------------------------------------------------------------
 *
 * module.c
 *		The module's magic block, and what its loading defines.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "fmgr.h"
#include "index/bitblock/bitblock.h"
#include "index/bitblock/store/cache.h"
#include "server/compat.h"
#include "server/progress.h"
#include "utils/guc.h"

PG_MODULE_MAGIC_EXT(.name = "simhash",.version = "1.0.0");

/* PostgreSQL calls this function when it loads the library. */
void
_PG_init(void)
{
	bb_define_settings();
	bb_define_explain();
	progress_init();
	MarkGUCPrefixReserved("simhash");
}
