#include <string.h>

#include "reduce_block.h"

#ifdef SL_X86
#include "reduceh_write_avx2.h"

SL_INLINE __m256i sl_clamp_8(__m256i v, __m256i low, __m256i high)
{
	return _mm256_min_epi32(_mm256_max_epi32(v, low), high);
}

// sl_convolve computes the sums of pixel x for all rows of a block. Each sum starts at half for rounding. bands is a
// compile-time constant.
SL_INLINE void sl_convolve(const sl_axis *s, int x, const int16_t *columns, int bands, int half, __m256i *sums)
{
	const __m256i *p = (const __m256i *) (columns + (size_t) s->start[x] * bands * sl_block_rows);
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

SL_AVX2 void sl_reduceh_avx2(const sl_axis *s, const int16_t *columns, sl_output_rows to)
{
	__m256i v[3], pixels[sl_write_pixels];
	for (int x = 0; x < to.width; x += sl_write_pixels) {
		SL_UNROLL
		for (int i = 0; i < sl_write_pixels; i++) {
			sl_convolve(s, sl_pixel_at(x, i, to.width), columns, 3, sl_half_3, v);
			pixels[i] = sl_pixel_rgb(v, sl_bits_3);
		}
		sl_write(pixels, x, 3, to);
	}
}

SL_AVX2 void sl_reduceh_sums_avx2(
	const sl_axis *s, int x, const int16_t *columns, int bands, int sums[4][sl_block_rows])
{
	const int half = 1 << (sl_weight_bits - 1);
	const __m256i zero = _mm256_setzero_si256(), white = _mm256_set1_epi32(sl_white);
	__m256i v[4];
	if (bands == 4)
		sl_convolve(s, x, columns, 4, half, v);
	else
		sl_convolve(s, x, columns, 3, half, v);
	for (int b = 0; b < bands; b++) {
		v[b] = sl_clamp_8(_mm256_srai_epi32(v[b], sl_weight_bits), zero, white);
		_mm256_storeu_si256((__m256i *) sums[b], v[b]);
	}
}

// sl_inverse divides 255 << 24 by alpha. A double is precise enough for the truncated quotient to equal that of
// integers.
SL_INLINE __m256i sl_inverse(__m256i alpha)
{
	const __m256d all = _mm256_set1_pd((double) (255u << 24));
	__m128i low = _mm256_cvttpd_epi32(_mm256_div_pd(all, _mm256_cvtepi32_pd(_mm256_castsi256_si128(alpha))));
	__m128i high = _mm256_cvttpd_epi32(_mm256_div_pd(all, _mm256_cvtepi32_pd(_mm256_extracti128_si256(alpha, 1))));
	return _mm256_inserti128_si256(_mm256_castsi128_si256(low), high, 1);
}

// sl_unpremultiply computes one pixel of each row from premultiplied samples with sl_fraction_bits.
SL_INLINE __m256i sl_unpremultiply(const __m256i *v)
{
	const __m256i zero = _mm256_setzero_si256(), half = _mm256_set1_epi32(1 << (sl_fraction_bits - 1));
	const __m256i half_color = _mm256_set1_epi32(1 << 23);
	__m256i alpha = sl_clamp_8(v[3], zero, _mm256_set1_epi32(sl_white)), colors[3];
	__m256i clear = _mm256_cmpgt_epi32(half, alpha); // alpha rounds to 0
	__m256i inverse = _mm256_andnot_si256(clear, sl_inverse(_mm256_max_epi32(alpha, half)));
	SL_UNROLL
	for (int b = 0; b < 3; b++) // a premultiplied color is at most alpha
		colors[b] = _mm256_mullo_epi32(sl_clamp_8(v[b], zero, alpha), inverse);
	SL_UNROLL
	for (int b = 0; b < 3; b++)
		colors[b] = _mm256_srli_epi32(_mm256_add_epi32(colors[b], half_color), 24);
	alpha = _mm256_srli_epi32(_mm256_add_epi32(alpha, half), sl_fraction_bits);
	return sl_pixel(colors[0], colors[1], colors[2], alpha);
}

SL_AVX2 void sl_reduceh_premultiplied_avx2(const sl_axis *s, const int16_t *columns, sl_output_rows to)
{
	__m256i v[4], pixels[sl_write_pixels];
	for (int x = 0; x < to.width; x += sl_write_pixels) {
		for (int i = 0; i < sl_write_pixels; i++) {
			sl_convolve(s, sl_pixel_at(x, i, to.width), columns, 4, 1 << (sl_weight_bits - 1), v);
			SL_UNROLL
			for (int b = 0; b < 4; b++)
				v[b] = _mm256_srai_epi32(v[b], sl_weight_bits);
			pixels[i] = sl_unpremultiply(v);
		}
		sl_write(pixels, x, 4, to);
	}
}

SL_INLINE __m256i sl_times(__m256i v, int n) { return _mm256_mullo_epi32(v, _mm256_set1_epi32(n)); }

// sl_yuv_to_rgb converts one pixel of each row.
SL_INLINE __m256i sl_yuv_to_rgb(const __m256i *v)
{
	__m256i y = sl_times(_mm256_sub_epi32(v[0], _mm256_set1_epi32(sl_luma_black)), sl_rgb_luma);
	y = _mm256_add_epi32(y, _mm256_set1_epi32(1 << (sl_rgb_bits - 1)));
	__m256i u = _mm256_sub_epi32(v[1], _mm256_set1_epi32(sl_chroma_zero));
	__m256i w = _mm256_sub_epi32(v[2], _mm256_set1_epi32(sl_chroma_zero));
	__m256i red = _mm256_add_epi32(y, sl_times(w, sl_red_v)), blue = _mm256_add_epi32(y, sl_times(u, sl_blue_u));
	__m256i green = _mm256_sub_epi32(y, _mm256_add_epi32(sl_times(u, sl_green_u), sl_times(w, sl_green_v)));
	__m256i rgb[3] = { red, green, blue };
	return sl_pixel_rgb(rgb, sl_rgb_bits);
}

SL_AVX2 void sl_reduceh_yuv_avx2(const sl_axis *const s[3], const int16_t *const columns[3], sl_output_rows to)
{
	const __m256i low = _mm256_set1_epi32(INT16_MIN), high = _mm256_set1_epi32(INT16_MAX);
	__m256i v[3], pixels[sl_write_pixels];
	for (int x = 0; x < to.width; x += sl_write_pixels) {
		for (int i = 0; i < sl_write_pixels; i++) {
			SL_UNROLL
			for (int b = 0; b < 3; b++) {
				sl_convolve(s[b], sl_pixel_at(x, i, to.width), columns[b], 1, 1 << (sl_weight_bits - 1), &v[b]);
				v[b] = sl_clamp_8(_mm256_srai_epi32(v[b], sl_weight_bits), low, high);
			}
			pixels[i] = sl_yuv_to_rgb(v);
		}
		sl_write(pixels, x, 3, to);
	}
}
#endif
