#include <string.h>

#include "decode_jpeg_bits.h"
#include "decode_jpeg_huffman.h"
#include "decode_jpeg_huffman_table.h"

// sl_natural_order maps the order of coefficients in the data to their positions in a block (figure A.6), like
// libjpeg's jpeg_natural_order.
static const uint8_t sl_natural_order[64] = {
	0, 1, 8, 16, 9, 2, 3, 10, 17, 24, 32, 25, 18, 11, 4, 5,
	12, 19, 26, 33, 40, 48, 41, 34, 27, 20, 13, 6, 7, 14, 21, 28,
	35, 42, 49, 56, 57, 50, 43, 36, 29, 22, 15, 23, 30, 37, 44, 51,
	58, 59, 52, 45, 38, 31, 39, 46, 53, 60, 61, 54, 47, 55, 62, 63
};

typedef struct {
	const sl_huff_table *dc, *ac;
	int component;
	int skip; // the IDCT reads no AC coefficients
} sl_block_tables;

typedef struct {
	int *gave_up;
	sl_entropy_data data;
	sl_bit_reader bits;
	sl_block_tables blocks[D_MAX_BLOCKS_IN_MCU];
	int last_dc[MAX_COMPS_IN_SCAN]; // DC coefficients
	unsigned restarts_to_go, restarts;
	size_t mcus_to_go; // number of remaining MCUs
	sl_huff_table *dc[NUM_HUFF_TBLS], *ac[NUM_HUFF_TBLS];
} sl_huff_decoder;

// The functions for each code are compiled twice, because a variable shift takes three instructions on plain x86 and
// one with BMI2.
#define SL_INLINE __attribute__((always_inline)) static inline

// sl_decode_dc decodes the difference of a DC coefficient (F.2.2.1). It returns 0 for an invalid code.
SL_INLINE int sl_decode_dc(sl_bit_reader *b, const sl_huff_table *t, int *diff)
{
	sl_fill_bits(b);
	uint32_t e = t->lookup[b->next >> (64 - sl_lookahead_bits)];
	if (!e && !(e = sl_lookup_long_code(t, b->next)))
		return 0;
	*diff = sl_extend(b, sl_entry_length(e), sl_entry_size(e));
	sl_drop_bits(b, sl_entry_length(e));
	return 1;
}

// The effect of a decoded code on its block.
enum { sl_block_continues, sl_block_ends, sl_block_invalid };

// sl_decode_ac decodes one code of AC coefficients (F.2.2.2). *k is the index of the next coefficient, in the order of
// the data. The reader must hold at least 25 bits, which is the max that an entry of lookup consumes.
SL_INLINE int sl_decode_ac(sl_bit_reader *b, const sl_huff_table *t, JCOEF *block, int *k)
{
	uint32_t e = t->lookup[b->next >> (64 - sl_lookahead_bits)];
	if (__builtin_expect(!e, 0)) {
		sl_fill_bits(b);
		if (!(e = sl_lookup_long_code(t, b->next)))
			return sl_block_invalid;
	}
	int v = sl_extend(b, sl_entry_length(e), sl_entry_size(e));
	sl_drop_bits(b, sl_entry_length(e));
	*k += sl_entry_advance(e);
	if (*k > 64)
		return sl_entry_advance(e) == sl_end_of_block ? sl_block_ends : sl_block_invalid;
	if (block)
		block[sl_natural_order[*k - 1]] = (JCOEF) v;
	return *k == 64 ? sl_block_ends : sl_block_continues;
}

// sl_skip_ac skips codes of AC coefficients, several at once if they are short. The reader must hold at least 28 bits,
// which is the max that an entry of skip consumes.
SL_INLINE int sl_skip_ac(sl_bit_reader *b, const sl_huff_table *t, int *k)
{
	uint32_t e = t->skip[b->next >> (64 - sl_skip_bits)];
	int after = *k + sl_skip_advance(e);
	if (__builtin_expect(!e || after > 64, 0)) { // a long code, or the last code of the entry belongs to the next block
		int state = sl_decode_ac(b, t, NULL, k);
		sl_fill_bits(b);
		return state;
	}
	sl_drop_bits(b, sl_skip_length(e));
	*k = after;
	return e & sl_skip_end || after == 64 ? sl_block_ends : sl_block_continues;
}

