/*-------------------------------------------------------------------------
 *
 * stored_clusters.h
 *		Groups of documents in temporary files.
 *
 *-------------------------------------------------------------------------
 */
#ifndef SIMHASH_STORED_CLUSTERS_H
#define SIMHASH_STORED_CLUSTERS_H

#include "core/join/stored_groups.h"
#include "stored_documents.h"

/* A document's row of the result */
typedef struct ClusterRow
{
	Datum		id;
	Datum		cluster;
	int64		size;
} ClusterRow;

typedef void (*StoredGroups) (StoredSet *set, int distance, size_t memory,
							  const JoinEnv *env, const PairsSource *source,
							  GroupMember member, void *arg);

typedef struct StoredClusters StoredClusters;

extern StoredClusters *stored_clusters_begin(StoredDocuments *stored, StoredGroups method,
											 int distance, size_t memory,
											 const PairsSource *source);
extern bool stored_clusters_next(StoredClusters *clusters, ClusterRow *row);
extern void stored_clusters_end(StoredClusters *clusters);

#endif							/* SIMHASH_STORED_CLUSTERS_H */
