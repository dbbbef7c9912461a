// Decoding a JPEG and reducing it in one pass, so that the decoded image is never in memory as a whole.
#ifndef SL_DECODE_JPEG_REDUCE_H
#define SL_DECODE_JPEG_REDUCE_H

#include <stddef.h>
#include <stdint.h>

#include "reduce.h"

// sl_jpeg_reduction says how: libjpeg decodes at 1/shrink to width x height pixels, of which region is reduced to
// to_width x to_height. instructions is that of sl_reduce.
typedef struct {
	int shrink, width, height;
	sl_region region;
	int to_width, to_height, instructions;
} sl_jpeg_reduction;

// sl_jpeg_reduce writes to_width x to_height RGB pixels, the bytes that sl_jpeg_decode and sl_reduce would make. It
// returns what sl_jpeg_decode does, and -1 where sl_reduce would fail. *libjpeg is as there.
int sl_jpeg_reduce(
	const uint8_t *file, size_t size, const sl_jpeg_reduction *as, uint8_t *out, int *libjpeg, const int32_t *stop);

#endif