// sl_decode_ac_block decodes the AC coefficients of a block. It returns 0 for an invalid code or a run beyond the
// block. The reader must hold at least 25 bits, which is what sl_decode_dc leaves; one fill is enough for two codes.
SL_INLINE int sl_decode_ac_block(sl_bit_reader *b, const sl_huff_table *t, JCOEF *block)
{
	int k = 1, state = sl_decode_ac(b, t, block, &k);
	while (state == sl_block_continues) {
		sl_fill_bits(b);
		state = sl_decode_ac(b, t, block, &k);
		if (state == sl_block_continues)
			state = sl_decode_ac(b, t, block, &k);
	}
	return state == sl_block_ends;
}

// sl_skip_ac_block skips the AC coefficients of a block.
SL_INLINE int sl_skip_ac_block(sl_bit_reader *b, const sl_huff_table *t)
{
	int k = 1, state = sl_block_continues;
	while (state == sl_block_continues) {
		sl_fill_bits(b);
		state = sl_skip_ac(b, t, &k);
		if (state == sl_block_continues)
			state = sl_skip_ac(b, t, &k);
	}
	return state == sl_block_ends;
}

// sl_at_marker reports whether the given marker comes next, after less than a byte of padding (F.1.2.3).
static int sl_at_marker(sl_huff_decoder *h, uint8_t marker)
{
	sl_entropy_data *d = &h->data;
	if (!d->ended)
		sl_entropy_data_refill(d, &h->bits);
	return d->ended && sl_bits_left(d, &h->bits) < 8 && !d->cut && d->file[1] == marker;
}

// sl_process_restart reads the next restart marker (F.2.1.3.1 and E.2.4). It returns 0 if another marker or no marker
// comes next.
static int sl_process_restart(sl_huff_decoder *h, unsigned interval)
{
	if (!sl_at_marker(h, JPEG_RST0 + h->restarts % 8))
		return 0;
	h->restarts++;
	sl_entropy_data_init(&h->data, &h->bits, h->data.file + 2, h->data.file_end);
	h->restarts_to_go = interval;
	memset(h->last_dc, 0, sizeof h->last_dc);
	return 1;
}

// sl_decode_blocks decodes the blocks of an MCU into zeroed memory. It returns 0 if the data are invalid or end too
// early.
SL_INLINE int sl_decode_blocks(sl_huff_decoder *h, int blocks, JBLOCKROW *mcu)
{
	if (!h->data.ended && h->data.end - h->bits.at < sl_max_mcu_bytes)
		sl_entropy_data_refill(&h->data, &h->bits);
	if (h->data.cut) // libjpeg reads ahead and may already warn here
		return 0;
	sl_bit_reader b = h->bits;
	for (int n = 0; n < blocks; n++) {
		const sl_block_tables *block = &h->blocks[n];
		int diff;
		if (!sl_decode_dc(&b, block->dc, &diff))
			return 0;
		int dc = h->last_dc[block->component] += diff;
		if (dc < INT16_MIN || dc > INT16_MAX)
			return 0;
		mcu[n][0][0] = (JCOEF) dc;
		if (!(block->skip ? sl_skip_ac_block(&b, block->ac) : sl_decode_ac_block(&b, block->ac, mcu[n][0])))
			return 0;
	}
	h->bits = b;
	return sl_bits_left(&h->data, &b) >= 0;
}

SL_INLINE int sl_decode_next(sl_huff_decoder *h, j_decompress_ptr cinfo, JBLOCKROW *mcu)
{
	if (h->mcus_to_go == 0)
		return 0;
	if (cinfo->restart_interval) {
		if (h->restarts_to_go == 0 && !sl_process_restart(h, cinfo->restart_interval))
			return 0;
		h->restarts_to_go--;
	}
	if (!sl_decode_blocks(h, cinfo->blocks_in_MCU, mcu))
		return 0;
	if (--h->mcus_to_go > 0)
		return 1;
	if (!sl_at_marker(h, JPEG_EOI))
		return 0;
	cinfo->src->next_input_byte = h->data.file; // libjpeg reads the EOI itself
	cinfo->src->bytes_in_buffer = 2;
	return 1;
}

