#include <libdeflate.h>
#include <stdlib.h>
#include <string.h>

#include "decode_png.h"
#include "encode_png.h"
#include "vectors.h"

// sl_filter_with writes a filtered row to q and returns the sum of its absolute values as signed bytes. p and above
// must be preceded by a pixel of zeros. filter is a compile-time constant.
SL_VECTORS static inline __attribute__((always_inline)) unsigned long sl_filter_with(
	const uint8_t *restrict p, const uint8_t *restrict above, uint8_t *restrict q, size_t row, size_t pixel, int filter)
{
	unsigned long sum = 0;
	const uint8_t *left = p - pixel, *corner = above - pixel;
	for (size_t start = 0; start < row; start += 4096) {
		size_t end = start + 4096 < row ? start + 4096 : row;
		unsigned int part = 0;
		for (size_t n = start; n < end; n++) {
			int a = left[n], b = above[n], c = corner[n];
			int pa = abs(b - c), pb = abs(a - c), pc = abs(a + b - 2 * c);
			int nearest = pb <= pc ? b : c;
			nearest = pa <= pb && pa <= pc ? a : nearest;
			int predicted = filter == sl_filter_sub ? a : filter == sl_filter_up ? b : 0;
			predicted = filter == sl_filter_average ? (a + b) >> 1 : filter == sl_filter_paeth ? nearest : predicted;
			uint8_t v = p[n] - predicted;
			q[n] = v;
			part += v < 128 ? v : 256 - v;
		}
		sum += part;
	}
	return sum;
}

SL_VECTORS static unsigned long sl_filter_by(
	const uint8_t *p, const uint8_t *above, uint8_t *q, size_t row, size_t pixel, int filter)
{
	switch (filter) {
	case sl_filter_sub:
		return sl_filter_with(p, above, q, row, pixel, sl_filter_sub);
	case sl_filter_up:
		return sl_filter_with(p, above, q, row, pixel, sl_filter_up);
	case sl_filter_average:
		return sl_filter_with(p, above, q, row, pixel, sl_filter_average);
	case sl_filter_paeth:
		return sl_filter_with(p, above, q, row, pixel, sl_filter_paeth);
	}
	return sl_filter_with(p, above, q, row, pixel, sl_filter_none);
}

static void sl_filter_row(const uint8_t *p, const uint8_t *above, uint8_t *tried, uint8_t *out, size_t row, int pixel)
{
	unsigned long best = sl_filter_by(p, above, out + 1, row, pixel, sl_filter_none);
	*out = sl_filter_none;
	for (int filter = sl_filter_sub; filter < sl_filter_count; filter++) {
		unsigned long sum = sl_filter_by(p, above, tried, row, pixel, filter);
		if (sum >= best)
			continue;
		best = sum;
		*out = filter;
		memcpy(out + 1, tried, row);
	}
}

// sl_filter_rows writes height rows with their filter bytes. It returns -1 if memory runs out or *stop becomes
// nonzero.
static int sl_filter_rows(
	const uint8_t *pixels, size_t row, size_t height, int pixel, int plain, uint8_t *out, const int32_t *stop)
{
	enum { room = 4 }; // for the pixel before the first
	uint8_t *rows = calloc(3, row + room);
	if (!rows)
		return -1;
	uint8_t *above = rows + room, *p = above + row + room, *tried = p + row + room;
	for (size_t y = 0; y < height; y++, out += row + 1) {
		if (__atomic_load_n(stop, __ATOMIC_RELAXED)) {
			free(rows);
			return -1;
		}
		memcpy(p, pixels + y * row, row);
		if (plain) {
			*out = sl_filter_none;
			memcpy(out + 1, p, row);
		} else
			sl_filter_row(p, above, tried, out, row, pixel);
		uint8_t *next = above;
		above = p;
		p = next;
	}
	free(rows);
	return 0;
}

uint8_t *sl_png_deflate(
	const uint8_t *pixels, size_t row, size_t height, int pixel, int plain, int level, size_t *size,
	const int32_t *stop)
{
	size_t in_size = (row + 1) * height;
	struct libdeflate_compressor *c = libdeflate_alloc_compressor(level);
	uint8_t *in = malloc(in_size), *out = NULL;
	if (c && in && !sl_filter_rows(pixels, row, height, pixel, plain, in, stop)) {
		size_t bound = libdeflate_zlib_compress_bound(c, in_size);
		out = malloc(bound);
		*size = out ? libdeflate_zlib_compress(c, in, in_size, out, bound) : 0;
		if (!*size) {
			free(out);
			out = NULL;
		}
	}
	free(in);
	libdeflate_free_compressor(c);
	return out;
}
