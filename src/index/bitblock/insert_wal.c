/*-------------------------------------------------------------------------
 *
 * insert_wal.c
 *		The WAL record of an insertion into a bitblock index.
 *
 * Other changes of pages go through GenericXLogStart and GenericXLogFinish, which compare
 * a page before and after byte by byte to find the bytes to log.  An insertion changes 18
 * bytes of a page and knows them beforehand.  For an insertion the comparison would take
 * longer than all other work.
 *
 * So this file composes the record directly.  The record is the one that
 * GenericXLogFinish would make, byte for byte (a test compares them).  It consists of the
 * changed fragments of each page, each fragment with its offset and length (see
 * generic_xlog.c, "delta").  The resource manager of generic records replays it.  Like
 * any WAL, it is replayed by the major version that wrote it, and this file was compiled
 * for that version.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "access/generic_xlog.h"
#include "access/xlog.h"
#include "access/xloginsert.h"
#include "index/bitblock/store/promises.h"
#include "insert_wal.h"
#include "miscadmin.h"
#include "utils/rel.h"

/* The size of the offset and the length in front of the bytes of a fragment */
#define FRAGMENT_HEADER				(2 * sizeof(OffsetNumber))

/* The largest size of the fragments: pd_lower and pd_upper, the words, and the rest */
#define APPEND_FRAGMENTS_SIZE \
	(3 * FRAGMENT_HEADER + 2 * sizeof(LocationIndex) + sizeof(BBFingerprint) + \
	 sizeof(BBRest))

static char *
add_fragment(char *to, Page page, int offset, int length)
{
	OffsetNumber header[2];

	header[0] = (OffsetNumber) offset;
	header[1] = (OffsetNumber) length;
	memcpy(to, header, FRAGMENT_HEADER);
	memcpy(to + FRAGMENT_HEADER, (char *) page + offset, length);
	return to + FRAGMENT_HEADER + length;
}

/* The plain form of bb_append_logged: PostgreSQL's code makes the record. */
static void
append_plainly(Relation index, const Buffer *buffers, const BBPath *entries,
			   const uint64 *fp, int n)
{
	GenericXLogState *state = GenericXLogStart(index);

	for (int i = 0; i < n; i++)
		bb_append_to_leaf(GenericXLogRegisterBuffer(state, buffers[i], 0), entries[i].key,
						  fp);
	GenericXLogFinish(state);
}

/* Compose the record. */
static void
append_composed(Relation index, const Buffer *buffers, const BBPath *entries,
				const uint64 *fp, int n)
{
	char		fragments[MAX_GENERIC_XLOG_PAGES][APPEND_FRAGMENTS_SIZE];
	bool		logged = RelationNeedsWAL(index);

	if (logged)
		XLogEnsureRecordSpace(MAX_GENERIC_XLOG_PAGES - 1, 0);

	START_CRIT_SECTION();
	if (logged)
		XLogBeginInsert();
	for (int i = 0; i < n; i++)
	{
		Page		page = BufferGetPage(buffers[i]);
		PageHeader	header = (PageHeader) page;
		LocationIndex upper = header->pd_upper;
		char	   *end = fragments[i];
		int			size = BBPageGetOpaque(page)->words * sizeof(uint64);
		bool		carry;

		bb_append_to_leaf(page, entries[i].key, fp);
		MarkBufferDirty(buffers[i]);
		if (!logged)
			continue;

		StaticAssertStmt(offsetof(PageHeaderData, pd_upper) ==
						 offsetof(PageHeaderData, pd_lower) + sizeof(LocationIndex),
						 "pd_lower and pd_upper are next to each other");

		/* log the last byte of pd_upper only if it has changed */
		carry = (upper >> 8) != (header->pd_upper >> 8);
		end = add_fragment(end, page, offsetof(PageHeaderData, pd_lower),
						   sizeof(LocationIndex) + 1 + carry);
		end = add_fragment(end, page, header->pd_lower - size, size);
		end = add_fragment(end, page, header->pd_upper, bb_rest_size(page));
		Assert(end <= fragments[i] + APPEND_FRAGMENTS_SIZE);
		XLogRegisterBuffer(i, buffers[i], REGBUF_STANDARD);
		XLogRegisterBufData(i, fragments[i], end - fragments[i]);
	}
	if (logged)
	{
		XLogRecPtr	lsn = XLogInsert(RM_GENERIC_ID, 0);

		for (int i = 0; i < n; i++)
			PageSetLSN(BufferGetPage(buffers[i]), lsn);
	}
	END_CRIT_SECTION();
}

/*
 * Append the row's entry with the key of entries[i] to the leaf in buffers[i], for n
 * leaves, in one WAL record.  fp is the row's fingerprint.  n is at most
 * MAX_GENERIC_XLOG_PAGES.  The leaves are exclusively locked and have room.
 */
void
bb_append_logged(Relation index, const Buffer *buffers, const BBPath *entries,
				 const uint64 *fp, int n)
{
	Assert(n <= MAX_GENERIC_XLOG_PAGES);
	if (BB_COMPOSES_WAL)
		append_composed(index, buffers, entries, fp, n);
	else
		append_plainly(index, buffers, entries, fp, n);
}
