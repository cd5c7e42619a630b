/*-------------------------------------------------------------------------
 *
 * clusters.c
 *		simhash_clusters: groups of documents that are near each other.
 *
 * core/join/ finds the groups.  The function first returns the documents that have no
 * group: it reads all ids in the order of the documents, and beside them a sort of the
 * documents that have a group.  A second sort has the latter in the order of their
 * groups, and of their ids in a group.  Each group is read twice there: for its size, and
 * for its documents.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "core/store/external_sort.h"
#include "core/groups/groups.h"
#include "rows/documents.h"
#include "fingerprint/options.h"
#include "rows/ids.h"
#include "miscadmin.h"
#include "parallel/parallel_pairs.h"
#include "rows/query.h"
#include "server/progress.h"
#include "server/tuple_sort.h"
#include "utils/builtins.h"
#include "utils/memutils.h"

PG_FUNCTION_INFO_V1(simhash_clusters_of_documents);

#define MEMBERS_BETWEEN_NOTICES	1024

enum
{
	METHOD_COMPONENTS,
	METHOD_STAR
};

static const OptionName method_names[] = {
	{"components", METHOD_COMPONENTS},
	{"star", METHOD_STAR},
	{NULL}
};

typedef struct Clusters
{
	MemoryContext context;
	TempFiles  *files;
	DocumentFile *documents;
	ExternalSort *members;		/* (document, the first document of its group) */
	uint64		nmembers;
	uint64		member;			/* the next member */
	uint64		first;			/* the first document of that group */
	bool		have_member;
	uint64		document;		/* the next document to look at */
	TupleSort  *groups;			/* (first document, id) */
	const Datum *found;			/* the row of "groups" that was read last */
	/* documents of the current group not returned yet */
	int64		left;
	int64		size;
	Datum		smallest;		/* the group's smallest id */
	bool		have_smallest;
} Clusters;

/* ----------
 * Groups
 * ----------
 */

static void
add_member(void *arg, uint32_t row, uint32_t first)
{
	Clusters   *clusters = arg;

	core_external_sort_add(clusters->members, row, first);
	core_external_sort_add(clusters->members, first, first);
	if (++clusters->nmembers % MEMBERS_BETWEEN_NOTICES == 0 && progress_is_due())
		ereport(NOTICE,
				(errmsg("%llu documents have been assigned to groups",
						(unsigned long long) clusters->nmembers)));
}

/*
 * Read the next document that has a group.  The sort has the first document of a group
 * once for each other document of the group.
 */
static void
next_member(Clusters *clusters)
{
	uint64		before = clusters->member;
	bool		any = clusters->have_member;

	do
		clusters->have_member = core_external_sort_next(clusters->members, &clusters->member,
														&clusters->first);
	while (clusters->have_member && any && clusters->member == before);
}

static TupleSort *
begin_groups(const DocumentFile *documents, size_t memory)
{
	TupleSortColumn columns[2] = {INT8_COLUMN,
	{documents->type->type_id, documents->type->lt_opr, documents->collation}};

	return tuple_sort_begin(columns, 2, 2, memory, TUPLESORT_RANDOMACCESS);
}

