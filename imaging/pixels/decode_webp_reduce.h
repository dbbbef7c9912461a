// Decoding a lossy WebP with libwebp to its YUV planes, and reducing these.
#ifndef SL_DECODE_WEBP_REDUCE_H
#define SL_DECODE_WEBP_REDUCE_H

#include <stddef.h>
#include <stdint.h>

// sl_webp_reduce decodes a lossy still without alpha, of width x height pixels, and scales it to to_width x to_height
// RGB pixels, at most half of each side. At these sizes, libwebp's deblocking filter can be bypassed. It returns
// sl_unsupported for any other file and soon after *stop becomes nonzero, sl_damaged, or sl_no_memory. instructions is
// as in sl_reduce.
int sl_webp_reduce(
	const uint8_t *file, size_t size, int width, int height, uint8_t *rgb, int to_width, int to_height,
	const int32_t *stop, int instructions);

#endif
