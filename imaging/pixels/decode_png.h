// Decoding the image data of a PNG: inflating by libdeflate, and undoing the filters. Go reads the chunks.
#ifndef SL_DECODE_PNG_H
#define SL_DECODE_PNG_H

#include <stddef.h>
#include <stdint.h>

// sl_png_inflate inflates a zlib stream. It returns 0 if in is exactly one stream, of exactly out_size bytes.
int sl_png_inflate(const void *in, size_t in_size, void *out, size_t out_size);

// sl_png_unfilter turns height rows, of a filter byte and row bytes each, into rows without filter bytes, in place.
// pixel is the bytes of a pixel, 1 to 4. It returns -1 for an unknown filter, and if memory runs out. plain: without
// SSE2, to the same bytes.
int sl_png_unfilter(uint8_t *data, size_t row, size_t height, int pixel, int plain);

#endif
