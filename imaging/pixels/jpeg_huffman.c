#include <string.h>

#include "jpeg_bits.h"
#include "jpeg_huffman.h"
#include "jpeg_huffman_table.h"
#include "jpeg_zigzag.h"

typedef struct {
	const sl_table *dc, *ac;
	int component;
	int skip; // AC coefficients are not used
} sl_block;

typedef struct {
	int *gave_up;
	sl_data data;
	sl_bits bits;
	sl_block blocks[D_MAX_BLOCKS_IN_MCU];
	int predicted[MAX_COMPS_IN_SCAN]; // DC coefficients
	unsigned until_restart, restarts;
	size_t mcus; // that are still to come
	sl_table *dc[NUM_HUFF_TBLS], *ac[NUM_HUFF_TBLS];
} sl_huffman;

// What is done for each code is compiled twice: shifts by a number that is not known are three instructions of x86, and one of BMI2.
#define SL_INLINE __attribute__((always_inline)) static inline

// sl_dc decodes the difference of a DC coefficient (F.2.2.1). 0 if there is no such code.
SL_INLINE int sl_dc(sl_bits *b, const sl_table *t, int *diff)
{
	sl_fill(b);
	uint32_t e = t->one[b->next >> (64 - sl_one_bits)];
	if (!e && !(e = sl_long_code(t, b->next)))
		return 0;
	*diff = sl_value(b, sl_length(e), sl_size(e));
	sl_take(b, sl_length(e));
	return 1;
}

// What follows a step in a block.
enum { sl_go_on, sl_done, sl_wrong };

// sl_ac decodes a code of AC coefficients (F.2.2.2). *k is the number of the next coefficient. There are 25 bits or more.
SL_INLINE int sl_ac(sl_bits *b, const sl_table *t, JCOEF *block, int *k)
{
	uint32_t e = t->one[b->next >> (64 - sl_one_bits)];
	if (__builtin_expect(!e, 0)) {
		sl_fill(b);
		if (!(e = sl_long_code(t, b->next)))
			return sl_wrong;
	}
	int v = sl_value(b, sl_length(e), sl_size(e));
	sl_take(b, sl_length(e));
	*k += sl_advance(e);
	if (*k > 64)
		return sl_advance(e) == sl_end_of_block ? sl_done : sl_wrong;
	if (block)
		block[sl_zigzag[*k - 1]] = (JCOEF) v;
	return *k == 64 ? sl_done : sl_go_on;
}

// sl_skip passes over codes of AC coefficients, several at once where they are short. There are 28 bits or more, as many as an entry has at most.
SL_INLINE int sl_skip(sl_bits *b, const sl_table *t, int *k)
{
	uint32_t e = t->skip[b->next >> (64 - sl_skip_bits)];
	int after = *k + sl_skip_advance(e);
	if (__builtin_expect(!e || after > 64, 0)) { // a long code; or the block ends before the last of several
		int state = sl_ac(b, t, NULL, k);
		sl_fill(b);
		return state;
	}
	sl_take(b, sl_skip_length(e));
	*k = after;
	return e & sl_skip_end || after == 64 ? sl_done : sl_go_on;
}

// sl_ac_block decodes the AC coefficients of a block. 0 if a code is wrong or a run too long. At first there are 25 bits or more.
SL_INLINE int sl_ac_block(sl_bits *b, const sl_table *t, JCOEF *block)
{
	int k = 1, state = sl_ac(b, t, block, &k);
	while (state == sl_go_on) {
		sl_fill(b);
		state = sl_ac(b, t, block, &k);
		if (state == sl_go_on)
			state = sl_ac(b, t, block, &k);
	}
	return state == sl_done;
}

SL_INLINE int sl_skip_block(sl_bits *b, const sl_table *t)
{
	int k = 1, state = sl_go_on;
	while (state == sl_go_on) {
		sl_fill(b);
		state = sl_skip(b, t, &k);
		if (state == sl_go_on)
			state = sl_skip(b, t, &k);
	}
	return state == sl_done;
}

// sl_at_marker reports whether the data end with this marker, after less than a byte of padding (F.1.2.3).
static int sl_at_marker(sl_huffman *h, uint8_t marker)
{
	sl_data *d = &h->data;
	if (!d->ended)
		sl_more(d, &h->bits);
	return d->ended && sl_left(d, &h->bits) < 8 && !d->cut && d->file[1] == marker;
}

// sl_restart begins a restart interval (F.2.1.3.1 and E.2.4). 0 if its marker is not there.
static int sl_restart(sl_huffman *h, unsigned interval)
{
	if (!sl_at_marker(h, JPEG_RST0 + h->restarts % 8))
		return 0;
	h->restarts++;
	sl_data_init(&h->data, &h->bits, h->data.file + 2, h->data.file_end);
	h->until_restart = interval;
	memset(h->predicted, 0, sizeof h->predicted);
	return 1;
}

