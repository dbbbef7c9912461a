#include <string.h>

#include "reduce_block.h"
#include "vectors.h"

#ifdef SL_X86
#include "reduce_across_avx2.h"
#endif

enum { sl_all = 255 << sl_fraction };

// sl_sums makes the sums of a pixel of all rows, each starting at half of what is taken off later. bands is a constant to the compiler.
SL_VECTORS __attribute__((always_inline)) static inline void sl_sums(const sl_side *s, int x, const int16_t *columns, int bands, int half, int sums[][sl_block])
{
	const int16_t *p = columns + (size_t) s->start[x] * bands * sl_block, *w = s->weights + (size_t) x * s->taps;
	int all[4 * sl_block];
	for (int i = 0; i < bands * sl_block; i++)
		all[i] = half;
	for (int k = 0; k < s->taps; k += 2, p += 2 * bands * sl_block) {
		int first = w[k], second = w[k + 1];
		for (int i = 0; i < bands * sl_block; i++)
			all[i] += first * p[2 * i] + second * p[2 * i + 1];
	}
	memcpy(sums, all, sizeof(int) * bands * sl_block);
}

SL_VECTORS static void sl_across_plain(const sl_side *s, const int16_t *columns, sl_rows to)
{
	enum { bits = sl_weight_bits + sl_fraction };
	int sums[3][sl_block];
	for (int x = 0; x < to.width; x++) {
		sl_sums(s, x, columns, 3, 1 << (bits - 1), sums);
		for (int r = 0; r < to.rows; r++)
			for (int b = 0; b < 3; b++)
				to.out[((size_t) r * to.width + x) * 3 + b] = sl_within(sums[b][r] >> bits, 0, 255);
	}
}

void sl_across(const sl_side *s, const int16_t *columns, sl_rows to, int instructions)
{
#ifdef SL_X86
	if (instructions == sl_avx2) {
		sl_across_avx2(s, columns, to);
		return;
	}
#endif
	sl_across_plain(s, columns, to);
}

// sl_alpha_off writes a pixel whose colors are weighed by its alpha, all with sl_fraction bits more.
static inline void sl_alpha_off(const int *v, uint8_t *out)
{
	int alpha = sl_within(v[3], 0, sl_all);
	out[3] = (alpha + (1 << (sl_fraction - 1))) >> sl_fraction;
	uint32_t inverse = out[3] ? (255u << 24) / alpha : 0;
	for (int b = 0; b < 3; b++) // no color is more than all there is
		out[b] = (sl_within(v[b], 0, alpha) * inverse + (1 << 23)) >> 24;
}

SL_VECTORS static void sl_across_alpha_plain(const sl_side *s, const int16_t *columns, sl_rows to)
{
	int sums[4][sl_block];
	for (int x = 0; x < to.width; x++) {
		sl_sums(s, x, columns, 4, 1 << (sl_weight_bits - 1), sums);
		for (int r = 0; r < to.rows; r++) {
			int v[4];
			for (int b = 0; b < 4; b++)
				v[b] = sums[b][r] >> sl_weight_bits;
			sl_alpha_off(v, to.out + ((size_t) r * to.width + x) * 4);
		}
	}
}

void sl_across_alpha(const sl_side *s, const int16_t *columns, sl_rows to, int instructions)
{
#ifdef SL_X86
	if (instructions == sl_avx2) {
		sl_across_alpha_avx2(s, columns, to);
		return;
	}
#endif
	sl_across_alpha_plain(s, columns, to);
}

// sl_rgb writes a pixel of Y, U and V.
static inline void sl_rgb(const int v[3], uint8_t *rgb)
{
	int y = sl_rgb_luma * (v[0] - sl_black) + (1 << (sl_rgb_bits - 1)), u = v[1] - sl_middle, w = v[2] - sl_middle;
	rgb[0] = sl_within((y + sl_red_v * w) >> sl_rgb_bits, 0, 255);
	rgb[1] = sl_within((y - sl_green_u * u - sl_green_v * w) >> sl_rgb_bits, 0, 255);
	rgb[2] = sl_within((y + sl_blue_u * u) >> sl_rgb_bits, 0, 255);
}

SL_VECTORS static void sl_across_planes_plain(const sl_side *const s[3], const int16_t *const columns[3], sl_rows to)
{
	int sums[3][sl_block];
	for (int x = 0; x < to.width; x++) {
		for (int b = 0; b < 3; b++)
			sl_sums(s[b], x, columns[b], 1, 1 << (sl_weight_bits - 1), &sums[b]);
		for (int r = 0; r < to.rows; r++) {
			int v[3];
			for (int b = 0; b < 3; b++)
				v[b] = sl_within(sums[b][r] >> sl_weight_bits, INT16_MIN, INT16_MAX);
			sl_rgb(v, to.out + ((size_t) r * to.width + x) * 3);
		}
	}
}

void sl_across_planes(const sl_side *const s[3], const int16_t *const columns[3], sl_rows to, int instructions)
{
#ifdef SL_X86
	if (instructions == sl_avx2) {
		sl_across_planes_avx2(s, columns, to);
		return;
	}
#endif
	sl_across_planes_plain(s, columns, to);
}
