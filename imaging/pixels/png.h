// The pixels of a PNG: zlib's format by libdeflate, and the filters of rows. Structure and checks are Go's (png_parse.go).
#ifndef SL_PNG_H
#define SL_PNG_H

#include <stddef.h>
#include <stdint.h>

// sl_png_inflate fills out with what in inflates to. It returns 0 if that is exactly out_size bytes, and all of in.
int sl_png_inflate(const void *in, size_t in_size, void *out, size_t out_size);
// sl_png_unfilter turns height rows of a filter byte and row bytes into rows without, in place. A pixel has 1 to 4 bytes. -1 for an
// unknown filter. plain: without instructions of x86, as other machines do it, to the same bytes.
int sl_png_unfilter(uint8_t *data, size_t row, size_t height, int pixel, int plain);
// sl_png_deflate returns height rows, filtered, as the data of IDAT at that level of libdeflate, 0 to 12, to be freed; NULL if there is not
// enough memory, and once *stop is not 0, which is looked at before it is deflated. Every row has the filter whose result has the smallest sum of absolute values; plain: none.
uint8_t *sl_png_deflate(const uint8_t *pixels, size_t row, size_t height, int pixel, int plain, int level, size_t *size, const int32_t *stop);

#endif
