#include <string.h>

#include "reduce_rows.h"
#include "vectors.h"

#if defined(__x86_64__) && defined(__GNUC__)
#include <immintrin.h>
#define SL_X86
#endif

int sl_instructions(int most)
{
#ifdef SL_X86
	int best = __builtin_cpu_supports("avx2") ? sl_avx2 : sl_sse2;
	return most < best ? most : best;
#else
	return sl_plain;
#endif
}

SL_VECTORS static void sl_down_plain(const uint8_t *const *rows, const int16_t *weights, int taps, int16_t *out, int from, int n)
{
	enum { block = 64 };
	for (int x = from; x < n; x += block) {
		int sums[block], count = n - x < block ? n - x : block;
		for (int i = 0; i < count; i++)
			sums[i] = 1 << (sl_weight_bits - sl_fraction - 1);
		for (int k = 0; k < taps; k++) {
			const uint8_t *p = rows[k] + x;
			int w = weights[k];
			for (int i = 0; i < count; i++)
				sums[i] += w * p[i];
		}
		for (int i = 0; i < count; i++)
			out[x + i] = sums[i] >> (sl_weight_bits - sl_fraction);
	}
}

#ifdef SL_X86
__attribute__((target("avx2"))) static inline void sl_down_16(const uint8_t *const *rows, const int16_t *weights, int taps, int16_t *out, int x)
{
	__m256i low = _mm256_set1_epi32(1 << (sl_weight_bits - sl_fraction - 1)), high = low;
	for (int k = 0; k < taps; k += 2) {
		int pair;
		memcpy(&pair, weights + k, sizeof(pair));
		__m256i w = _mm256_set1_epi32(pair);
		__m128i a = _mm_loadu_si128((const __m128i *) (rows[k] + x)), b = _mm_loadu_si128((const __m128i *) (rows[k + 1] + x));
		low = _mm256_add_epi32(low, _mm256_madd_epi16(_mm256_cvtepu8_epi16(_mm_unpacklo_epi8(a, b)), w));
		high = _mm256_add_epi32(high, _mm256_madd_epi16(_mm256_cvtepu8_epi16(_mm_unpackhi_epi8(a, b)), w));
	}
	__m256i both = _mm256_packs_epi32(_mm256_srai_epi32(low, sl_weight_bits - sl_fraction), _mm256_srai_epi32(high, sl_weight_bits - sl_fraction));
	_mm256_storeu_si256((__m256i *) (out + x), _mm256_permute4x64_epi64(both, 0xD8));
}

__attribute__((target("avx2"))) static void sl_down_avx2(const uint8_t *const *rows, const int16_t *weights, int taps, int16_t *out, int n)
{
	int x = 0;
	for (; x + 16 <= n; x += 16)
		sl_down_16(rows, weights, taps, out, x);
	if (x < n && n >= 16)
		sl_down_16(rows, weights, taps, out, n - 16);
	else
		sl_down_plain(rows, weights, taps, out, x, n);
}
#endif

void sl_down(const uint8_t *const *rows, const int16_t *weights, int taps, int16_t *out, int n, int instructions)
{
#ifdef SL_X86
	if (instructions == sl_avx2) {
		sl_down_avx2(rows, weights, taps, out, n);
		return;
	}
#endif
	sl_down_plain(rows, weights, taps, out, 0, n);
}

SL_VECTORS static void sl_down_wide_plain(const int16_t *const *rows, const int16_t *weights, int taps, int16_t *out, int from, int n)
{
	enum { block = 64 };
	for (int x = from; x < n; x += block) {
		int sums[block], count = n - x < block ? n - x : block;
		for (int i = 0; i < count; i++)
			sums[i] = 1 << (sl_weight_bits - 1);
		for (int k = 0; k < taps; k++) {
			const int16_t *p = rows[k] + x;
			int w = weights[k];
			for (int i = 0; i < count; i++)
				sums[i] += w * p[i];
		}
		for (int i = 0; i < count; i++)
			out[x + i] = sums[i] >> sl_weight_bits;
	}
}

