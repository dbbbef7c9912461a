#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "encode_jpeg_counts.h"

#ifdef __SSE2__
#include <emmintrin.h>
#endif

// These are declared in jpegint.h and jchuff.h, which few systems install. The struct is the start of
// jpeg_entropy_encoder, which is the same in libjpeg-turbo 2.1 to 3.1. The function computes an optimal table (K.2)
// from counts, and changes the counts.
extern const int jpeg_natural_order[];

void jpeg_gen_optimal_table(j_compress_ptr cinfo, JHUFF_TBL *table, long freq[]);

typedef struct {
	void (*start_pass)(j_compress_ptr, boolean);
	boolean (*encode_mcu)(j_compress_ptr, JBLOCKROW *);
	void (*finish_pass)(j_compress_ptr);
} sl_entropy_encoder;

enum {
	sl_tables = 2,	   // tables of each kind: luma and chroma
	sl_symbols = 257, // libjpeg adds one, so that no code consists of ones only
	sl_zrl = 0xf0,	   // 16 zeros
};

typedef struct {
	long dc[sl_tables][sl_symbols], ac[sl_tables][sl_symbols];
	int last_dc[MAX_COMPS_IN_SCAN];

	// zigzag[n][m] is a bit set in the order of the data of those coefficients 4n to 4n+3 of a block whose bits are
	// set in m.
	uint64_t zigzag[DCTSIZE2 / 4][16];
} sl_huff_counts;

// sl_nonzero returns a bit for each coefficient of a block that is not 0.
static inline uint64_t sl_nonzero(const JCOEF *block)
{
	uint64_t bits = 0;
#ifdef __SSE2__
	const __m128i *rows = (const __m128i *) block, zero = _mm_setzero_si128();
	for (int n = 0; n < DCTSIZE; n += 2) {
		__m128i a = _mm_cmpeq_epi16(_mm_loadu_si128(rows + n), zero);
		__m128i b = _mm_cmpeq_epi16(_mm_loadu_si128(rows + n + 1), zero);
		bits |= (uint64_t) (_mm_movemask_epi8(_mm_packs_epi16(a, b)) ^ 0xffff) << DCTSIZE * n;
	}
#else
	for (int n = 0; n < DCTSIZE2; n++)
		bits |= (uint64_t) (block[n] != 0) << n;
#endif
	return bits;
}

static inline uint64_t sl_in_zigzag_order(const sl_huff_counts *c, uint64_t nonzero)
{
	uint64_t bits = 0;
	for (int n = 0; nonzero; n++, nonzero >>= 4)
		bits |= c->zigzag[n][nonzero & 15];
	return bits;
}

// sl_bit_size returns the number of bits of a value (F.1.2.1.1).
static inline int sl_bit_size(int v) { return 31 - __builtin_clz(2 * abs(v) + 1); }

static inline void sl_count_ac(const sl_huff_counts *c, long *counts, const JCOEF *block)
{
	int last = 0;
	for (uint64_t left = sl_in_zigzag_order(c, sl_nonzero(block) & ~UINT64_C(1)); left; left &= left - 1) {
		int k = __builtin_ctzll(left), run = k - last - 1;
		counts[sl_zrl] += run >> 4;
		counts[(run & 15) << 4 | sl_bit_size(block[jpeg_natural_order[k]])]++;
		last = k;
	}
	if (last < DCTSIZE2 - 1)
		counts[0]++;
}

static boolean sl_count_mcu(j_compress_ptr cinfo, JBLOCKROW *mcu)
{
	sl_huff_counts *c = cinfo->client_data;
	for (int n = 0; n < cinfo->blocks_in_MCU; n++) {
		const JCOEF *block = mcu[n][0];
		int component = cinfo->MCU_membership[n], table = cinfo->cur_comp_info[component]->dc_tbl_no;
		c->dc[table][sl_bit_size(block[0] - c->last_dc[component])]++;
		c->last_dc[component] = block[0];
		sl_count_ac(c, c->ac[table], block);
	}
	return TRUE;
}

static void sl_make_tables(j_compress_ptr cinfo)
{
	sl_huff_counts *c = cinfo->client_data;
	for (int n = 0; n < (cinfo->num_components > 1 ? sl_tables : 1); n++) {
		jpeg_gen_optimal_table(cinfo, cinfo->dc_huff_tbl_ptrs[n], c->dc[n]);
		jpeg_gen_optimal_table(cinfo, cinfo->ac_huff_tbl_ptrs[n], c->ac[n]);
	}
}

void sl_huff_counts_install(j_compress_ptr cinfo)
{
	sl_huff_counts *c = (*cinfo->mem->alloc_large)((j_common_ptr) cinfo, JPOOL_IMAGE, sizeof(sl_huff_counts));
	memset(c, 0, sizeof *c);
	for (int k = 0; k < DCTSIZE2; k++)
		for (int bits = 0; bits < 16; bits++)
			if (bits >> jpeg_natural_order[k] % 4 & 1)
				c->zigzag[jpeg_natural_order[k] / 4][bits] |= UINT64_C(1) << k;
	cinfo->client_data = c;
	sl_entropy_encoder *entropy = (sl_entropy_encoder *) cinfo->entropy;
	entropy->encode_mcu = sl_count_mcu;
	entropy->finish_pass = sl_make_tables;
}