SL_INLINE boolean sl_decode_or_exit(j_decompress_ptr cinfo, JBLOCKROW *mcu)
{
	sl_huff_decoder *h = cinfo->client_data;
	if (!sl_decode_next(h, cinfo, mcu)) {
		*h->gave_up = 1;
		(*cinfo->err->error_exit)((j_common_ptr) cinfo);
	}
	return TRUE;
}

// sl_decode_mcu replaces libjpeg's decode_mcu.
static boolean sl_decode_mcu(j_decompress_ptr cinfo, JBLOCKROW *mcu) { return sl_decode_or_exit(cinfo, mcu); }

#ifdef __x86_64__
__attribute__((target("bmi2"))) static boolean sl_decode_mcu_bmi2(j_decompress_ptr cinfo, JBLOCKROW *mcu)
{
	return sl_decode_or_exit(cinfo, mcu);
}

static int sl_has_bmi2(void) { return __builtin_cpu_supports("bmi2"); }
#else
#define sl_decode_mcu_bmi2 sl_decode_mcu

static int sl_has_bmi2(void) { return 0; }
#endif

// sl_make_table derives table n, unless it already exists. It returns 0 for a table that T.81 forbids.
static int sl_make_table(j_decompress_ptr cinfo, sl_huff_table **all, int n, const JHUFF_TBL *from, int dc)
{
	if (all[n])
		return 1;
	all[n] = (*cinfo->mem->alloc_small)((j_common_ptr) cinfo, JPOOL_IMAGE, sizeof(sl_huff_table));
	return sl_huff_table_init(all[n], from, dc);
}

// sl_dc_only reports whether the IDCT of a component reads no AC coefficients, or the component is not needed at all.
static int sl_dc_only(const jpeg_component_info *c)
{
#if JPEG_LIB_VERSION >= 70
	return !c->component_needed || (c->DCT_h_scaled_size == 1 && c->DCT_v_scaled_size == 1);
#else
	return !c->component_needed || c->DCT_scaled_size == 1;
#endif
}

static int sl_choose_tables(j_decompress_ptr cinfo, sl_huff_decoder *h, int n)
{
	int c = cinfo->MCU_membership[n];
	const jpeg_component_info *of = cinfo->cur_comp_info[c];
	int dc = of->dc_tbl_no, ac = of->ac_tbl_no;
	if (dc < 0 || dc >= NUM_HUFF_TBLS || ac < 0 || ac >= NUM_HUFF_TBLS)
		return 0;
	if (!sl_make_table(cinfo, h->dc, dc, cinfo->dc_huff_tbl_ptrs[dc], 1) ||
		!sl_make_table(cinfo, h->ac, ac, cinfo->ac_huff_tbl_ptrs[ac], 0))
		return 0;
	sl_block_tables *block = &h->blocks[n];
	*block = (sl_block_tables){ h->dc[dc], h->ac[ac], c, sl_dc_only(of) };
	if (block->skip && !h->ac[ac]->has_skip)
		sl_huff_table_init_skip(h->ac[ac]);
	return 1;
}

void sl_huff_decoder_install(j_decompress_ptr cinfo, const uint8_t *end, int *gave_up)
{
	if (cinfo->progressive_mode || cinfo->arith_code || cinfo->data_precision != 8 ||
		cinfo->comps_in_scan != cinfo->num_components)
		return;
	if (cinfo->Ss != 0 || cinfo->Se != 63 || cinfo->Ah != 0 || cinfo->Al != 0)
		return;
	sl_huff_decoder *h = (*cinfo->mem->alloc_small)((j_common_ptr) cinfo, JPOOL_IMAGE, sizeof(sl_huff_decoder));
	memset(h, 0, sizeof *h);
	h->gave_up = gave_up;
	sl_entropy_data_init(&h->data, &h->bits, cinfo->src->next_input_byte, end);
	h->mcus_to_go = (size_t) cinfo->MCUs_per_row * cinfo->MCU_rows_in_scan;
	h->restarts_to_go = cinfo->restart_interval;
	for (int n = 0; n < cinfo->blocks_in_MCU; n++)
		if (!sl_choose_tables(cinfo, h, n))
			return;
	cinfo->client_data = h;
	((sl_entropy_decoder *) cinfo->entropy)->decode_mcu = sl_has_bmi2() ? sl_decode_mcu_bmi2 : sl_decode_mcu;
}