#ifdef SL_X86
__attribute__((target("avx2"))) static void sl_down_wide_avx2(const int16_t *const *rows, const int16_t *weights, int taps, int16_t *out, int n)
{
	int x = 0;
	for (; x + 16 <= n; x += 16) {
		__m256i low = _mm256_set1_epi32(1 << (sl_weight_bits - 1)), high = low;
		for (int k = 0; k < taps; k += 2) {
			int pair;
			memcpy(&pair, weights + k, sizeof(pair));
			__m256i w = _mm256_set1_epi32(pair);
			__m256i a = _mm256_loadu_si256((const __m256i *) (rows[k] + x)), b = _mm256_loadu_si256((const __m256i *) (rows[k + 1] + x));
			low = _mm256_add_epi32(low, _mm256_madd_epi16(_mm256_unpacklo_epi16(a, b), w));
			high = _mm256_add_epi32(high, _mm256_madd_epi16(_mm256_unpackhi_epi16(a, b), w));
		}
		_mm256_storeu_si256((__m256i *) (out + x), _mm256_packs_epi32(_mm256_srai_epi32(low, sl_weight_bits), _mm256_srai_epi32(high, sl_weight_bits)));
	}
	sl_down_wide_plain(rows, weights, taps, out, x, n);
}
#endif

void sl_down_wide(const int16_t *const *rows, const int16_t *weights, int taps, int16_t *out, int n, int instructions)
{
#ifdef SL_X86
	if (instructions == sl_avx2) {
		sl_down_wide_avx2(rows, weights, taps, out, n);
		return;
	}
#endif
	sl_down_wide_plain(rows, weights, taps, out, 0, n);
}

void sl_across(const sl_side *s, const int16_t *row, uint8_t *out, int instructions)
{
	for (int x = 0; x < s->to; x++) {
		const int16_t *p = row + (size_t) s->start[x] * 3, *w = s->weights + (size_t) x * s->taps;
#ifdef SL_X86
		if (instructions >= sl_sse2) {
			__m128i sum = _mm_set1_epi32(1 << (sl_weight_bits + sl_fraction - 1));
			for (int k = 0; k < s->taps; k += 2) {
				int pair;
				memcpy(&pair, w + k, sizeof(pair));
				__m128i a = _mm_loadl_epi64((const __m128i *) (p + k * 3)), b = _mm_loadl_epi64((const __m128i *) (p + (k + 1) * 3));
				sum = _mm_add_epi32(sum, _mm_madd_epi16(_mm_unpacklo_epi16(a, b), _mm_set1_epi32(pair)));
			}
			sum = _mm_srai_epi32(sum, sl_weight_bits + sl_fraction);
			sum = _mm_packs_epi32(sum, sum);
			int pixel = _mm_cvtsi128_si32(_mm_packus_epi16(sum, sum));
			memcpy(out + x * 3, &pixel, 3);
			continue;
		}
#endif
		for (int b = 0; b < 3; b++) {
			int sum = 1 << (sl_weight_bits + sl_fraction - 1);
			for (int k = 0; k < s->taps; k++)
				sum += w[k] * p[k * 3 + b];
			out[x * 3 + b] = sl_within(sum >> (sl_weight_bits + sl_fraction), 0, 255);
		}
	}
}

// sl_alpha_off writes a pixel whose colors are weighed by its alpha, all with sl_fraction bits more.
static inline void sl_alpha_off(const int *v, uint8_t *out)
{
	enum { all = 255 << sl_fraction, half = 1 << (sl_fraction - 1) };
	int alpha = sl_within(v[3], 0, all);
	out[3] = (alpha + half) >> sl_fraction;
	if (alpha == all) {
		for (int b = 0; b < 3; b++)
			out[b] = (sl_within(v[b], 0, all) + half) >> sl_fraction;
		return;
	}
	uint32_t inverse = out[3] ? (255u << 24) / alpha : 0;
	for (int b = 0; b < 3; b++) // no color is more than all there is
		out[b] = (sl_within(v[b], 0, alpha) * inverse + (1 << 23)) >> 24;
}

