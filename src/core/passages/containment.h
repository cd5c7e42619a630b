/*-------------------------------------------------------------------------
 *
 * containment.h
 *		Containment: how much of one text occurs in another.
 *
 *-------------------------------------------------------------------------
 */
#ifndef SIMHASH_CONTAINMENT_H
#define SIMHASH_CONTAINMENT_H

#include "../env.h"
#include "../text/text_options.h"

/*
 * Store the share of a's words that are in a gram (see keys.h) which b has.  Return
 * false if a has no word.  options->shingle is n.  A text with fewer than n words has
 * no gram.  The time is linear, and the memory is proportional to the number of
 * grams of the shorter text.
 */
extern bool core_containment_text(const char *a, size_t a_len,
								  const char *b, size_t b_len,
								  const TextOptions *options,
								  const Env *env, double *share);

#endif
