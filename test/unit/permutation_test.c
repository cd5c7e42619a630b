/*
 * Tests of the permutations of bits: each moves every bit to the place that the shuffle
 * gives it, and back, and the places never change.
 */
#include <string.h>

#include "../../src/core/permutation.h"
#include "check.h"

/* The shuffle, written down once more: it drives random64() with a seed of its own. */
static void
define_places(int nbits, int *places)
{
	uint64_t	saved = random_state;

	random_state = (uint64_t) nbits;
	for (int i = 0; i < nbits; i++)
		places[i] = i;
	for (int i = nbits - 1; i > 0; i--)
	{
		int			k = (int) ((random64() >> 32) * (uint64_t) (i + 1) >> 32);
		int			place = places[i];

		places[i] = places[k];
		places[k] = place;
	}
	random_state = saved;
}

static int
test_bit(const uint64_t *words, int i)
{
	return (int) (words[i / 64] >> (63 - i % 64) & 1);
}

/* Fingerprints of every density, with the unused bits 0 */
static void
make_fp(int nbits, int round, uint64_t *fp)
{
	int			nwords = (nbits + 63) / 64;

	for (int w = 0; w < nwords; w++)
		fp[w] = round == 0 ? 0 : round == 1 ? ~UINT64_C(0) :
			round % 2 == 0 ? random64() : random64() & random64() & random64();
	if (nbits % 64 != 0)
		fp[nwords - 1] &= ~(~UINT64_C(0) >> nbits % 64);
}

static int
wrong_words(int nbits)
{
	BitPermutation permutation;
	int			places[MOST_BITS];
	int			nwords = (nbits + 63) / 64;
	int			wrong = 0;

	define_places(nbits, places);
	bit_permutation_init(&permutation, nbits);
	if (permutation.nbits != nbits || permutation.nwords != nwords)
		wrong++;
	for (int round = 0; round < 50; round++)
	{
		/* the bits behind the last word do not change */
		uint64_t	fp[MOST_WORDS];
		uint64_t	expected[MOST_WORDS] = {0};
		uint64_t	found[MOST_WORDS + 1];
		uint64_t	back[MOST_WORDS + 1];

		make_fp(nbits, round, fp);
		for (int i = 0; i < nbits; i++)
			if (test_bit(fp, i))
				expected[places[i] / 64] |= UINT64_C(1) << (63 - places[i] % 64);
		found[nwords] = back[nwords] = 42;
		bit_permute(&permutation, fp, found);
		bit_unpermute(&permutation, found, back);
		wrong += memcmp(found, expected, (size_t) nwords * 8) != 0;
		wrong += memcmp(back, fp, (size_t) nwords * 8) != 0;
		wrong += found[nwords] != 42 || back[nwords] != 42;
		bit_permute(&permutation, fp, fp);
		wrong += memcmp(found, fp, (size_t) nwords * 8) != 0;
	}
	return wrong;
}

/* A hash (FNV-1a) of where each single bit goes */
static uint64_t
hash_of_places(int nbits)
{
	BitPermutation permutation;
	uint64_t	hash = UINT64_C(0xcbf29ce484222325);

	bit_permutation_init(&permutation, nbits);
	for (int i = 0; i < nbits; i++)
	{
		uint64_t	fp[MOST_WORDS] = {0};

		fp[i / 64] = UINT64_C(1) << (63 - i % 64);
		bit_permute(&permutation, fp, fp);
		for (int k = 0; k < nbits; k++)
			if (test_bit(fp, k))
				hash = (hash ^ (uint64_t) k) * UINT64_C(0x100000001b3);
	}
	return hash;
}

/* Indexes depend on these: they must never change. */
static const struct
{
	int			nbits;
	uint64_t	hash;
}			pinned_places[] = {
	{64, UINT64_C(0xaa75b10466f41515)},
	{80, UINT64_C(0x47bac29a793fc037)},
	{128, UINT64_C(0x0b06bfed8bcc5b1f)},
	{256, UINT64_C(0xda008863c4517907)},
	{512, UINT64_C(0x2dcc225910895d67)},
	{1024, UINT64_C(0x0439d819a44e5fdf)}
};

/* The new places of 256 bits, written out */
static void
test_pinned_words(void)
{
	static const uint64_t from[4] = {
		UINT64_C(0x0123456789abcdef), UINT64_C(0), UINT64_C(0xffffffff00000000), UINT64_C(1)
	};
	static const uint64_t pinned[4] = {
		UINT64_C(0x22008280409a1108), UINT64_C(0x50bc41295608e080),
		UINT64_C(0x0020852060e0085a), UINT64_C(0x11122306000a1123)
	};
	BitPermutation permutation;
	uint64_t	to[4];

	bit_permutation_init(&permutation, 256);
	bit_permute(&permutation, from, to);
	if (memcmp(to, pinned, sizeof(to)) != 0)
		for (int w = 0; w < 4; w++)
			printf("# 0x%016llx\n", (unsigned long long) to[w]);
	check(memcmp(to, pinned, sizeof(to)) == 0, "pinned words of 256 bits");
}

int
main(void)
{
	for (int nbits = 2; nbits <= MOST_BITS; nbits += nbits < 64 ? 1 : 16)
		check(wrong_words(nbits) == 0, "places of %d bits", nbits);
	for (int i = 0; i < (int) (sizeof(pinned_places) / sizeof(pinned_places[0])); i++)
	{
		uint64_t	hash = hash_of_places(pinned_places[i].nbits);

		if (hash != pinned_places[i].hash)
			printf("# 0x%016llx\n", (unsigned long long) hash);
		check(hash == pinned_places[i].hash, "pinned places of %d bits", pinned_places[i].nbits);
	}
	test_pinned_words();
	return end_tests();
}
