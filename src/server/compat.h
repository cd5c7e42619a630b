/*-------------------------------------------------------------------------
 *
 * compat.h
 *		The newest PostgreSQL's interfaces, emulated on older servers.
 *
 * Call sites are written for the newest release and have no version tests.  This file has
 * every difference between PostgreSQL 14 and the newest.
 *
 *-------------------------------------------------------------------------
 */
#ifndef SIMHASH_COMPAT_H
#define SIMHASH_COMPAT_H

#include "postgres.h"

#include "access/amapi.h"
#include "access/tableam.h"
#include "catalog/namespace.h"
#include "executor/executor.h"
#include "executor/spi.h"
#include "fmgr.h"
#include "funcapi.h"
#include "lib/stringinfo.h"
#include "mb/pg_wchar.h"
#include "miscadmin.h"
#include "optimizer/optimizer.h"
#include "optimizer/restrictinfo.h"
#include "optimizer/planner.h"
#include "storage/buf_internals.h"
#include "storage/buffile.h"
#include "storage/bufmgr.h"
#include "storage/fd.h"
#include "storage/lmgr.h"
#include "storage/sharedfileset.h"
#include "storage/smgr.h"
#include "tcop/pquery.h"
#include "tcop/tcopprot.h"
#include "utils/guc.h"
#include "utils/rel.h"
#include "utils/selfuncs.h"
#include "utils/sortsupport.h"
#include "utils/wait_event.h"
#if PG_VERSION_NUM >= 160000
#include "varatt.h"
#endif

#if PG_VERSION_NUM < 140000
#error "simhash needs PostgreSQL 14 or newer"
#endif

/* The type has eight bytes and is passed by value, which needs a 64-bit Datum. */
#if SIZEOF_VOID_P < 8
#error "simhash needs a 64-bit server (8-byte pass-by-value types)"
#endif

/* On machines without tests, fingerprints and indexes might differ. */
#ifdef WORDS_BIGENDIAN
#error "simhash needs a little-endian server (it is not tested on others)"
#endif

/* PostgreSQL 18 shows a module's name and version. */
#ifndef PG_MODULE_MAGIC_EXT
#define PG_MODULE_MAGIC_EXT(...) PG_MODULE_MAGIC
#endif

/* PostgreSQL 16 declares it. */
#if PG_VERSION_NUM < 160000
extern PGDLLEXPORT void _PG_init(void);
#endif

/* Up to PostgreSQL 14 a misspelled setting raises a warning instead of an error. */
#if PG_VERSION_NUM < 150000
#define MarkGUCPrefixReserved(prefix) EmitWarningsOnPlaceholders(prefix)
#endif

/* Soft input errors came with PostgreSQL 16. */
#if PG_VERSION_NUM < 160000
#define ereturn(context, dummy_value, ...) \
	do { \
		(void) (context); \
		ereport(ERROR, __VA_ARGS__); \
	} while (0)
#endif

/*
 * PostgreSQL 19 keeps the struct that the handler of an access method returns, so it must
 * not be freed.  Earlier versions copy the struct and free it.
 */
#if PG_VERSION_NUM >= 190000
#define RETURN_INDEX_AM(am) PG_RETURN_POINTER(&(am))
#else
#define RETURN_INDEX_AM(am) \
	do { \
		IndexAmRoutine *copy = makeNode(IndexAmRoutine); \
		\
		*copy = (am); \
		PG_RETURN_POINTER(copy); \
	} while (0)
#endif

/* PostgreSQL 19 added the flags argument. */
#if PG_VERSION_NUM < 190000
#define table_index_fetch_begin(rel, flags) table_index_fetch_begin(rel)
#endif

/* PostgreSQL 19 asks support functions for a query in place of a function in FROM. */
#if PG_VERSION_NUM < 190000
#define T_SupportRequestInlineInFrom T_Invalid
typedef struct SupportRequestInlineInFrom
{
	NodeTag		type;
	PlannerInfo *root;
	RangeTblFunction *rtfunc;
	HeapTuple	proc;
} SupportRequestInlineInFrom;
#endif

/* PostgreSQL 15 has a specialised sort for a comparator. */
#if PG_VERSION_NUM < 150000
static inline int
ssup_datum_unsigned_cmp(Datum x, Datum y, SortSupport ssup)
{
	return (x > y) - (x < y);
}
#endif

/* PostgreSQL 19 wants a descriptor finished before its first use. */
#if PG_VERSION_NUM < 190000
#define TupleDescFinalize(desc) ((void) (desc))
#endif

/*
 * PostgreSQL 15 has one call for functions that return a whole set.  The emulation
 * supports none of its options.
 */
