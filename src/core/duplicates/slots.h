/*-------------------------------------------------------------------------
 *
 * slots.h
 *		Slots: the places of a template that its documents fill in.
 *
 * Versions of a document part where somebody has edited it, and continue in two ways.  Documents
 * of one template part where a name is filled in, and continue in as many ways as there are names.
 * So a place at which the texts of a group continue in three ways is a slot, and texts that part
 * there are different documents, whatever the rule of two texts says.  So are texts that part up to
 * three words behind it: two people may share their first name.  A group has the texts that
 * pairs of one document connect, and a place is known by the words before it.  A footer has no
 * slots: one word of hundreds names the file, not the document.
 *
 *-------------------------------------------------------------------------
 */
#ifndef SIMHASH_SLOTS_H
#define SIMHASH_SLOTS_H

#include "../changes/first_change.h"
#include "../env.h"

#define WAYS_OF_SLOT 3			/* in which the texts of a slot continue */

typedef struct Slots Slots;

/* A pair that the rule takes for one document, and where its texts part. */
typedef struct PartedPair
{
	uint32_t	text;
	uint32_t	original;
	Parting		partings[2];
} PartedPair;

/* Texts are below n.  The sort takes about "memory" bytes. */
extern Slots *core_slots_begin(uint32_t n, size_t memory, const Env *env);

/* Add a pair of one document. */
extern void core_slots_add(Slots *slots, const PartedPair *pair);

/*
 * Find the groups and the slots of the pairs so far.  Return whether there are any slots.  Pairs that
 * are added later do not count before the next call.
 */
extern bool core_slots_find(Slots *slots);

/* Is a text in a group? */
extern bool core_slots_have(const Slots *slots, uint32_t text);

/* Do the texts part at a slot of the group of one of them? */
extern bool core_slots_part(Slots *slots, const PartedPair *pair);

typedef void (*VisitPair) (void *arg, const PartedPair *pair);

/* Call a function for each pair so far. */
extern void core_slots_for_each(Slots *slots, VisitPair visit, void *arg);

/* Free the memory, and remove the file. */
extern void core_slots_end(Slots *slots);

/*
 * Do the texts of pair number i of a few pairs, which are one group, part at a slot?  The time is
 * quadratic in n.
 */
extern bool core_few_part(const PartedPair *pairs, int n, int i);

#endif							/* SIMHASH_SLOTS_H */
