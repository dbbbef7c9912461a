// Decoding WebP stills to RGB with libwebp directly. libvips' loader decodes to a canvas with four bands, draws the
// frame over it and copies rows, which takes twice as long.
#ifndef SL_DECODE_WEBP_H
#define SL_DECODE_WEBP_H

#include <stddef.h>
#include <stdint.h>
#include <webp/decode.h>

#include "result.h"

// sl_webp_open reads the header of a still of width x height pixels, with alpha for 4 bands and without for 3. It
// returns sl_unsupported for any other file.
int sl_webp_open(WebPDecoderConfig *config, const uint8_t *file, size_t size, int width, int height, int bands);

// sl_webp_run decodes as config says. It returns sl_ok, sl_damaged, sl_no_memory, or, soon after *stop is not 0,
// sl_unsupported.
int sl_webp_run(WebPDecoderConfig *config, const uint8_t *file, size_t size, const int32_t *stop);

// sl_webp_decode decodes a still that sl_webp_open accepts into out, row by row without gaps. libwebp scales it to
// to_width x to_height.
int sl_webp_decode(
	const uint8_t *file, size_t size, int width, int height, int bands, uint8_t *out, int to_width, int to_height,
	const int32_t *stop);

#endif
