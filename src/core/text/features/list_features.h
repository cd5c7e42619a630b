/*-------------------------------------------------------------------------
 *
 * list_features.h
 *		The features of a text in readable form.
 *
 *-------------------------------------------------------------------------
 */
#ifndef SIMHASH_LIST_FEATURES_H
#define SIMHASH_LIST_FEATURES_H

#include "../../env.h"
#include "../text_options.h"

/*
 * The callback gets each distinct feature at its first occurrence: its UTF-8
 * (tokens normalised, with a space between words), the weight of its vote, and its
 * hash.  The callback may leave by a jump.
 */
typedef void (*FeatureCallback) (void *arg, const char *utf8, size_t len,
								 double weight, uint64_t hash);

/* Call the callback for the features of a text. */
extern void core_list_features(const char *utf8, size_t len,
							   const TextOptions *options, const Env *env,
							   FeatureCallback callback, void *arg);

#endif
