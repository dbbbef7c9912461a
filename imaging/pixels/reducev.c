#include <string.h>

#include "reduce_block.h"
#include "vectors.h"

#ifdef SL_X86
#include <immintrin.h>
#endif

int sl_instructions(int most)
{
#ifdef SL_X86
	int best = __builtin_cpu_supports("avx2") ? sl_avx2 : sl_plain;
	return most < best ? most : best;
#else
	return sl_plain;
#endif
}

#ifdef SL_X86
SL_AVX2 static void sl_interleave_avx2(const uint8_t *a, const uint8_t *b, int16_t *out, int n)
{
	for (int x = 0; x < n; x += 16) {
		if (x + 16 > n)
			x = n - 16;
		__m128i v = _mm_loadu_si128((const __m128i *) (a + x)), w = _mm_loadu_si128((const __m128i *) (b + x));
		_mm256_storeu_si256((__m256i *) (out + 2 * x), _mm256_cvtepu8_epi16(_mm_unpacklo_epi8(v, w)));
		_mm256_storeu_si256((__m256i *) (out + 2 * x + 16), _mm256_cvtepu8_epi16(_mm_unpackhi_epi8(v, w)));
	}
}
#endif

SL_VECTORS void sl_interleave(
	const uint8_t *restrict a, const uint8_t *restrict b, int16_t *restrict out, int n, int instructions)
{
#ifdef SL_X86
	if (instructions == sl_avx2 && n >= 16) {
		sl_interleave_avx2(a, b, out, n);
		return;
	}
#endif
	for (int x = 0; x < n; x++) {
		out[2 * x] = a[x];
		out[2 * x + 1] = b[x];
	}
}

static inline int16_t sl_premultiply(unsigned int v, unsigned int alpha)
{
	unsigned int t = v * alpha, rounded = t + 128;
	rounded = (rounded + (rounded >> 8)) >> 8; // t / 255
	return (t + rounded + 2) >> 2;			   // 64 t / 255
}

#ifdef SL_X86
SL_AVX2 static inline __m256i sl_premultiply_16(const uint8_t *p)
{
	const __m256i half = _mm256_set1_epi16(128), two = _mm256_set1_epi16(2), opaque = _mm256_set1_epi64x(255LL << 48);
	__m256i v = _mm256_cvtepu8_epi16(_mm_loadu_si128((const __m128i *) p));
	__m256i alpha = _mm256_or_si256(_mm256_shufflehi_epi16(_mm256_shufflelo_epi16(v, 0xFF), 0xFF), opaque);
	__m256i t = _mm256_mullo_epi16(v, alpha), rounded = _mm256_add_epi16(t, half);
	rounded = _mm256_srli_epi16(_mm256_add_epi16(rounded, _mm256_srli_epi16(rounded, 8)), 8);
	return _mm256_srli_epi16(_mm256_add_epi16(_mm256_add_epi16(t, rounded), two), 2);
}

SL_AVX2 static void sl_interleave_premultiplied_avx2(const uint8_t *a, const uint8_t *b, int16_t *out, int n)
{
	for (int x = 0; x < n; x += 16) {
		if (x + 16 > n)
			x = n - 16;
		__m256i v = sl_premultiply_16(a + x), w = sl_premultiply_16(b + x);
		__m256i low = _mm256_unpacklo_epi16(v, w), high = _mm256_unpackhi_epi16(v, w);
		_mm256_storeu_si256((__m256i *) (out + 2 * x), _mm256_permute2x128_si256(low, high, 0x20));
		_mm256_storeu_si256((__m256i *) (out + 2 * x + 16), _mm256_permute2x128_si256(low, high, 0x31));
	}
}
#endif

SL_VECTORS void sl_interleave_premultiplied(
	const uint8_t *restrict a, const uint8_t *restrict b, int16_t *restrict out, int n, int instructions)
{
#ifdef SL_X86
	if (instructions == sl_avx2 && n >= 16) {
		sl_interleave_premultiplied_avx2(a, b, out, n);
		return;
	}
#endif
	for (int x = 0; x < n; x++) {
		out[2 * x] = sl_premultiply(a[x], x % 4 < 3 ? a[x | 3] : 255);
		out[2 * x + 1] = sl_premultiply(b[x], x % 4 < 3 ? b[x | 3] : 255);
	}
}

#ifdef SL_X86
SL_AVX2 static void sl_reducev_avx2(
	const int16_t *pairs, size_t stride, const int16_t *weights, int taps, int bits, int16_t *out, int n)
{
	enum { vectors = sl_step_samples / 8 };
	__m128i off = _mm_cvtsi32_si128(bits);
	for (int x = 0; x < n; x += sl_step_samples) {
		const int16_t *p = pairs + 2 * x;
		__m256i sums[vectors];
		SL_UNROLL
		for (int i = 0; i < vectors; i++)
			sums[i] = _mm256_set1_epi32(1 << (bits - 1));
		for (int k = 0; k < taps; k += 2, p += 2 * stride) {
			int pair;
			memcpy(&pair, weights + k, sizeof(pair));
			SL_UNROLL
			for (int i = 0; i < vectors; i++) {
				__m256i samples = _mm256_loadu_si256((const __m256i *) p + i);
				sums[i] = _mm256_add_epi32(sums[i], _mm256_madd_epi16(samples, _mm256_set1_epi32(pair)));
			}
		}
		SL_UNROLL
		for (int i = 0; i < vectors; i += 2) {
			__m256i both = _mm256_packs_epi32(_mm256_sra_epi32(sums[i], off), _mm256_sra_epi32(sums[i + 1], off));
			_mm256_storeu_si256((__m256i *) (out + x + 8 * i), _mm256_permute4x64_epi64(both, 0xD8));
		}
	}
}
#endif

SL_VECTORS static void sl_reducev_plain(
	const int16_t *pairs, size_t stride, const int16_t *weights, int taps, int bits, int16_t *out, int n)
{
	for (int x = 0; x < n; x += sl_step_samples) {
		const int16_t *p = pairs + 2 * x;
		int sums[sl_step_samples];
		for (int i = 0; i < sl_step_samples; i++)
			sums[i] = 1 << (bits - 1);
		for (int k = 0; k < taps; k += 2, p += 2 * stride) {
			int w = weights[k], next = weights[k + 1];
			for (int i = 0; i < sl_step_samples; i++)
				sums[i] += w * p[2 * i] + next * p[2 * i + 1];
		}
		for (int i = 0; i < sl_step_samples; i++)
			out[x + i] = sums[i] >> bits;
	}
}

void sl_reducev(
	const int16_t *pairs, size_t stride, const int16_t *weights, int taps, int bits, int16_t *out, int n,
	int instructions)
{
#ifdef SL_X86
	if (instructions == sl_avx2) {
		sl_reducev_avx2(pairs, stride, weights, taps, bits, out, n);
		return;
	}
#endif
	sl_reducev_plain(pairs, stride, weights, taps, bits, out, n);
}
