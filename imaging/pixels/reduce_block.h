// The steps that compute a block of eight rows of a result. Sums are integers, so every instruction set gives the same
// result.
#ifndef SL_REDUCE_BLOCK_H
#define SL_REDUCE_BLOCK_H

#include <stddef.h>
#include <stdint.h>

#include "reduce_weights.h"

#if defined(__x86_64__) && defined(__GNUC__)
#define SL_X86
#define SL_AVX2 __attribute__((target("avx2")))
#endif

enum { sl_block_rows = 8 };
enum { sl_step_samples = 48 };	// whole vectors, and whole pairs of pixels with 1, 3 and 4 bands
enum { sl_fraction_bits = 6 };	// of samples between the passes: 255 plus the overshoot of Lanczos fits into int16_t
enum { sl_white = 255 << sl_fraction_bits };

// Instruction sets.
enum { sl_plain, sl_avx2 };

// sl_instructions returns the best instruction set that the machine supports, but not a better one than most.
int sl_instructions(int most);

// sl_interleave writes n samples of two rows alternately, which is the order that pmaddwd needs.
void sl_interleave(const uint8_t *a, const uint8_t *b, int16_t *out, int n, int instructions);

// sl_interleave_premultiplied interleaves RGBA: it multiplies the colors by alpha, and gives all samples
// sl_fraction_bits.
void sl_interleave_premultiplied(const uint8_t *a, const uint8_t *b, int16_t *out, int n, int instructions);

// sl_interleave_linear interleaves RGB or RGBA in linear light with sl_fraction_bits. It multiplies the colors of RGBA
// by alpha.
void sl_interleave_linear(const uint8_t *a, const uint8_t *b, int16_t *out, int n, int bands);

// sl_reducev computes n samples of a line, where n is a multiple of sl_step_samples, from taps / 2 pairs of rows that
// are stride samples apart. It shifts the sums right by bits.
void sl_reducev(
	const int16_t *pairs, size_t stride, const int16_t *weights, int taps, int bits, int16_t *out, int n,
	int instructions);

// sl_transpose turns n samples of sl_block_rows lines, stride samples apart, into columns. For every two pixels and
// each of their bands, there are 16 values: two of the first line, two of the second and so on. It may write up to 16
// values more.
void sl_transpose(const int16_t *rows, size_t stride, int n, int bands, int16_t *columns, int instructions);

// sl_output_rows are rows of the result without padding, sl_block_rows or fewer.
typedef struct {
	uint8_t *out;
	int rows, width;
} sl_output_rows;

// Coefficients of BT.601 with 14 bits, for samples with sl_fraction_bits.
enum {
	sl_rgb_bits = 14 + sl_fraction_bits,
	sl_chroma_zero = 128 << sl_fraction_bits,
	sl_luma_black = 16 << sl_fraction_bits,
};
enum { sl_rgb_luma = 19077, sl_red_v = 26149, sl_green_u = 6419, sl_green_v = 13320, sl_blue_u = 33050 };

#ifdef SL_X86
// AVX2 versions of the functions below.
void sl_reduceh_avx2(const sl_axis *s, const int16_t *columns, sl_output_rows to);
void sl_reduceh_premultiplied_avx2(const sl_axis *s, const int16_t *columns, sl_output_rows to);
void sl_reduceh_sums_avx2(const sl_axis *s, int x, const int16_t *columns, int bands, int sums[4][sl_block_rows]);
void sl_reduceh_yuv_avx2(const sl_axis *const s[3], const int16_t *const columns[3], sl_output_rows to);
#endif

// sl_reduceh computes rows of 3 bands from columns.
void sl_reduceh(const sl_axis *s, const int16_t *columns, sl_output_rows to, int instructions);
// sl_reduceh_premultiplied computes rows of 4 bands and unpremultiplies them.
void sl_reduceh_premultiplied(const sl_axis *s, const int16_t *columns, sl_output_rows to, int instructions);
// sl_reduceh_linear computes rows of 3 or 4 bands from columns in linear light.
void sl_reduceh_linear(const sl_axis *s, const int16_t *columns, int bands, sl_output_rows to, int instructions);
// sl_reduceh_sums computes each band of pixel x for all rows of a block, from 0 to sl_white.
void sl_reduceh_sums(
	const sl_axis *s, int x, const int16_t *columns, int bands, int sums[4][sl_block_rows], int instructions);
// sl_reduceh_yuv computes RGB from Y, U and V in limited range, as libwebp does.
void sl_reduceh_yuv(const sl_axis *const s[3], const int16_t *const columns[3], sl_output_rows to, int instructions);

#endif
