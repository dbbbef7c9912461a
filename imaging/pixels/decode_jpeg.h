// Decoding a JPEG into memory at one scale of libjpeg's, or at several in one pass over its entropy-coded data.
// libjpeg runs once for each scale, but the Huffman codes, which are at least half of the work, are decoded only once.
#ifndef SL_DECODE_JPEG_H
#define SL_DECODE_JPEG_H

#include <stddef.h>
#include <stdint.h>

#include "result.h"

enum { sl_max_scales = 8 };

// sl_jpeg_scale is one of the scales, as in sl_jpeg_scaling. Its rows are written to out without padding.
typedef struct {
	int shrink, width, height;
	uint8_t *out;
} sl_jpeg_scale;

// sl_jpeg_decode decodes a JPEG with the given number of bands, as in sl_jpeg_scaling. Several scales require a file
// with a single scan, and must be in ascending order of shrink, because the Huffman decoder of the first scale may skip
// coefficients that its IDCT does not use. It returns sl_ok; sl_damaged if libjpeg warned and filled in parts of the
// pixels, which ends decoding at several scales; sl_no_memory; or sl_unsupported for other kinds of files, for other
// sizes, and soon after *stop becomes nonzero. *by_libjpeg selects the Huffman decoder: ours (0) or libjpeg's (1). If
// ours meets data that are not exactly as T.81 says, *by_libjpeg becomes 1 and the file is decoded again from its
// start, once.
int sl_jpeg_decode(
	const uint8_t *file, size_t size, int bands, const sl_jpeg_scale *scales, int n, int *by_libjpeg,
	const int32_t *stop);

#endif
