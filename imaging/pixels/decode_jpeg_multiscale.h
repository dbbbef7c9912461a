// Decoding a JPEG at several scales in one pass over its entropy-coded data. libjpeg runs once for each scale, but the
// Huffman codes, half of the work or more, are decoded once for all of them.
#ifndef SL_DECODE_JPEG_MULTISCALE_H
#define SL_DECODE_JPEG_MULTISCALE_H

#include <stddef.h>
#include <stdint.h>

enum { sl_max_scales = 8 };

// sl_jpeg_scale is one of the scales: 1/shrink, of which out gets width x height pixels from the top left corner, row
// by row without padding.
typedef struct {
	int shrink; // 1, 2, 4 or 8
	int width, height;
	uint8_t *out;
} sl_jpeg_scale;

// sl_jpeg_decode_scales decodes a baseline JPEG of that many bands, gray (1) or YCbCr (3). The scales are in rising
// order of shrink, because the Huffman decoder of the first may skip coefficients that its IDCT does not use. It
// returns what sl_jpeg_decode does, but ends once libjpeg has warned of corrupt data.
int sl_jpeg_decode_scales(
	const uint8_t *file, size_t size, int bands, const sl_jpeg_scale *scales, int n, const int32_t *stop);

#endif
