// WebP stills by libwebp, from memory into memory.
#ifndef SL_ENCODE_WEBP_H
#define SL_ENCODE_WEBP_H

#include <stddef.h>
#include <stdint.h>

// sl_webp_encoder is how a picture is encoded: quality 0 to 100, effort 0 to 6. With threads, libwebp may use a second one; the bytes are the same.
typedef struct {
	int quality, effort, lossless, threads;
} sl_webp_encoder;

// sl_webp_encode returns a file of RGB pixels, or of RGBA, as libvips' saver writes it, without metadata, to be freed by WebPFree. NULL if there is not
// enough memory, for sides over 16383, and soon after *stop is not 0.
uint8_t *sl_webp_encode(const uint8_t *in, int width, int height, int bands, const sl_webp_encoder *as, size_t *size, const int32_t *stop);

#endif
