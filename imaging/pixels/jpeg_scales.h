// A JPEG at several scales from one pass over its bytes: libjpeg decodes it once for each scale, but the Huffman codes, half of the work or more, are decoded
// once for all.
#ifndef SL_JPEG_SCALES_H
#define SL_JPEG_SCALES_H

#include <stddef.h>
#include <stdint.h>

enum { sl_scales_most = 8 };

// sl_scale is what is wanted of a file: each shrink x shrink pixels made one by the decoder, and of those width x height from the
// top left corner.
typedef struct {
	int shrink; // 1, 2, 4 or 8; none is less than the first
	int width, height;
	uint8_t *out; // row by row without gaps
} sl_scale;

// sl_jpeg_scales decodes a baseline JPEG of that many bands, gray or YCbCr, into out of each scale. It returns 1 once
// libjpeg warns of the data, and -1 for every other file, and soon after *stop is not 0.
int sl_jpeg_scales(const uint8_t *file, size_t size, int bands, const sl_scale *scales, int n, const int32_t *stop);

#endif
