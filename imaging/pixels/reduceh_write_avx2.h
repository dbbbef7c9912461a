// Writing pixels of all rows of a block in AVX2.
#ifndef SL_REDUCEH_WRITE_AVX2_H
#define SL_REDUCEH_WRITE_AVX2_H

#include <immintrin.h>
#include <string.h>

#include "reduce_block.h"
#include "vectors.h"

#define SL_INLINE SL_AVX2 __attribute__((always_inline)) static inline

enum { sl_write_pixels = 4 }; // pixels of each row that are written at once

// sl_pixel clamps four bands of eight rows to bytes, with the bytes of a row next to each other.
SL_INLINE __m256i sl_pixel(__m256i r, __m256i g, __m256i b, __m256i a)
{
	const __m256i order = _mm256_broadcastsi128_si256(_mm_set_epi64x(0x0F0B07030E0A0602, 0x0D0905010C080400));
	return _mm256_shuffle_epi8(_mm256_packus_epi16(_mm256_packs_epi32(r, g), _mm256_packs_epi32(b, a)), order);
}

// Sums of 3 bands are shifted right by sl_bits_3, and start at half of that for rounding.
enum { sl_bits_3 = sl_weight_bits + sl_fraction_bits, sl_half_3 = 1 << (sl_bits_3 - 1) };

// sl_pixel_rgb is sl_pixel for three sums that are shifted right by bits.
SL_INLINE __m256i sl_pixel_rgb(const __m256i *sums, int bits)
{
	__m256i r = _mm256_srai_epi32(sums[0], bits), g = _mm256_srai_epi32(sums[1], bits);
	return sl_pixel(r, g, _mm256_srai_epi32(sums[2], bits), _mm256_setzero_si256());
}

// sl_pixel_at returns x + i, or the last pixel of a row.
SL_INLINE int sl_pixel_at(int x, int i, int width) { return x + i < width ? x + i : width - 1; }

// sl_write writes the pixels from x on that are within the rows. If there is room, it stores whole vectors, whose last
// bytes the next call overwrites.
SL_INLINE void sl_write(const __m256i *pixels, int x, int bands, sl_output_rows to)
{
	int n = to.width - x < sl_write_pixels ? to.width - x : sl_write_pixels;
	__m256i a = _mm256_unpacklo_epi32(pixels[0], pixels[1]), b = _mm256_unpackhi_epi32(pixels[0], pixels[1]);
	__m256i c = _mm256_unpacklo_epi32(pixels[2], pixels[3]), d = _mm256_unpackhi_epi32(pixels[2], pixels[3]);
	__m256i v[4] = {
		_mm256_unpacklo_epi64(a, c), _mm256_unpackhi_epi64(a, c),
		_mm256_unpacklo_epi64(b, d), _mm256_unpackhi_epi64(b, d)
	};
	const __m128i rgb = _mm_set_epi8(-1, -1, -1, -1, 14, 13, 12, 10, 9, 8, 6, 5, 4, 2, 1, 0);
	const __m256i three = _mm256_broadcastsi128_si256(rgb);
	SL_UNROLL
	for (int r = 0; r < sl_block_rows / 2; r++)
		v[r] = bands == 3 ? _mm256_shuffle_epi8(v[r], three) : v[r];
	uint8_t *out = to.out + (size_t) x * bands;
	size_t line = (size_t) to.width * bands;
	int roomy = x + sizeof(__m128i) / bands < (size_t) to.width;
	if (roomy && to.rows == sl_block_rows) {
		SL_UNROLL
		for (int r = 0; r < sl_block_rows / 2; r++) {
			_mm_storeu_si128((__m128i *) (out + r * line), _mm256_castsi256_si128(v[r]));
			_mm_storeu_si128((__m128i *) (out + (r + sl_block_rows / 2) * line), _mm256_extracti128_si256(v[r], 1));
		}
		return;
	}
	for (int r = 0; r < to.rows; r++, out += line) {
		const __m128i *from = (const __m128i *) &v[r % (sl_block_rows / 2)] + r / (sl_block_rows / 2);
		memcpy(out, from, roomy ? sizeof(__m128i) : (size_t) n * bands);
	}
}

#endif
