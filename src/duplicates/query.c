/*-------------------------------------------------------------------------
 *
 * query.c
 *		Reading the rows of a query that the caller gives as a text, and returning rows one
 *		by one; see query.h.
 *
 * The query cannot write unless it calls functions that write.  A DestReceiver receives its
 * rows one by one, so they need no memory here.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "executor/spi.h"
#include "query.h"
#include "tcop/dest.h"
#include "tcop/pquery.h"

typedef struct RowReceiver
{
	DestReceiver pub;
	void		(*receive) (TupleTableSlot *slot, void *arg);
	void	   *arg;
} RowReceiver;

static void
receiver_startup(DestReceiver *self, int operation, TupleDesc desc)
{
}

static bool
receive_row(TupleTableSlot *slot, DestReceiver *self)
{
	RowReceiver *receiver = (RowReceiver *) self;

	receiver->receive(slot, receiver->arg);
	return true;
}

static void
receiver_done(DestReceiver *self)
{
}

void
read_query(const char *query, const char *example,
		   void (*begin) (TupleDesc desc, void *arg),
		   void (*receive) (TupleTableSlot *slot, void *arg), void *arg)
{
	RowReceiver receiver = {{receive_row, receiver_startup, receiver_done, receiver_done,
	DestNone}};
	SPIPlanPtr	plan;
	Portal		portal;

	receiver.receive = receive;
	receiver.arg = arg;
	if (SPI_connect() != SPI_OK_CONNECT)
		elog(ERROR, "SPI_connect failed");
	plan = SPI_prepare_cursor(query, 0, NULL, CURSOR_OPT_NO_SCROLL);
	if (plan == NULL)
		elog(ERROR, "SPI_prepare failed: %s", SPI_result_code_string(SPI_result));
	if (!SPI_is_cursor_plan(plan))
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("query must be a single command that returns rows"),
				 errhint("Give a query such as %s.", example)));
	portal = SPI_cursor_open(NULL, plan, NULL, NULL, true);
	begin(portal->tupDesc, arg);
	PortalRunFetch(portal, FETCH_FORWARD, FETCH_ALL, &receiver.pub);
	SPI_cursor_close(portal);
	SPI_finish();
}

/* A function that returns rows one by one calls this in its first call. */
FuncCallContext *
begin_rows(FunctionCallInfo fcinfo)
{
	FuncCallContext *funcctx = SRF_FIRSTCALL_INIT();
	MemoryContext old = MemoryContextSwitchTo(funcctx->multi_call_memory_ctx);
	TupleDesc	desc;

	if (get_call_result_type(fcinfo, NULL, &desc) != TYPEFUNC_COMPOSITE)
		elog(ERROR, "return type must be a row type");
	funcctx->tuple_desc = BlessTupleDesc(desc);
	MemoryContextSwitchTo(old);
	return funcctx;
}

/*
 * A call of "end" when the query ends before the function has returned all rows.  There is
 * no call after an error: the resource owner closes files then.
 */
void
at_early_end(FunctionCallInfo fcinfo, ExprContextCallbackFunction end, void *arg)
{
	RegisterExprContextCallback(((ReturnSetInfo *) fcinfo->resultinfo)->econtext, end,
								PointerGetDatum(arg));
}

/* The function has returned all rows. */
void
at_end(FunctionCallInfo fcinfo, ExprContextCallbackFunction end, void *arg)
{
	UnregisterExprContextCallback(((ReturnSetInfo *) fcinfo->resultinfo)->econtext, end,
								  PointerGetDatum(arg));
	end(PointerGetDatum(arg));
}
