// Lossy WebP stills by libwebp, scaled down as the planes that are in the file.
#ifndef SL_WEBP_H
#define SL_WEBP_H

#include <stddef.h>
#include <stdint.h>

// sl_webp_reduce decodes a lossy still without alpha, which has width x height pixels, and scales it to to_width x to_height RGB pixels, half of it at
// most: the filter that hides the borders of blocks is left out. It returns -1 for any other file, if there is not enough memory, and soon after
// *stop is not 0. instructions are those of reduce_block.h that may be used.
int sl_webp_reduce(const uint8_t *file, size_t size, int width, int height, uint8_t *rgb, int to_width, int to_height, const int32_t *stop, int instructions);

#endif
