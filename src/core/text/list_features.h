/*
 * The features of a text, in a form for people.
 */
#ifndef SIMHASH_LIST_FEATURES_H
#define SIMHASH_LIST_FEATURES_H

#include "text_env.h"
#include "text_options.h"

/*
 * Gets each distinct feature, when it first occurs: its UTF-8 (tokens normalised, a
 * space between words), the weight with which it votes, its hash.  May jump away.
 */
typedef void (*FeatureCallback) (void *arg, const char *utf8, size_t len,
								 double weight, uint64_t hash);

extern void simhash_list_features(const char *utf8, size_t len,
								  const TextOptions *options, const TextEnv *env,
								  FeatureCallback callback, void *arg);

#endif
