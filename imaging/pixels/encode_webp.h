// Encoding WebP stills with libwebp, from memory to memory.
#ifndef SL_ENCODE_WEBP_H
#define SL_ENCODE_WEBP_H

#include <stddef.h>
#include <stdint.h>

// sl_webp_encoder holds the parameters: quality 0 to 100, effort 0 to 6 (libwebp's method). With threads, libwebp may
// use a second thread; the result is identical.
typedef struct {
	int quality, effort, lossless, threads;
} sl_webp_encoder;

// sl_webp_encode compresses RGB (bands 3) or RGBA (bands 4) pixels to a file without metadata, identical to what
// libvips' webpsave writes. The caller must free it with WebPFree. It returns NULL if memory runs out, for sides over
// 16383, and soon after *stop becomes nonzero.
uint8_t *sl_webp_encode(
	const uint8_t *in, int width, int height, int bands, const sl_webp_encoder *as, size_t *size, const int32_t *stop);

#endif
