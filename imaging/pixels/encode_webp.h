// WebP stills by libwebp, from memory into memory.
#ifndef SL_ENCODE_WEBP_H
#define SL_ENCODE_WEBP_H

#include <stddef.h>
#include <stdint.h>

// sl_webp_encoder is how a picture is encoded: quality 0 to 100, effort 0 to 6 (libwebp's method). With threads,
// libwebp may use a second one; the bytes are the same.
typedef struct {
	int quality, effort, lossless, threads;
} sl_webp_encoder;

// sl_webp_encode compresses RGB (bands 3) or RGBA (bands 4) pixels to a file without metadata, byte for byte what
// libvips' webpsave writes. The caller frees it by WebPFree. NULL if memory runs out, for sides over 16383, and soon
// after *stop became nonzero.
uint8_t *sl_webp_encode(
	const uint8_t *in, int width, int height, int bands, const sl_webp_encoder *as, size_t *size, const int32_t *stop);

#endif