SL_INLINE int sl_mcu(sl_huffman *h, int blocks, JBLOCKROW *mcu)
{
	if (!h->data.ended && h->data.end - h->bits.at < sl_mcu_most)
		sl_more(&h->data, &h->bits);
	if (h->data.cut) // libjpeg reads ahead, and may notice
		return 0;
	sl_bits b = h->bits;
	for (int n = 0; n < blocks; n++) {
		const sl_block *block = &h->blocks[n];
		int diff;
		if (!sl_dc(&b, block->dc, &diff))
			return 0;
		int dc = h->predicted[block->component] += diff;
		if (dc < INT16_MIN || dc > INT16_MAX)
			return 0;
		mcu[n][0][0] = (JCOEF) dc;
		if (!(block->skip ? sl_skip_block(&b, block->ac) : sl_ac_block(&b, block->ac, mcu[n][0])))
			return 0;
	}
	h->bits = b;
	return sl_left(&h->data, &b) >= 0;
}

SL_INLINE int sl_next_mcu(sl_huffman *h, j_decompress_ptr info, JBLOCKROW *mcu)
{
	if (h->mcus == 0)
		return 0;
	if (info->restart_interval) {
		if (h->until_restart == 0 && !sl_restart(h, info->restart_interval))
			return 0;
		h->until_restart--;
	}
	if (!sl_mcu(h, info->blocks_in_MCU, mcu))
		return 0;
	if (--h->mcus > 0)
		return 1;
	if (!sl_at_marker(h, JPEG_EOI))
		return 0;
	info->src->next_input_byte = h->data.file; // where libjpeg goes on
	info->src->bytes_in_buffer = 2;
	return 1;
}

SL_INLINE boolean sl_decode(j_decompress_ptr info, JBLOCKROW *mcu)
{
	sl_huffman *h = info->client_data;
	if (!sl_next_mcu(h, info, mcu)) {
		*h->gave_up = 1;
		(*info->err->error_exit)((j_common_ptr) info);
	}
	return TRUE;
}

// sl_decode_mcu takes the place of libjpeg's.
static boolean sl_decode_mcu(j_decompress_ptr info, JBLOCKROW *mcu) { return sl_decode(info, mcu); }

#ifdef __x86_64__
__attribute__((target("bmi2"))) static boolean sl_decode_mcu_bmi2(j_decompress_ptr info, JBLOCKROW *mcu) { return sl_decode(info, mcu); }

static int sl_has_bmi2(void) { return __builtin_cpu_supports("bmi2"); }
#else
#define sl_decode_mcu_bmi2 sl_decode_mcu

static int sl_has_bmi2(void) { return 0; }
#endif

// sl_install_table makes the table number n of all, if it is not there.
static int sl_install_table(j_decompress_ptr info, sl_table **all, int n, const JHUFF_TBL *from, int dc)
{
	if (all[n])
		return 1;
	all[n] = (*info->mem->alloc_small)((j_common_ptr) info, JPOOL_IMAGE, sizeof(sl_table));
	return sl_table_init(all[n], from, dc);
}

// sl_dc_only reports whether the IDCT of a component uses no AC coefficients, or there is none.
static int sl_dc_only(const jpeg_component_info *c)
{
#if JPEG_LIB_VERSION >= 70
	return !c->component_needed || (c->DCT_h_scaled_size == 1 && c->DCT_v_scaled_size == 1);
#else
	return !c->component_needed || c->DCT_scaled_size == 1;
#endif
}

static int sl_install_block(j_decompress_ptr info, sl_huffman *h, int n)
{
	int c = info->MCU_membership[n];
	const jpeg_component_info *of = info->cur_comp_info[c];
	int dc = of->dc_tbl_no, ac = of->ac_tbl_no;
	if (dc < 0 || dc >= NUM_HUFF_TBLS || ac < 0 || ac >= NUM_HUFF_TBLS)
		return 0;
	if (!sl_install_table(info, h->dc, dc, info->dc_huff_tbl_ptrs[dc], 1) || !sl_install_table(info, h->ac, ac, info->ac_huff_tbl_ptrs[ac], 0))
		return 0;
	sl_block *block = &h->blocks[n];
	*block = (sl_block){ h->dc[dc], h->ac[ac], c, sl_dc_only(of) };
	if (block->skip && !h->ac[ac]->skips)
		sl_table_init_skip(h->ac[ac]);
	return 1;
}

void sl_huffman_install(j_decompress_ptr info, const uint8_t *end, int *gave_up)
{
	if (info->progressive_mode || info->arith_code || info->data_precision != 8 || info->comps_in_scan != info->num_components ||
		info->Ss != 0 || info->Se != 63 || info->Ah != 0 || info->Al != 0)
		return;
	sl_huffman *h = (*info->mem->alloc_small)((j_common_ptr) info, JPOOL_IMAGE, sizeof(sl_huffman));
	memset(h, 0, sizeof *h);
	h->gave_up = gave_up;
	sl_data_init(&h->data, &h->bits, info->src->next_input_byte, end);
	h->mcus = (size_t) info->MCUs_per_row * info->MCU_rows_in_scan;
	h->until_restart = info->restart_interval;
	for (int n = 0; n < info->blocks_in_MCU; n++)
		if (!sl_install_block(info, h, n))
			return;
	info->client_data = h;
	((sl_entropy *) info->entropy)->decode_mcu = sl_has_bmi2() ? sl_decode_mcu_bmi2 : sl_decode_mcu;
}
