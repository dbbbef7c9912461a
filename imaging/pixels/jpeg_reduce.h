// JPEGs that are scaled down while they are decoded.
#ifndef SL_JPEG_REDUCE_H
#define SL_JPEG_REDUCE_H

#include <stddef.h>
#include <stdint.h>

#include "reduce.h"

// sl_jpeg_scaling is how: decoded at 1/shrink to width x height pixels, and part of these scaled to to_width x to_height.
// instructions are those of reduce_block.h that may be used.
typedef struct {
	int shrink, width, height;
	sl_part part;
	int to_width, to_height, instructions;
} sl_jpeg_scaling;

// sl_jpeg_reduce scales a JPEG while it is decoded, to what sl_jpeg_decode and sl_reduce would make of it. It returns what sl_jpeg_decode
// does, and -1 where sl_reduce would fail. libjpeg is that of sl_jpeg_decode.
int sl_jpeg_reduce(const uint8_t *file, size_t size, const sl_jpeg_scaling *as, uint8_t *out, int *libjpeg, const int32_t *stop);

#endif
