// Decoding the image data of a PNG: inflating with libdeflate, and undoing the filters. Go code reads the chunks.
#ifndef SL_DECODE_PNG_H
#define SL_DECODE_PNG_H

#include <stddef.h>
#include <stdint.h>

#include "result.h"

// The filters of rows (W3C PNG, 9.2), by their filter bytes.
enum { sl_filter_none, sl_filter_sub, sl_filter_up, sl_filter_average, sl_filter_paeth, sl_filter_count };

// sl_png_inflate inflates a zlib stream. It returns sl_ok if in is exactly one stream, of exactly out_size bytes,
// else sl_damaged or sl_no_memory.
int sl_png_inflate(const void *in, size_t in_size, void *out, size_t out_size);

// sl_png_unfilter converts height rows, each with a filter byte and row bytes, to rows without filter bytes in place.
// pixel is the number of bytes per pixel, 1 to 4. It returns sl_damaged for an unknown filter, or sl_no_memory. With
// plain, it does not use SSE2; the result is identical.
int sl_png_unfilter(uint8_t *data, size_t row, size_t height, int pixel, int plain);

#endif
