// Eight rows of a picture that is scaled down, made at once. Sums are of integers: all instructions make the same bytes.
#ifndef SL_REDUCE_BLOCK_H
#define SL_REDUCE_BLOCK_H

#include <stddef.h>
#include <stdint.h>

#include "reduce_side.h"

#if defined(__x86_64__) && defined(__GNUC__)
#define SL_X86
#define SL_AVX2 __attribute__((target("avx2")))
#endif

enum { sl_block = 8 };	  // rows of the result that are made at once
enum { sl_step = 48 };	  // samples by which a row is worked on: whole vectors, and whole pairs of pixels of 1, 3 and 4 bands
enum { sl_fraction = 6 }; // bits between the passes: what Lanczos adds to 255 has room in 16

// Which instructions are used.
enum { sl_plain, sl_avx2 };

// sl_instructions returns the best that the machine has, and at most that.
int sl_instructions(int most);

// sl_pairs puts n samples of two rows next to each other, which is how the instruction that multiplies and adds wants them.
void sl_pairs(const uint8_t *a, const uint8_t *b, int16_t *out, int n, int instructions);
// sl_pairs_alpha does so for rows with alpha, of n samples, weighs the colors by it and adds sl_fraction bits.
void sl_pairs_alpha(const uint8_t *a, const uint8_t *b, int16_t *out, int n, int instructions);
// sl_down makes n samples of a row between the passes, a multiple of sl_step, of taps / 2 pairs of rows, the next of which is that many samples away. It takes
// that many bits off the sums.
void sl_down(const int16_t *pairs, size_t stride, const int16_t *weights, int taps, int bits, int16_t *out, int n, int instructions);
// sl_turn makes columns of n samples of sl_block rows: for two pixels and each of their bands 16 values, the two of the first row, those of the second and so
// on. It may write 16 values more. rows are stride samples long.
void sl_turn(const int16_t *rows, size_t stride, int n, int bands, int16_t *columns, int instructions);

// sl_rows are rows of the result, with nothing between them.
typedef struct {
	uint8_t *out;
	int rows, width; // no more than sl_block rows
} sl_rows;

// What RGB of Y, U and V is made of; samples have sl_fraction bits more.
enum { sl_rgb_bits = 14 + sl_fraction, sl_middle = 128 << sl_fraction, sl_black = 16 << sl_fraction };
enum { sl_rgb_luma = 19077, sl_red_v = 26149, sl_green_u = 6419, sl_green_v = 13320, sl_blue_u = 33050 };

// sl_across makes rows of 3 bands of columns.
void sl_across(const sl_side *s, const int16_t *columns, sl_rows to, int instructions);
// sl_across_alpha makes rows of 4 bands, the first three of which are weighed by the fourth, and undoes that.
void sl_across_alpha(const sl_side *s, const int16_t *columns, sl_rows to, int instructions);
// sl_across_planes makes RGB of Y, U and V of BT.601 with 16 to 235, as libwebp does.
void sl_across_planes(const sl_side *const s[3], const int16_t *const columns[3], sl_rows to, int instructions);

#endif
