// Decoding a JPEG and reducing it in one pass, so that the decoded image is never in memory as a whole.
#ifndef SL_DECODE_JPEG_REDUCE_H
#define SL_DECODE_JPEG_REDUCE_H

#include "decode_jpeg_scanlines.h"
#include "reduce.h"

// sl_jpeg_reduction says how: of the rows, region is reduced to to_width x to_height. instructions is that of sl_reduce.
typedef struct {
	sl_jpeg_scaling rows; // of 3 bands
	sl_region region;
	int to_width, to_height, instructions;
} sl_jpeg_reduction;

// sl_jpeg_reduce writes to_width x to_height RGB pixels, the bytes that sl_jpeg_decode and sl_reduce would make. It
// returns what sl_jpeg_decode does, and sl_no_memory where sl_reduce would fail. *by_libjpeg is as there.
int sl_jpeg_reduce(const sl_jpeg_reduction *as, uint8_t *out, int *by_libjpeg);

#endif
