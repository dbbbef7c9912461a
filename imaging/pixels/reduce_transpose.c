#include "reduce_block.h"
#include "vectors.h"

#ifdef SL_X86
#include <immintrin.h>

// sl_transpose_avx2 turns 4 pairs of samples of 8 lines at a time: two pixels with 4 bands, two with 3 bands and a
// pair that the next iteration overwrites, or eight with one band.
SL_AVX2 static void sl_transpose_avx2(const int16_t *rows, size_t stride, int n, int bands, int16_t *columns)
{
	int each = bands == 3 ? 6 : 8;
	__m128i one = _mm_set_epi64x(0x0F0E0D0C0B0A0908, 0x0706050403020100);
	__m128i three = _mm_set_epi64x((int64_t) 0x808080800B0A0504, 0x0908030207060100);
	__m128i four = _mm_set_epi64x(0x0F0E07060D0C0504, 0x0B0A030209080100);
	__m256i order = _mm256_broadcastsi128_si256(bands == 1 ? one : bands == 3 ? three : four);
	for (int x = 0; x < n; x += each, columns += each * sl_block_rows) {
		__m256i v[4], w[4];
		SL_UNROLL
		for (int r = 0; r < 4; r++) {
			const int16_t *p = rows + r * stride + x;
			__m128i low = _mm_loadu_si128((const __m128i *) p);
			__m128i high = _mm_loadu_si128((const __m128i *) (p + 4 * stride));
			v[r] = _mm256_inserti128_si256(_mm256_castsi128_si256(low), high, 1);
			v[r] = _mm256_shuffle_epi8(v[r], order);
		}
		w[0] = _mm256_unpacklo_epi32(v[0], v[1]);
		w[1] = _mm256_unpackhi_epi32(v[0], v[1]);
		w[2] = _mm256_unpacklo_epi32(v[2], v[3]);
		w[3] = _mm256_unpackhi_epi32(v[2], v[3]);
		_mm256_storeu_si256((__m256i *) columns, _mm256_unpacklo_epi64(w[0], w[2]));
		_mm256_storeu_si256((__m256i *) columns + 1, _mm256_unpackhi_epi64(w[0], w[2]));
		_mm256_storeu_si256((__m256i *) columns + 2, _mm256_unpacklo_epi64(w[1], w[3]));
		_mm256_storeu_si256((__m256i *) columns + 3, _mm256_unpackhi_epi64(w[1], w[3]));
	}
}
#endif

void sl_transpose(const int16_t *rows, size_t stride, int n, int bands, int16_t *columns, int instructions)
{
#ifdef SL_X86
	if (instructions == sl_avx2) {
		sl_transpose_avx2(rows, stride, n, bands, columns);
		return;
	}
#endif
	for (int x = 0; x < n; x += 2 * bands)
		for (int b = 0; b < bands; b++)
			for (int r = 0; r < sl_block_rows; r++, columns += 2) {
				columns[0] = rows[r * stride + x + b];
				columns[1] = rows[r * stride + x + b + bands];
			}
}
