#include <libdeflate.h>
#include <stdlib.h>
#include <string.h>

#include "decode_png.h"
#include "vectors.h"

#ifdef __SSE2__
#include <emmintrin.h>
#endif

int sl_png_inflate(const void *in, size_t in_size, void *out, size_t out_size)
{
	struct libdeflate_decompressor *d = libdeflate_alloc_decompressor();
	if (!d)
		return sl_no_memory;
	size_t read = 0;
	// With NULL for the actual size, any other size is an error.
	enum libdeflate_result result = libdeflate_zlib_decompress_ex(d, in, in_size, out, out_size, &read, NULL);
	libdeflate_free_decompressor(d);
	return result == LIBDEFLATE_SUCCESS && read == in_size ? sl_ok : sl_damaged;
}

static inline uint8_t sl_paeth_predictor(int a, int b, int c)
{
	int pa = abs(b - c), pb = abs(a - c), pc = abs(a + b - 2 * c);
	return pa <= pb && pa <= pc ? a : pb <= pc ? b : c;
}

SL_VECTORS static void sl_undo_up(uint8_t *restrict q, const uint8_t *restrict above, size_t row)
{
	for (size_t n = 0; n < row; n++)
		q[n] += above[n];
}

static void sl_undo_bytes(uint8_t *q, const uint8_t *above, size_t row, size_t pixel, int filter)
{
	for (size_t n = 0; n < row; n++) {
		int a = n < pixel ? 0 : q[n - pixel], b = above[n], c = n < pixel ? 0 : above[n - pixel];
		q[n] += filter == sl_filter_sub ? a : filter == sl_filter_average ? (a + b) / 2 : sl_paeth_predictor(a, b, c);
	}
}

#ifdef __SSE2__
static inline __m128i sl_pixel(const uint8_t *p, size_t pixel)
{
	int v = 0;
	memcpy(&v, p, pixel);
	return _mm_cvtsi32_si128(v);
}

static inline void sl_put_pixel(uint8_t *q, __m128i v, size_t pixel)
{
	int n = _mm_cvtsi128_si32(v);
	memcpy(q, &n, pixel);
}

static inline __m128i sl_absolute(__m128i v) { return _mm_max_epi16(v, _mm_sub_epi16(_mm_setzero_si128(), v)); }

static inline __m128i sl_select(__m128i mask, __m128i yes, __m128i no)
{
	return _mm_or_si128(_mm_and_si128(mask, yes), _mm_andnot_si128(mask, no));
}

static inline __attribute__((always_inline)) void sl_undo_paeth(
	uint8_t *q, const uint8_t *above, size_t row, size_t pixel)
{
	const __m128i zero = _mm_setzero_si128();
	__m128i a = zero, c = zero;
	for (size_t n = 0; n < row; n += pixel) {
		__m128i b = _mm_unpacklo_epi8(sl_pixel(above + n, pixel), zero);
		__m128i pa = _mm_sub_epi16(b, c), pb = _mm_sub_epi16(a, c), pc = sl_absolute(_mm_add_epi16(pa, pb));
		pa = sl_absolute(pa);
		pb = sl_absolute(pb);
		__m128i least = _mm_min_epi16(pc, _mm_min_epi16(pa, pb));
		__m128i nearest = sl_select(_mm_cmpeq_epi16(least, pa), a, sl_select(_mm_cmpeq_epi16(least, pb), b, c));
		// The bytes wrap around, because the upper bytes of both are 0.
		a = _mm_add_epi8(_mm_unpacklo_epi8(sl_pixel(q + n, pixel), zero), nearest);
		sl_put_pixel(q + n, _mm_packus_epi16(a, a), pixel);
		c = b;
	}
}

static inline __attribute__((always_inline)) void sl_undo_average(
	uint8_t *q, const uint8_t *above, size_t row, size_t pixel)
{
	const __m128i one = _mm_set1_epi8(1);
	__m128i a = _mm_setzero_si128();
	for (size_t n = 0; n < row; n += pixel) {
		__m128i b = sl_pixel(above + n, pixel);
		// pavgb rounds up
		__m128i half = _mm_sub_epi8(_mm_avg_epu8(a, b), _mm_and_si128(_mm_xor_si128(a, b), one));
		a = _mm_add_epi8(sl_pixel(q + n, pixel), half);
		sl_put_pixel(q + n, a, pixel);
	}
}

static inline __attribute__((always_inline)) void sl_undo_sub(uint8_t *q, size_t row, size_t pixel)
{
	__m128i a = _mm_setzero_si128();
	for (size_t n = 0; n < row; n += pixel) {
		a = _mm_add_epi8(a, sl_pixel(q + n, pixel));
		sl_put_pixel(q + n, a, pixel);
	}
}

// sl_undo_pixels is sl_undo_bytes for pixels of 3 or 4 bytes. pixel is a compile-time constant.
static inline __attribute__((always_inline)) void sl_undo_pixels(
	uint8_t *q, const uint8_t *above, size_t row, size_t pixel, int filter)
{
	if (filter == sl_filter_sub)
		sl_undo_sub(q, row, pixel);
	else if (filter == sl_filter_average)
		sl_undo_average(q, above, row, pixel);
	else
		sl_undo_paeth(q, above, row, pixel);
}
#endif

static void sl_undo(uint8_t *q, const uint8_t *above, size_t row, size_t pixel, int filter, int plain)
{
	if (filter == sl_filter_up)
		sl_undo_up(q, above, row);
#ifdef __SSE2__
	else if (pixel == 4 && !plain)
		sl_undo_pixels(q, above, row, 4, filter);
	else if (pixel == 3 && !plain)
		sl_undo_pixels(q, above, row, 3, filter);
#endif
	else
		sl_undo_bytes(q, above, row, pixel, filter);
}

int sl_png_unfilter(uint8_t *data, size_t row, size_t height, int pixel, int plain)
{
	uint8_t *zeros = calloc(1, row);
	const uint8_t *above = zeros;
	int err = zeros ? sl_ok : sl_no_memory;
	for (size_t y = 0; y < height && !err; y++) {
		uint8_t *q = data + y * row;
		int filter = data[y * (row + 1)];
		err = filter < sl_filter_count ? sl_ok : sl_damaged;
		memmove(q, data + y * (row + 1) + 1, row);
		if (!err && filter != sl_filter_none)
			sl_undo(q, above, row, pixel, filter, plain);
		above = q;
	}
	free(zeros);
	return err;
}
