/*-------------------------------------------------------------------------
 *
 * index_options.c
 *		The storage parameters of a bitblock index: their names, their limits, and
 *		their values in an index.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "access/reloptions.h"
#include "core/widths.h"
#include "index_options.h"

#define MIN_FILLFACTOR			10

/*
 * Parse storage parameters (amoptions).  Invalid parameters raise an error if "validate"
 * is true, as it is for the parameters of a command.
 */
bytea *
bb_options(Datum reloptions, bool validate)
{
	static relopt_kind kind = 0;
	static const relopt_parse_elt elements[] = {
		{"fillfactor", RELOPT_TYPE_INT, offsetof(BBOptions, fillfactor)},
		{"bits", RELOPT_TYPE_INT, offsetof(BBOptions, bits)}
	};

	if (kind == 0)
	{
		relopt_kind new_kind = add_reloption_kind();

		add_int_reloption(new_kind, "fillfactor",
						  "Packs bitblock index pages only to this percentage",
						  BB_DEFAULT_FILLFACTOR, MIN_FILLFACTOR, 100,
						  ShareUpdateExclusiveLock);
		add_int_reloption(new_kind, "bits",
						  "Number of bits of the indexed bit strings",
						  0, FEWEST_BITS, MOST_BITS, AccessExclusiveLock);
		kind = new_kind;
	}
	return (bytea *) build_reloptions(reloptions, validate, kind,
									  sizeof(BBOptions), elements,
									  lengthof(elements));
}

/* How full the build makes the pages of an index, in percent. */
int
bb_fillfactor(Relation index)
{
	BBOptions  *options = (BBOptions *) index->rd_options;

	return options != NULL ? options->fillfactor : BB_DEFAULT_FILLFACTOR;
}

/* The parameter "bits" of an index; 0 if the index does not have the parameter. */
int
bb_bits_parameter(Relation index)
{
	BBOptions  *options = (BBOptions *) index->rd_options;

	return options != NULL ? options->bits : 0;
}
