/*-------------------------------------------------------------------------
 *
 * feature_input.h
 *		Features and weights that the caller gives instead of a text.
 *
 *-------------------------------------------------------------------------
 */
#ifndef SIMHASH_GIVEN_H
#define SIMHASH_GIVEN_H

#include "postgres.h"

#include <math.h>

#include "core/text/features/text_features.h"
#include "server/compat.h"
#include "server/server_text.h"

/*
 * The hash of a feature of type text or bigint.  A bigint is a hash already.  The hash of
 * a text is the same in every encoding of the server.
 */
static inline uint64
given_feature(Datum d, bool is_text)
{
	text	   *t;
	Utf8Text	utf8;
	uint64		hash;

	if (!is_text)
		return (uint64) DatumGetInt64(d);
	t = DatumGetTextPP(d);
	utf8 = utf8_text(VARDATA_ANY(t), VARSIZE_ANY_EXHDR(t));
	hash = core_hash_bytes(utf8.bytes, utf8.len);
	utf8_text_free(&utf8);
	if ((Pointer) t != DatumGetPointer(d))
		pfree(t);
	return hash;
}

/* A weight, which must be a finite number. */
static inline double
given_weight(double weight)
{
	if (isnan(weight) || isinf(weight))
		ereport(ERROR,
				(errcode(ERRCODE_NUMERIC_VALUE_OUT_OF_RANGE),
				 errmsg("weight of a feature must be a finite number")));
	return weight;
}

#endif							/* SIMHASH_GIVEN_H */
