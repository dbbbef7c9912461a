// Pixels of all rows of a block are written, by instructions that not every x86 has.
#ifndef SL_REDUCE_WRITE_AVX2_H
#define SL_REDUCE_WRITE_AVX2_H

#include <immintrin.h>
#include <string.h>

#include "reduce_block.h"
#include "vectors.h"

#define SL_INLINE SL_AVX2 __attribute__((always_inline)) static inline

enum { sl_some = 4 }; // pixels of a row that are written at once

// sl_pixel makes bytes of a band each, of 0 to 255 or clamped to it: those of a row next to each other.
SL_INLINE __m256i sl_pixel(__m256i r, __m256i g, __m256i b, __m256i a)
{
	const __m256i order = _mm256_broadcastsi128_si256(_mm_set_epi64x(0x0F0B07030E0A0602, 0x0D0905010C080400));
	return _mm256_shuffle_epi8(_mm256_packus_epi16(_mm256_packs_epi32(r, g), _mm256_packs_epi32(b, a)), order);
}

// sl_bits_3 are taken off the sums of a pixel of 3 bands, which begin at half of that.
enum { sl_bits_3 = sl_weight_bits + sl_fraction, sl_half_3 = 1 << (sl_bits_3 - 1) };

SL_INLINE __m256i sl_pixel_3(const __m256i *sums)
{
	return sl_pixel(_mm256_srai_epi32(sums[0], sl_bits_3), _mm256_srai_epi32(sums[1], sl_bits_3), _mm256_srai_epi32(sums[2], sl_bits_3), _mm256_setzero_si256());
}

// sl_some_at is the pixel after x by i, or the last one of a row.
SL_INLINE int sl_some_at(int x, int i, int width) { return x + i < width ? x + i : width - 1; }

// sl_write writes the pixels from x on, those that are within the rows.
SL_INLINE void sl_write(const __m256i *pixels, int x, int bands, sl_rows to)
{
	int n = to.width - x < sl_some ? to.width - x : sl_some;
	__m256i a = _mm256_unpacklo_epi32(pixels[0], pixels[1]), b = _mm256_unpackhi_epi32(pixels[0], pixels[1]);
	__m256i c = _mm256_unpacklo_epi32(pixels[2], pixels[3]), d = _mm256_unpackhi_epi32(pixels[2], pixels[3]);
	__m256i v[4] = { _mm256_unpacklo_epi64(a, c), _mm256_unpackhi_epi64(a, c), _mm256_unpacklo_epi64(b, d), _mm256_unpackhi_epi64(b, d) };
	const __m256i three = _mm256_broadcastsi128_si256(_mm_set_epi8(-1, -1, -1, -1, 14, 13, 12, 10, 9, 8, 6, 5, 4, 2, 1, 0));
	SL_UNROLL
	for (int r = 0; r < sl_block / 2; r++)
		v[r] = bands == 3 ? _mm256_shuffle_epi8(v[r], three) : v[r];
	uint8_t *out = to.out + (size_t) x * bands;
	size_t line = (size_t) to.width * bands;
	int roomy = x + sizeof(__m128i) / bands < (size_t) to.width; // what is written too much is written again
	if (roomy && to.rows == sl_block) {
		SL_UNROLL
		for (int r = 0; r < sl_block / 2; r++) {
			_mm_storeu_si128((__m128i *) (out + r * line), _mm256_castsi256_si128(v[r]));
			_mm_storeu_si128((__m128i *) (out + (r + sl_block / 2) * line), _mm256_extracti128_si256(v[r], 1));
		}
		return;
	}
	for (int r = 0; r < to.rows; r++, out += line)
		memcpy(out, (const __m128i *) &v[r % (sl_block / 2)] + r / (sl_block / 2), roomy ? sizeof(__m128i) : (size_t) n * bands);
}

#endif
