#include <string.h>

#include "reduce_block.h"
#include "vectors.h"

// sl_convolve computes the sums of pixel x for all rows of a block. Each sum starts at half for rounding. bands is a
// compile-time constant.
SL_VECTORS __attribute__((always_inline)) static inline void sl_convolve(
	const sl_axis *s, int x, const int16_t *columns, int bands, int half, int sums[][sl_block_rows])
{
	const int16_t *p = columns + (size_t) s->start[x] * bands * sl_block_rows, *w = s->weights + (size_t) x * s->taps;
	int all[4 * sl_block_rows];
	for (int i = 0; i < bands * sl_block_rows; i++)
		all[i] = half;
	for (int k = 0; k < s->taps; k += 2, p += 2 * bands * sl_block_rows) {
		int first = w[k], second = w[k + 1];
		for (int i = 0; i < bands * sl_block_rows; i++)
			all[i] += first * p[2 * i] + second * p[2 * i + 1];
	}
	memcpy(sums, all, sizeof(int) * bands * sl_block_rows);
}

SL_VECTORS static void sl_reduceh_sums_plain(
	const sl_axis *s, int x, const int16_t *columns, int bands, int sums[4][sl_block_rows])
{
	if (bands == 4)
		sl_convolve(s, x, columns, 4, 1 << (sl_weight_bits - 1), sums);
	else
		sl_convolve(s, x, columns, 3, 1 << (sl_weight_bits - 1), sums);
	for (int b = 0; b < bands; b++)
		for (int r = 0; r < sl_block_rows; r++)
			sums[b][r] = sl_clamp(sums[b][r] >> sl_weight_bits, 0, sl_white);
}

void sl_reduceh_sums(
	const sl_axis *s, int x, const int16_t *columns, int bands, int sums[4][sl_block_rows], int instructions)
{
#ifdef SL_X86
	if (instructions == sl_avx2) {
		sl_reduceh_sums_avx2(s, x, columns, bands, sums);
		return;
	}
#endif
	sl_reduceh_sums_plain(s, x, columns, bands, sums);
}

SL_VECTORS static void sl_reduceh_plain(const sl_axis *s, const int16_t *columns, sl_output_rows to)
{
	enum { bits = sl_weight_bits + sl_fraction_bits };
	int sums[3][sl_block_rows];
	for (int x = 0; x < to.width; x++) {
		sl_convolve(s, x, columns, 3, 1 << (bits - 1), sums);
		for (int r = 0; r < to.rows; r++)
			for (int b = 0; b < 3; b++)
				to.out[((size_t) r * to.width + x) * 3 + b] = sl_clamp(sums[b][r] >> bits, 0, 255);
	}
}

void sl_reduceh(const sl_axis *s, const int16_t *columns, sl_output_rows to, int instructions)
{
#ifdef SL_X86
	if (instructions == sl_avx2) {
		sl_reduceh_avx2(s, columns, to);
		return;
	}
#endif
	sl_reduceh_plain(s, columns, to);
}

// sl_unpremultiply writes a premultiplied pixel with sl_fraction_bits.
static inline void sl_unpremultiply(const int v[4], uint8_t *out)
{
	int alpha = v[3];
	out[3] = (alpha + (1 << (sl_fraction_bits - 1))) >> sl_fraction_bits;
	uint32_t inverse = out[3] ? (255u << 24) / alpha : 0;
	for (int b = 0; b < 3; b++) // a premultiplied color is at most alpha
		out[b] = ((v[b] < alpha ? v[b] : alpha) * inverse + (1 << 23)) >> 24;
}

SL_VECTORS static void sl_reduceh_premultiplied_plain(const sl_axis *s, const int16_t *columns, sl_output_rows to)
{
	for (int x = 0; x < to.width; x++) {
		int sums[4][sl_block_rows];
		sl_reduceh_sums_plain(s, x, columns, 4, sums);
		for (int r = 0; r < to.rows; r++) {
			const int v[4] = { sums[0][r], sums[1][r], sums[2][r], sums[3][r] };
			sl_unpremultiply(v, to.out + ((size_t) r * to.width + x) * 4);
		}
	}
}

void sl_reduceh_premultiplied(const sl_axis *s, const int16_t *columns, sl_output_rows to, int instructions)
{
#ifdef SL_X86
	if (instructions == sl_avx2) {
		sl_reduceh_premultiplied_avx2(s, columns, to);
		return;
	}
#endif
	sl_reduceh_premultiplied_plain(s, columns, to);
}

// sl_yuv_to_rgb converts a pixel.
static inline void sl_yuv_to_rgb(const int v[3], uint8_t *rgb)
{
	int y = sl_rgb_luma * (v[0] - sl_luma_black) + (1 << (sl_rgb_bits - 1));
	int u = v[1] - sl_chroma_zero, w = v[2] - sl_chroma_zero;
	rgb[0] = sl_clamp((y + sl_red_v * w) >> sl_rgb_bits, 0, 255);
	rgb[1] = sl_clamp((y - sl_green_u * u - sl_green_v * w) >> sl_rgb_bits, 0, 255);
	rgb[2] = sl_clamp((y + sl_blue_u * u) >> sl_rgb_bits, 0, 255);
}

SL_VECTORS static void sl_reduceh_yuv_plain(
	const sl_axis *const s[3], const int16_t *const columns[3], sl_output_rows to)
{
	int sums[3][sl_block_rows];
	for (int x = 0; x < to.width; x++) {
		for (int b = 0; b < 3; b++)
			sl_convolve(s[b], x, columns[b], 1, 1 << (sl_weight_bits - 1), &sums[b]);
		for (int r = 0; r < to.rows; r++) {
			int v[3];
			for (int b = 0; b < 3; b++)
				v[b] = sl_clamp(sums[b][r] >> sl_weight_bits, INT16_MIN, INT16_MAX);
			sl_yuv_to_rgb(v, to.out + ((size_t) r * to.width + x) * 3);
		}
	}
}

void sl_reduceh_yuv(const sl_axis *const s[3], const int16_t *const columns[3], sl_output_rows to, int instructions)
{
#ifdef SL_X86
	if (instructions == sl_avx2) {
		sl_reduceh_yuv_avx2(s, columns, to);
		return;
	}
#endif
	sl_reduceh_yuv_plain(s, columns, to);
}
