// Encoding the image data of a PNG: filtering rows, and deflating with libdeflate. Go code writes the chunks.
#ifndef SL_ENCODE_PNG_H
#define SL_ENCODE_PNG_H

#include <stddef.h>
#include <stdint.h>

// sl_png_deflate filters height rows of row bytes and deflates them at the given level of libdeflate, 0 to 12. Each
// row gets the filter with the minimum sum of absolute differences, or no filter with plain. The result is a zlib
// stream, which the caller must free. It is NULL if memory runs out, or if *stop is nonzero before libdeflate starts.
uint8_t *sl_png_deflate(
	const uint8_t *pixels, size_t row, size_t height, int pixel, int plain, int level, size_t *size,
	const int32_t *stop);

#endif