#if PG_VERSION_NUM < 150000
static inline void
InitMaterializedSRF(FunctionCallInfo fcinfo, bits32 flags)
{
	ReturnSetInfo *rsinfo = (ReturnSetInfo *) fcinfo->resultinfo;
	MemoryContext old;
	TupleDesc	desc;

	if (rsinfo == NULL || !IsA(rsinfo, ReturnSetInfo) ||
		(rsinfo->allowedModes & SFRM_Materialize) == 0)
		ereport(ERROR,
				(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
				 errmsg("set-valued function called in context that cannot accept a set")));
	old = MemoryContextSwitchTo(rsinfo->econtext->ecxt_per_query_memory);
	if (get_call_result_type(fcinfo, NULL, &desc) != TYPEFUNC_COMPOSITE)
		elog(ERROR, "return type must be a row type");
	rsinfo->returnMode = SFRM_Materialize;
	rsinfo->setResult =
		tuplestore_begin_heap((rsinfo->allowedModes & SFRM_Materialize_Random) != 0,
							  false, work_mem);
	rsinfo->setDesc = desc;
	MemoryContextSwitchTo(old);
}
#endif

/* PostgreSQL 17 runs the functions of an index without the caller's search_path. */
#if PG_VERSION_NUM < 170000
#define RestrictSearchPath() ((void) 0)
#endif

/* PostgreSQL 17 added the PlannerInfo argument. */
#if PG_VERSION_NUM < 170000
#define estimate_array_length(root, array) estimate_array_length(array)
#endif

/* PostgreSQL 18 puts this in front of a declaration. */
#if PG_VERSION_NUM < 180000
#define pg_noreturn pg_attribute_noreturn()
#endif

/* PostgreSQL 18 added the is_analyze argument. */
#if PG_VERSION_NUM < 180000
#define vacuum_delay_point(is_analyze) vacuum_delay_point()
#endif

/* Up to PostgreSQL 16 VACUUM may remove rows that an old snapshot still sees. */
#if PG_VERSION_NUM >= 170000
#define TestForOldSnapshot(snapshot, rel, page) ((void) 0)
#endif

/* PostgreSQL 18 removed the execute_once argument. */
#if PG_VERSION_NUM < 180000
#define ExecutorRun(desc, direction, count) ExecutorRun(desc, direction, count, true)
#endif

/* PostgreSQL 19 added the ExplainState argument. */
#if PG_VERSION_NUM < 190000
#define pg_plan_query(query, sql, options, parameters, es) \
	pg_plan_query(query, sql, options, parameters)
#endif

/*
 * PostgreSQL 18 shows in EXPLAIN (ANALYZE) how many times an index was searched, and has
 * hooks that see the options of EXPLAIN and add to a node of the plan.  In older versions
 * nothing calls them.
 */
#if PG_VERSION_NUM >= 180000
#include "commands/explain_format.h"
#include "commands/explain_state.h"
#define count_index_search(scan) \
	do { \
		if ((scan)->instrument) \
			(scan)->instrument->nsearches++; \
	} while (0)
#else
#define count_index_search(scan) ((void) 0)
struct ExplainState;
struct ParseState;
struct PlanState;
typedef void (*explain_per_node_hook_type) (struct PlanState *, List *, const char *,
											const char *, struct ExplainState *);
typedef void (*explain_validate_options_hook_type) (struct ExplainState *, List *,
													struct ParseState *);
static explain_per_node_hook_type pg_attribute_unused() explain_per_node_hook;
static explain_validate_options_hook_type pg_attribute_unused() explain_validate_options_hook;
#endif

/*
 * PostgreSQL 16 added the copy argument.  In older versions the caller always owns the
 * value.
 */
#if PG_VERSION_NUM < 160000
#define tuplesort_getdatum(state, forward, copy, value, isnull, abbrev) \
	tuplesort_getdatum(state, forward, value, isnull, abbrev)
#endif

/* Temporary files that processes share; PostgreSQL 15 gave the functions other names. */
static inline BufFile *
create_shared_file(SharedFileSet *files, const char *name)
{
#if PG_VERSION_NUM >= 150000
	return BufFileCreateFileSet(&files->fs, name);
#else
	return BufFileCreateShared(files, name);
#endif
}

/* Write all that is in memory, so that other processes can read the file. */
static inline void
export_shared_file(BufFile *file)
{
#if PG_VERSION_NUM >= 150000
	BufFileExportFileSet(file);
#else
	BufFileExportShared(file);
#endif
}

static inline BufFile *
open_shared_file(SharedFileSet *files, const char *name)
{
#if PG_VERSION_NUM >= 150000
	return BufFileOpenFileSet(&files->fs, name, O_RDONLY, false);
#else
	return BufFileOpenShared(files, name, O_RDONLY);
#endif
}

static inline void
delete_shared_file(SharedFileSet *files, const char *name)
{
#if PG_VERSION_NUM >= 150000
	BufFileDeleteFileSet(&files->fs, name, false);
#else
	BufFileDeleteShared(files, name);
#endif
}

/* PostgreSQL 15 replaced "randomAccess" by options of a sort. */
#if PG_VERSION_NUM < 150000
#define TUPLESORT_NONE false
#define TUPLESORT_RANDOMACCESS true
#endif

