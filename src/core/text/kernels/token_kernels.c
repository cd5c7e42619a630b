/*-------------------------------------------------------------------------
 *
 * token_kernels.c
 *		Loops over batches of hashes; see token_kernels.h.
 *
 * text_avx512.c has them for AVX-512.
 *
 *-------------------------------------------------------------------------
 */
#include "../../cpu.h"
#include "minwise_bins.h"
#include "text_avx512.h"
#include "token_hash.h"
#include "token_kernels.h"

const TokenKernel *core_token_kernel_chosen = NULL;

static void
hash_tokens_scalar(uint64_t *tokens, const uint8_t *lengths, size_t n)
{
	size_t		i = 0;

	while (i < n)
	{
		/* characters of 3 bytes (Chinese) often follow each other */
		for (; n - i >= 4 && load_le32(lengths + i) == 0x03030303; i += 4)
		{
			tokens[i] = token_hash_3(tokens[i]);
			tokens[i + 1] = token_hash_3(tokens[i + 1]);
			tokens[i + 2] = token_hash_3(tokens[i + 2]);
			tokens[i + 3] = token_hash_3(tokens[i + 3]);
		}
		if (i < n && lengths[i] > 0)
			tokens[i] = token_hash_1to8(tokens[i], lengths[i]);
		i++;
	}
}

static void
pairs_scalar(const uint64_t *tokens, size_t n, uint64_t *features)
{
	for (size_t i = 0; i < n; i++)
		features[i] = feature_pair(tokens[i], tokens[i + 1]);
}

static void
mix_scalar(const uint64_t *hashes, size_t n, uint64_t salt, uint64_t *mixed)
{
	for (size_t i = 0; i < n; i++)
		mixed[i] = mix64(hashes[i] ^ salt);
}

const TokenKernel core_token_kernels[] = {
#ifdef SIMHASH_X86
	{"avx512", cpu_has_avx512, core_read_64_avx512, core_hash_tokens_avx512,
	core_pairs_avx512, core_mix_avx512, core_add_to_bins_avx512, core_bits_of_bins_avx512},
#endif
	{"scalar", cpu_always, NULL, hash_tokens_scalar, pairs_scalar, mix_scalar,
	core_add_to_bins_scalar, core_bits_of_bins_scalar}
};
const int	core_n_token_kernels =
sizeof(core_token_kernels) / sizeof(core_token_kernels[0]);

const TokenKernel *
core_choose_token_kernel(void)
{
	const TokenKernel *kernel = core_token_kernels;

	while (!kernel->supported())
		kernel++;
	core_token_kernel_chosen = kernel;
	return kernel;
}
