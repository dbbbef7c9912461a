// Decoding a JPEG and reducing it in one pass, so that the whole decoded image is never in memory.
#ifndef SL_DECODE_JPEG_REDUCE_H
#define SL_DECODE_JPEG_REDUCE_H

#include "decode_jpeg_scanlines.h"
#include "reduce.h"

// sl_jpeg_reduction holds the parameters: region of the decoded rows is reduced to to_width x to_height. instructions
// is as in sl_reduce.
typedef struct {
	sl_jpeg_scaling rows; // of 3 bands
	sl_region region;
	int to_width, to_height, instructions;
} sl_jpeg_reduction;

// sl_jpeg_reduce writes to_width x to_height RGB pixels, the same bytes as sl_jpeg_decode followed by sl_reduce. It
// returns the results of sl_jpeg_decode, and sl_no_memory if sl_reduce would fail. *by_libjpeg is as in
// sl_jpeg_decode.
int sl_jpeg_reduce(const sl_jpeg_reduction *as, uint8_t *out, int *by_libjpeg);

#endif