/*
 * Append UTF-8 in the server's encoding, up to the first character that the encoding does
 * not have.  Return the number of bytes before that character.
 */
static inline int
append_from_utf8(StringInfo out, const char *utf8, int len)
{
	Oid			proc = FindDefaultConversionProc(PG_UTF8, GetDatabaseEncoding());
	int			room = len * MAX_CONVERSION_GROWTH + 1;
	int			done;

	if (!OidIsValid(proc))
		return 0;
	enlargeStringInfo(out, room);
	done = pg_do_encoding_conversion_buf(proc, PG_UTF8, GetDatabaseEncoding(),
										 (unsigned char *) unconstify(char *, utf8),
										 len, (unsigned char *) out->data + out->len,
										 room, true);
	out->len += strlen(out->data + out->len);
	return done;
}

/* Prefetch a line of memory. */
#ifdef __GNUC__
#define prefetch_memory(address) __builtin_prefetch(address)
#else
#define prefetch_memory(address) ((void) (address))
#endif

/* Prefetch the header of a shared buffer, which pinning and locking it will change. */
static inline void
prefetch_buffer_header(Buffer buffer)
{
	prefetch_memory(GetBufferDescriptor(buffer - 1));
}

/* Pin a page of the main fork if the page is in the given buffer. */
static inline bool
read_recent_buffer(Relation rel, BlockNumber block, Buffer buffer)
{
#if PG_VERSION_NUM >= 160000
	return ReadRecentBuffer(rel->rd_locator, MAIN_FORKNUM, block, buffer);
#else
	return ReadRecentBuffer(rel->rd_node, MAIN_FORKNUM, block, buffer);
#endif
}

/* Add a new page at the end of a fork.  The page is pinned and exclusively locked. */
static inline Buffer
extend_relation_locked(Relation rel, ForkNumber fork)
{
#if PG_VERSION_NUM >= 160000
	return ExtendBufferedRel(BMR_REL(rel), fork, NULL, EB_LOCK_FIRST);
#else
	bool		lock = !RELATION_IS_LOCAL(rel);
	Buffer		buffer;

	if (lock)
		LockRelationForExtension(rel, ExclusiveLock);
	buffer = ReadBufferExtended(rel, fork, P_NEW, RBM_NORMAL, NULL);
	LockBuffer(buffer, BUFFER_LOCK_EXCLUSIVE);
	if (lock)
		UnlockRelationForExtension(rel, ExclusiveLock);
	return buffer;
#endif
}

#if PG_VERSION_NUM < 160000
/*
 * Make room on the disk for n pages of one segment of the main fork, which has the first
 * of them.
 */
static inline bool
allocate_pages(Relation rel, BlockNumber first, int n)
{
	char	   *file = relpathbackend(rel->rd_node, rel->rd_backend, MAIN_FORKNUM);
	BlockNumber segment = first / RELSEG_SIZE;
	int			fd = OpenTransientFile(segment == 0 ? file : psprintf("%s.%u", file, segment),
									   O_RDWR | PG_BINARY);
	bool		done;

	if (fd < 0)
		return false;
	done = posix_fallocate(fd, (off_t) (first % RELSEG_SIZE) * BLCKSZ, (off_t) n * BLCKSZ) == 0;
	CloseTransientFile(fd);
	return done;
}
#endif

/* Add n pages of zeros to the main fork, the first of them at its end. */
static inline void
extend_relation_zeroed(Relation rel, BlockNumber first, int n)
{
#if PG_VERSION_NUM >= 160000
	smgrzeroextend(RelationGetSmgr(rel), MAIN_FORKNUM, first, n, false);
#else
	static const PGAlignedBlock zeros;
	BlockNumber end = first + n;

	/* Pages that are not written need no time and no memory of the kernel. */
	while (first < end)
	{
		BlockNumber here = Min(end - first, RELSEG_SIZE - first % RELSEG_SIZE);
		bool		allocated = false;

		for (BlockNumber i = 0; i < here && !allocated; i++)
		{
			smgrextend(smgropen(rel->rd_node, rel->rd_backend), MAIN_FORKNUM, first + i,
					   unconstify(PGAlignedBlock *, &zeros)->data, false);
			if (i == 0)
				allocated = allocate_pages(rel, first, here);
		}
		first += here;
	}
#endif
}

/*
 * The number of workers for an index build.  From PostgreSQL 17 on it plans them for each
 * access method that says that it can use them.
 */
#if PG_VERSION_NUM >= 170000
#define AM_CAN_BUILD_PARALLEL .amcanbuildparallel = true,
#define index_build_workers(heap, index, info) ((info)->ii_ParallelWorkers)
#else
#define AM_CAN_BUILD_PARALLEL
#define index_build_workers(heap, index, info) \
	plan_create_index_workers(RelationGetRelid(heap), RelationGetRelid(index))
#endif

#endif							/* SIMHASH_COMPAT_H */
