// Scaling down, in one pass over rows that come one after the other.
#ifndef SL_REDUCE_H
#define SL_REDUCE_H

#include <stdint.h>

// sl_reduce scales width x height pixels of 3 bands, or of 4 with alpha, down to to_width x to_height, as vips_resize does: boxes of
// whole pixels to twice the size and more, then Lanczos. Transparent pixels lend their neighbors no color. It returns -1 if there is not enough
// memory, and once *stop is not 0. instructions are those of reduce_rows.h that may be used.
int sl_reduce(const uint8_t *in, int width, int height, int bands, uint8_t *out, int to_width, int to_height, const int32_t *stop, int instructions);
// sl_reduce_planes scales Y, U and V, of which the last two have half of the sides, rounded up, each by itself, and makes RGB of them.
int sl_reduce_planes(const uint8_t *const planes[3], int width, int height, uint8_t *rgb, int to_width, int to_height, const int32_t *stop, int instructions);

#endif