void sl_across_alpha(const sl_side *s, const int16_t *row, uint8_t *out, int instructions)
{
	for (int x = 0; x < s->to; x++, out += 4) {
		const int16_t *p = row + (size_t) s->start[x] * 4, *w = s->weights + (size_t) x * s->taps;
		int v[4];
#ifdef SL_X86
		if (instructions >= sl_sse2) {
			__m128i sum = _mm_set1_epi32(1 << (sl_weight_bits - 1));
			for (int k = 0; k < s->taps; k += 2) {
				int pair;
				memcpy(&pair, w + k, sizeof(pair));
				__m128i both = _mm_loadu_si128((const __m128i *) (p + k * 4));
				sum = _mm_add_epi32(sum, _mm_madd_epi16(_mm_unpacklo_epi16(both, _mm_unpackhi_epi64(both, both)), _mm_set1_epi32(pair)));
			}
			_mm_storeu_si128((__m128i *) v, _mm_srai_epi32(sum, sl_weight_bits));
			sl_alpha_off(v, out);
			continue;
		}
#endif
		for (int b = 0; b < 4; b++) {
			int sum = 1 << (sl_weight_bits - 1);
			for (int k = 0; k < s->taps; k++)
				sum += w[k] * p[k * 4 + b];
			v[b] = sum >> sl_weight_bits;
		}
		sl_alpha_off(v, out);
	}
}

void sl_across_plane(const sl_side *s, const int16_t *row, int16_t *out, int instructions)
{
	for (int x = 0; x < s->to; x++) {
		const int16_t *p = row + s->start[x], *w = s->weights + (size_t) x * s->taps;
		int sum = 1 << (sl_weight_bits - 1), k = 0;
#ifdef SL_X86
		if (instructions >= sl_sse2) {
			__m128i sums = _mm_setzero_si128();
			for (; k < s->taps; k += 8)
				sums = _mm_add_epi32(sums, _mm_madd_epi16(_mm_loadu_si128((const __m128i *) (p + k)), _mm_loadu_si128((const __m128i *) (w + k))));
			sums = _mm_add_epi32(sums, _mm_shuffle_epi32(sums, 0x4E));
			sum += _mm_cvtsi128_si32(_mm_add_epi32(sums, _mm_shuffle_epi32(sums, 0xB1)));
		}
#endif
		for (; k < s->taps; k++)
			sum += w[k] * p[k];
		out[x] = sl_within(sum >> sl_weight_bits, INT16_MIN, INT16_MAX);
	}
}

void sl_alpha_on(const uint8_t *restrict p, int16_t *restrict q, int width, int instructions)
{
	int x = 0;
#ifdef SL_X86
	const __m128i zero = _mm_setzero_si128(), half = _mm_set1_epi16(128), two = _mm_set1_epi16(2), opaque = _mm_set_epi16(255, 0, 0, 0, 255, 0, 0, 0);
	for (; instructions >= sl_sse2 && x + 4 <= width; x += 4) {
		__m128i v = _mm_loadu_si128((const __m128i *) (p + 4 * x)), part[2] = { _mm_unpacklo_epi8(v, zero), _mm_unpackhi_epi8(v, zero) };
		for (int k = 0; k < 2; k++) {
			__m128i alpha = _mm_or_si128(_mm_shufflehi_epi16(_mm_shufflelo_epi16(part[k], 0xFF), 0xFF), opaque);
			__m128i t = _mm_mullo_epi16(part[k], alpha), rounded = _mm_add_epi16(t, half);
			rounded = _mm_srli_epi16(_mm_add_epi16(rounded, _mm_srli_epi16(rounded, 8)), 8);
			_mm_storeu_si128((__m128i *) (q + 4 * x + 8 * k), _mm_srli_epi16(_mm_add_epi16(_mm_add_epi16(t, rounded), two), 2));
		}
	}
#endif
	for (; x < width; x++)
		for (int b = 0; b < 4; b++) {
			unsigned int t = p[4 * x + b] * (b < 3 ? p[4 * x + 3] : 255u), rounded = t + 128;
			rounded = (rounded + (rounded >> 8)) >> 8; // t / 255
			q[4 * x + b] = (t + rounded + 2) >> 2;	   // 64 t / 255
		}
}

void sl_rgb(const int16_t *restrict luma, const int16_t *restrict u, const int16_t *restrict v, uint8_t *restrict rgb, int width)
{
	enum { bits = 14 + sl_fraction, middle = 128 << sl_fraction, black = 16 << sl_fraction };
	for (int x = 0; x < width; x++) {
		int y = 19077 * (luma[x] - black) + (1 << (bits - 1)), cb = u[x] - middle, cr = v[x] - middle;
		rgb[3 * x] = sl_within((y + 26149 * cr) >> bits, 0, 255);
		rgb[3 * x + 1] = sl_within((y - 6419 * cb - 13320 * cr) >> bits, 0, 255);
		rgb[3 * x + 2] = sl_within((y + 33050 * cb) >> bits, 0, 255);
	}
}
