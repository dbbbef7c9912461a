// JPEG results by libjpeg, from memory into memory.
#ifndef SL_ENCODE_JPEG_H
#define SL_ENCODE_JPEG_H

#include <stddef.h>
#include <stdint.h>

// sl_jpeg_encode compresses gray (bands 1) or RGB (bands 3) pixels into a baseline file with optimized Huffman tables
// and without metadata, byte for byte what libvips' jpegsave writes with optimize_coding. The caller frees the result.
// NULL means that memory ran out, or that *stop became nonzero, which is looked at before each row of MCUs.
uint8_t *sl_jpeg_encode(
	const uint8_t *pixels, int width, int height, int bands, int quality, size_t *size, const int32_t *stop);

#endif
