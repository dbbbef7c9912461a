#include <string.h>

#include "reduce_block.h"

#ifdef SL_X86
#include "reduce_across_avx2.h"
#include "reduce_write_avx2.h"

// sl_sums makes the sums of a pixel of all rows, each starting at half of what is taken off later. bands is a constant to the compiler.
SL_INLINE void sl_sums(const sl_side *s, int x, const int16_t *columns, int bands, int half, __m256i *sums)
{
	const __m256i *p = (const __m256i *) (columns + (size_t) s->start[x] * bands * sl_block);
	const int16_t *w = s->weights + (size_t) x * s->taps, *end = w + s->taps;
	SL_UNROLL
	for (int b = 0; b < bands; b++)
		sums[b] = _mm256_set1_epi32(half);
	for (; w < end; w += 2, p += bands) {
		int pair;
		memcpy(&pair, w, sizeof(pair));
		SL_UNROLL
		for (int b = 0; b < bands; b++)
			sums[b] = _mm256_add_epi32(sums[b], _mm256_madd_epi16(_mm256_loadu_si256(p + b), _mm256_set1_epi32(pair)));
	}
}

SL_AVX2 void sl_across_avx2(const sl_side *s, const int16_t *columns, sl_rows to)
{
	__m256i v[3], pixels[sl_some];
	for (int x = 0; x < to.width; x += sl_some) {
		SL_UNROLL
		for (int i = 0; i < sl_some; i++) {
			sl_sums(s, sl_some_at(x, i, to.width), columns, 3, sl_half_3, v);
			pixels[i] = sl_pixel_3(v);
		}
		sl_write(pixels, x, 3, to);
	}
}

SL_INLINE __m256i sl_within_8(__m256i v, __m256i low, __m256i high) { return _mm256_min_epi32(_mm256_max_epi32(v, low), high); }

// sl_inverse divides 255 << 24 by alpha. Doubles have room for more bits than that, so what is cut off is what integers cut off.
SL_INLINE __m256i sl_inverse(__m256i alpha)
{
	const __m256d all = _mm256_set1_pd((double) (255u << 24));
	__m128i low = _mm256_cvttpd_epi32(_mm256_div_pd(all, _mm256_cvtepi32_pd(_mm256_castsi256_si128(alpha))));
	__m128i high = _mm256_cvttpd_epi32(_mm256_div_pd(all, _mm256_cvtepi32_pd(_mm256_extracti128_si256(alpha, 1))));
	return _mm256_inserti128_si256(_mm256_castsi128_si256(low), high, 1);
}

// sl_alpha_off makes a pixel of all rows whose colors are weighed by its alpha, all with sl_fraction bits more.
SL_INLINE __m256i sl_alpha_off(const __m256i *v)
{
	const __m256i zero = _mm256_setzero_si256(), half = _mm256_set1_epi32(1 << (sl_fraction - 1)), half_color = _mm256_set1_epi32(1 << 23);
	__m256i alpha = sl_within_8(v[3], zero, _mm256_set1_epi32(255 << sl_fraction)), colors[3];
	__m256i clear = _mm256_cmpgt_epi32(half, alpha); // it is rounded to 0
	__m256i inverse = _mm256_andnot_si256(clear, sl_inverse(_mm256_max_epi32(alpha, half)));
	SL_UNROLL
	for (int b = 0; b < 3; b++) // no color is more than all there is
		colors[b] = _mm256_srli_epi32(_mm256_add_epi32(_mm256_mullo_epi32(sl_within_8(v[b], zero, alpha), inverse), half_color), 24);
	return sl_pixel(colors[0], colors[1], colors[2], _mm256_srli_epi32(_mm256_add_epi32(alpha, half), sl_fraction));
}

SL_AVX2 void sl_across_alpha_avx2(const sl_side *s, const int16_t *columns, sl_rows to)
{
	__m256i v[4], pixels[sl_some];
	for (int x = 0; x < to.width; x += sl_some) {
		for (int i = 0; i < sl_some; i++) {
			sl_sums(s, sl_some_at(x, i, to.width), columns, 4, 1 << (sl_weight_bits - 1), v);
			SL_UNROLL
			for (int b = 0; b < 4; b++)
				v[b] = _mm256_srai_epi32(v[b], sl_weight_bits);
			pixels[i] = sl_alpha_off(v);
		}
		sl_write(pixels, x, 4, to);
	}
}

SL_INLINE __m256i sl_times(__m256i v, int n) { return _mm256_mullo_epi32(v, _mm256_set1_epi32(n)); }

// sl_rgb makes a pixel of all rows of Y, U and V.
SL_INLINE __m256i sl_rgb(const __m256i *v)
{
	__m256i y = _mm256_add_epi32(sl_times(_mm256_sub_epi32(v[0], _mm256_set1_epi32(sl_black)), sl_rgb_luma), _mm256_set1_epi32(1 << (sl_rgb_bits - 1)));
	__m256i u = _mm256_sub_epi32(v[1], _mm256_set1_epi32(sl_middle)), w = _mm256_sub_epi32(v[2], _mm256_set1_epi32(sl_middle));
	__m256i red = _mm256_add_epi32(y, sl_times(w, sl_red_v)), blue = _mm256_add_epi32(y, sl_times(u, sl_blue_u));
	__m256i green = _mm256_sub_epi32(y, _mm256_add_epi32(sl_times(u, sl_green_u), sl_times(w, sl_green_v)));
	return sl_pixel(_mm256_srai_epi32(red, sl_rgb_bits), _mm256_srai_epi32(green, sl_rgb_bits), _mm256_srai_epi32(blue, sl_rgb_bits), _mm256_setzero_si256());
}

SL_AVX2 void sl_across_planes_avx2(const sl_side *const s[3], const int16_t *const columns[3], sl_rows to)
{
	const __m256i low = _mm256_set1_epi32(INT16_MIN), high = _mm256_set1_epi32(INT16_MAX);
	__m256i v[3], pixels[sl_some];
	for (int x = 0; x < to.width; x += sl_some) {
		for (int i = 0; i < sl_some; i++) {
			SL_UNROLL
			for (int b = 0; b < 3; b++) {
				sl_sums(s[b], sl_some_at(x, i, to.width), columns[b], 1, 1 << (sl_weight_bits - 1), &v[b]);
				v[b] = sl_within_8(_mm256_srai_epi32(v[b], sl_weight_bits), low, high);
			}
			pixels[i] = sl_rgb(v);
		}
		sl_write(pixels, x, 3, to);
	}
}
#endif
