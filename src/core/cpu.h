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
#include <stdint.h>

static inline bool
cpu_always(void)
{
	return true;
}

#if defined(__x86_64__) && (defined(__GNUC__) || defined(__clang__))
#define SIMHASH_X86
#include <cpuid.h>

/* The registers that the operating system saves, from XGETBV. */
static inline uint64_t
cpu_saved_state(void)
{
	unsigned int eax,
				ebx,
				ecx,
				edx;

	if (!__get_cpuid(1, &eax, &ebx, &ecx, &edx) || !(ecx & (1u << 27)))
		return 0;				/* no OSXSAVE */
	__asm__ volatile ("xgetbv":"=a" (eax), "=d"(edx):"c"(0));

	return ((uint64_t) edx << 32) | eax;
}

static inline bool
cpu_has_feature_7(unsigned int in_ebx, unsigned int in_ecx)
{
	unsigned int eax,
				ebx,
				ecx,
				edx;

	return __get_cpuid_count(7, 0, &eax, &ebx, &ecx, &edx) &&
		(ebx & in_ebx) == in_ebx && (ecx & in_ecx) == in_ecx;
}

static inline bool
cpu_has_avx2(void)
{
	return (cpu_saved_state() & 0x06) == 0x06 && cpu_has_feature_7(1u << 5, 0);
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
	const unsigned int f_dq_bw = 1u << 16 | 1u << 17 | 1u << 30;
	const unsigned int bmi = 1u << 3;
	const unsigned int vbmi_vbmi2_vpopcntdq = 1u << 1 | 1u << 6 | 1u << 14;

	return (cpu_saved_state() & 0xe6) == 0xe6 &&
		cpu_has_feature_7(f_dq_bw | bmi, vbmi_vbmi2_vpopcntdq);
#endif
}

#define CPU_AVX512 __attribute__((target( \
	"avx512f,avx512dq,avx512bw,avx512vbmi,avx512vbmi2,bmi,popcnt")))
#endif

#endif							/* SIMHASH_CPU_H */
