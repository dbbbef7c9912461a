// Rows of a picture that is scaled down.
#ifndef SL_REDUCE_ROWS_H
#define SL_REDUCE_ROWS_H

#include <stdint.h>

#include "reduce_side.h"

enum { sl_fraction = 6 }; // bits between the passes: what Lanczos adds to 255 has room in 16
enum { sl_pad = 64 };	  // samples that may be read after a row: the last taps, and a vector

// Which instructions are used. All make the same bytes.
enum { sl_plain, sl_sse2, sl_avx2 };

// sl_instructions returns the best that the machine has, and at most that.
int sl_instructions(int most);
// sl_down makes n samples of a row between the passes, of taps rows.
void sl_down(const uint8_t *const *rows, const int16_t *weights, int taps, int16_t *out, int n, int instructions);
// sl_down_wide does so for samples with sl_fraction bits more.
void sl_down_wide(const int16_t *const *rows, const int16_t *weights, int taps, int16_t *out, int n, int instructions);
// sl_across makes a row of the result, of 3 bands, of one between the passes.
void sl_across(const sl_side *s, const int16_t *row, uint8_t *out, int instructions);
// sl_across_alpha does so for 3 bands that are weighed by the fourth, and undoes that.
void sl_across_alpha(const sl_side *s, const int16_t *row, uint8_t *out, int instructions);
// sl_across_plane does so for one band, and keeps sl_fraction bits more.
void sl_across_plane(const sl_side *s, const int16_t *row, int16_t *out, int instructions);
// sl_alpha_on weighs the colors of a row by their alpha, with sl_fraction bits more.
void sl_alpha_on(const uint8_t *p, int16_t *q, int width, int instructions);
// sl_rgb converts a row of BT.601 with 16 to 235, with sl_fraction bits more, as libwebp does.
void sl_rgb(const int16_t *luma, const int16_t *u, const int16_t *v, uint8_t *rgb, int width);

#endif