/* Find the groups, and begin to return them. */
static void *
begin_clusters(FunctionCallInfo fcinfo)
{
	int			method = METHOD_COMPONENTS;
	int			method_arg;
	size_t		memory = join_memory();
	ParallelSource parallel;
	PairsSource source = parallel_pairs(&parallel);
	Documents  *documents;
	Clusters   *clusters;
	FindGroups *find;

	documents = documents_of_args(fcinfo, 4);
	if (documents == NULL)
		return NULL;
	method_arg = documents->distance_arg + 1;
	if (!PG_ARGISNULL(method_arg))
		method = named_option(text_to_cstring(PG_GETARG_TEXT_PP(method_arg)), "method",
							  method_names,
							  "Valid methods are \"components\" (the default) and \"star\".");
	find = method == METHOD_STAR ? core_stars : core_components;
	parallel.files = documents->files;
	parallel.function = fcinfo->flinfo->fn_oid;
	clusters = palloc0(sizeof(Clusters));
	clusters->context = CurrentMemoryContext;
	clusters->files = documents->files;
	/* while it merges, the sort of documents takes more memory than its share */
	clusters->documents = method == METHOD_STAR ?
		document_file_sort(documents->file, memory / 4 * 3) : documents->file;
	clusters->members = core_external_sort_begin(SHORT_NUMBERS, memory / 4, &documents->env);
	find(clusters->documents->set, documents_distance(documents, fcinfo), memory / 4 * 3,
		 &source, add_member, clusters);
	core_external_sort_finish(clusters->members);
	next_member(clusters);
	clusters->groups = begin_groups(clusters->documents, memory / 4);
	return clusters;
}

/* ----------
 * Rows
 * ----------
 */

/* Return the next document that has no group; false after the last one. */
static bool
next_single(Clusters *clusters, Datum *values)
{
	DocumentFile *documents = clusters->documents;

	while (clusters->document < documents->set->n)
	{
		uint64		document = clusters->document++;
		Datum		group_and_id[2];

		CHECK_FOR_INTERRUPTS();
		values[0] = values[1] = document_file_id(documents, document);
		values[2] = Int64GetDatum(1);
		if (!clusters->have_member || clusters->member != document)
			return true;
		group_and_id[0] = Int64GetDatum(clusters->first);
		group_and_id[1] = values[0];
		tuple_sort_put(clusters->groups, group_and_id);
		if (!documents->type->typbyval)
			pfree(DatumGetPointer(values[0]));
		next_member(clusters);
	}
	return false;
}

static bool
next_in_groups(Clusters *clusters)
{
	clusters->found = tuple_sort_next(clusters->groups);
	return clusters->found != NULL;
}

/* Count the documents of the next group, and go back to its first; false if there is none. */
static bool
begin_group(Clusters *clusters)
{
	int64		group = 0;

	clusters->size = 0;
	tuplesort_markpos(clusters->groups->state);
	while (next_in_groups(clusters))
	{
		int64		first = DatumGetInt64(clusters->found[0]);

		if (clusters->size == 0)
		{
			replace_id(&clusters->smallest, &clusters->have_smallest, clusters->found[1],
					   clusters->documents->type, clusters->context);
			group = first;
		}
		else if (first != group)
			break;
		clusters->size++;
	}
	tuplesort_restorepos(clusters->groups->state);
	clusters->left = clusters->size;
	return clusters->size > 0;
}

/* Return the next row, which is valid until the next call; false if there is none. */
static bool
next_cluster_row(void *state, Datum *values)
{
	Clusters   *clusters = state;

	if (clusters->members != NULL)
	{
		if (next_single(clusters, values))
			return true;
		core_external_sort_end(clusters->members);
		clusters->members = NULL;
		tuplesort_performsort(clusters->groups->state);
	}
	if (clusters->left == 0 && !begin_group(clusters))
		return false;
	if (!next_in_groups(clusters))
		elog(ERROR, "a group has fewer documents than it had");
	clusters->left--;
	values[0] = clusters->found[1];
	values[1] = clusters->smallest;
	values[2] = Int64GetDatum(clusters->size);
	return true;
}

/* End the sorts, and remove all files. */
static void
end_clusters(Datum state)
{
	Clusters   *clusters = (Clusters *) DatumGetPointer(state);

	if (clusters->members != NULL)
		core_external_sort_end(clusters->members);
	tuple_sort_end(clusters->groups);
	temp_files_end(clusters->files);
}

Datum
simhash_clusters_of_documents(PG_FUNCTION_ARGS)
{
	static const RowSource source = {begin_clusters, next_cluster_row, end_clusters};

	return return_rows(fcinfo, &source);
}
