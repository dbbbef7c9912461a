// Encoding JPEGs with libjpeg, from memory to memory.
#ifndef SL_ENCODE_JPEG_H
#define SL_ENCODE_JPEG_H

#include <stddef.h>
#include <stdint.h>

// sl_jpeg_encode compresses gray (bands 1) or RGB (bands 3) pixels into a baseline file with optimized Huffman tables
// and without metadata, identical to what libvips' jpegsave writes with optimize_coding. The caller must free the
// result. It returns NULL if memory runs out or *stop becomes nonzero, which is checked before each row of MCUs.
uint8_t *sl_jpeg_encode(
	const uint8_t *pixels, int width, int height, int bands, int quality, size_t *size, const int32_t *stop);

#endif
