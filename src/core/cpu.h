/*-------------------------------------------------------------------------
 *
 * cpu.h
 *		Which registers the processor has and the operating system saves.
 *
 * The functions exist on x86-64, with compilers that know target attributes.
 * Elsewhere SIMHASH_X86 is not defined.  This file is independent of the
 * server.
 *
 *-------------------------------------------------------------------------
 */
#ifndef SIMHASH_CPU_H
#define SIMHASH_CPU_H

#include <stdbool.h>

static inline bool
cpu_always(void)
{
	return true;
}

#if defined(__x86_64__) && (defined(__GNUC__) || defined(__clang__))
#define SIMHASH_X86

static inline bool
cpu_has_avx2(void)
{
	return __builtin_cpu_supports("avx2");
}

/*
 * Does the processor have AVX-512 with AVX512_VPOPCNTDQ?  Older processors with
 * AVX-512 slow down for wide multiplications.  CPU_AVX512 tells the compiler to use
 * these instructions in a function.  SIMHASH_NO_AVX512 is for measurements of other
 * processors on one with AVX-512.
 */
static inline bool
cpu_has_avx512(void)
{
#ifdef SIMHASH_NO_AVX512
	return false;
#else
	return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
		__builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vbmi") &&
		__builtin_cpu_supports("avx512vbmi2") && __builtin_cpu_supports("avx512vpopcntdq") &&
		__builtin_cpu_supports("bmi");
#endif
}

#define CPU_AVX512 __attribute__((target( \
	"avx512f,avx512dq,avx512bw,avx512vbmi,avx512vbmi2,bmi,popcnt")))
#endif

#endif							/* SIMHASH_CPU_H */
