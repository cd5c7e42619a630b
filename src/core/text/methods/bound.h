/*-------------------------------------------------------------------------
 *
 * bound.h
 *		The bound on the distance of min-wise fingerprints, from a resemblance.
 *
 *-------------------------------------------------------------------------
 */
#ifndef SIMHASH_BOUND_H
#define SIMHASH_BOUND_H

/*
 * The least bound within which at least the share "recall" of pairs of a resemblance is
 * found, 0 <= resemblance <= 1 and 0 < recall <= 1.  Each of the bits, at most 1024, differs
 * with the probability (1 - resemblance) / 2, independently of the others.
 */
extern int	core_minwise_bound(double resemblance, int bits, double recall);

#endif
