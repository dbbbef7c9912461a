#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "jpeg_huffman.h"
#include "jpeg_rows.h"
#include "jpeg_scales.h"

enum { sl_jpeg_ahead = 4 }; // rows of MCUs by which the first scale may be ahead of the others

// sl_jpeg_ring holds the coefficients of the last MCUs.
typedef struct {
	boolean (*decode_mcu)(j_decompress_ptr, JBLOCKROW *); // that of the first scale
	JBLOCK *blocks;
	int each;				  // blocks of an MCU
	size_t capacity, written; // MCUs
} sl_jpeg_ring;

// sl_jpeg is the decoder of one scale.
typedef struct {
	sl_jpeg_rows rows;
	sl_jpeg_ring *ring;
	size_t read; // MCUs
	const sl_scale *scale;
} sl_jpeg;

// sl_jpegs is one call.
typedef struct {
	sl_jpeg_ring ring;
	sl_jpeg one[sl_scales_most];
	int n, opened;
	const int32_t *stop;
} sl_jpegs;

// sl_jpeg_of is the decoder that libjpeg's struct is a part of.
static sl_jpeg *sl_jpeg_of(j_decompress_ptr info) { return (sl_jpeg *) ((char *) info - offsetof(sl_jpeg, rows.info)); }

// sl_jpeg_slot is where the coefficients of an MCU are.
static JBLOCK *sl_jpeg_slot(const sl_jpeg_ring *r, size_t mcu) { return r->blocks + mcu % r->capacity * r->each; }

// sl_jpeg_borrow has libjpeg take the blocks of an MCU from a slot. Before each MCU, libjpeg clears as many blocks as one has, from where the
// first is: for it there are none, by sl_jpeg_keeps.
static void sl_jpeg_borrow(const sl_jpeg_ring *r, JBLOCKROW *mcu, JBLOCK *slot)
{
	for (int i = 0; i < r->each; i++)
		mcu[i] = slot + i;
}

// sl_jpeg_keeps has libjpeg leave blocks as they are. After it has begun, nothing but that and its own decode_mcu asks how many an MCU has.
static void sl_jpeg_keeps(j_decompress_ptr info) { info->blocks_in_MCU = 0; }

// sl_jpeg_record has an MCU decoded into the ring, for all scales.
static boolean sl_jpeg_record(j_decompress_ptr info, JBLOCKROW *mcu)
{
	sl_jpeg *j = sl_jpeg_of(info);
	sl_jpeg_ring *r = j->ring;
	JBLOCK *slot = sl_jpeg_slot(r, r->written);
	memset(slot, 0, r->each * sizeof(JBLOCK));
	sl_jpeg_borrow(r, mcu, slot);
	info->blocks_in_MCU = r->each;
	boolean decoded = r->decode_mcu(info, mcu);
	sl_jpeg_keeps(info);
	r->written += decoded;
	return decoded;
}

// sl_jpeg_replay gives libjpeg the coefficients of an MCU that the first scale has decoded, and suspends it where there is none yet.
static boolean sl_jpeg_replay(j_decompress_ptr info, JBLOCKROW *mcu)
{
	sl_jpeg *j = sl_jpeg_of(info);
	sl_jpeg_ring *r = j->ring;
	if (j->read == r->written)
		return FALSE;
	if (r->written - j->read > r->capacity)
		sl_on_error((j_common_ptr) info);
	sl_jpeg_borrow(r, mcu, sl_jpeg_slot(r, j->read));
	j->read++;
	return TRUE;
}

// sl_jpeg_share lets the first scale record and the others replay.
static int sl_jpeg_share(sl_jpegs *all)
{
	j_decompress_ptr first = &all->one[0].rows.info;
	sl_entropy *entropy = (sl_entropy *) first->entropy;
	all->ring.each = first->blocks_in_MCU;
	all->ring.capacity = (size_t) first->MCUs_per_row * sl_jpeg_ahead;
	all->ring.blocks = malloc(all->ring.capacity * all->ring.each * sizeof(JBLOCK));
	if (!all->ring.blocks)
		return -1;
	all->ring.decode_mcu = entropy->decode_mcu;
	entropy->decode_mcu = sl_jpeg_record;
	sl_jpeg_keeps(first);
	for (int i = 1; i < all->n; i++) {
		j_decompress_ptr other = &all->one[i].rows.info;
		if (other->blocks_in_MCU != all->ring.each || other->MCUs_per_row != first->MCUs_per_row)
			return -1;
		((sl_entropy *) other->entropy)->decode_mcu = sl_jpeg_replay;
		sl_jpeg_keeps(other);
	}
	return 0;
}

// sl_jpeg_advance reads up to that many rows, as far as there are coefficients, which the first scale always has. -1 for an error.
static int sl_jpeg_advance(const sl_jpegs *all, sl_jpeg *j, JDIMENSION rows)
{
	const struct jpeg_decompress_struct *info = &j->rows.info;
	while (rows-- > 0 && info->output_scanline < info->output_height) {
		int y = info->output_scanline;
		int err = sl_jpeg_rows_next(&j->rows, y < j->scale->height ? j->scale->out + y * j->rows.line : NULL);
		if (err)
			return err < 0 || j == all->one ? -1 : 0;
	}
	return 0;
}

static int sl_jpegs_decode(sl_jpegs *all)
{
	const struct jpeg_decompress_struct *first = &all->one[0].rows.info;
	while (first->output_scanline < first->output_height) {
		for (int i = 0; i < all->n; i++)
			if (sl_jpeg_advance(all, &all->one[i], i == 0 ? 1 : all->one[i].rows.info.output_height))
				return -1;
		if (sl_jpeg_rows_damaged(&all->one[0].rows))
			return 1;
		if (__atomic_load_n(all->stop, __ATOMIC_RELAXED))
			return -1;
	}
	for (int i = 0; i < all->n; i++)
		if (all->one[i].rows.info.output_scanline < all->one[i].rows.info.output_height)
			return -1;
	sl_jpeg_rows_finish(&all->one[0].rows);
	return sl_jpeg_rows_damaged(&all->one[0].rows);
}

// sl_jpegs_open begins to decode at all scales, only the first of which decodes Huffman codes.
static int sl_jpegs_open(sl_jpegs *all, const uint8_t *file, size_t size, int bands, const sl_scale *scales, int *libjpeg)
{
	int others = 1;
	for (int i = 0; i < all->n; i++) {
		sl_jpeg *j = &all->one[i];
		j->ring = &all->ring;
		j->scale = &scales[i];
		all->opened++;
		if (sl_jpeg_rows_open(&j->rows, file, size, bands, scales[i].shrink, scales[i].width, scales[i].height, i == 0 ? libjpeg : &others))
			return -1;
	}
	return all->n == 1 ? 0 : sl_jpeg_share(all);
}

// sl_jpegs_once decodes the file. *libjpeg is as in sl_jpeg_decode.
static int sl_jpegs_once(const uint8_t *file, size_t size, int bands, const sl_scale *scales, int n, int *libjpeg, const int32_t *stop)
{
	sl_jpegs *all = calloc(1, sizeof(sl_jpegs));
	if (!all)
		return -1;
	all->n = n;
	all->stop = stop;
	int code = sl_jpegs_open(all, file, size, bands, scales, libjpeg);
	if (!code)
		code = sl_jpegs_decode(all);
	while (all->opened > 0)
		sl_jpeg_rows_close(&all->one[--all->opened].rows);
	free(all->ring.blocks);
	free(all);
	return code;
}

int sl_jpeg_scales(const uint8_t *file, size_t size, int bands, const sl_scale *scales, int n, const int32_t *stop)
{
	int libjpeg = 0;
	if (n < 1 || n > sl_scales_most || (bands != 1 && bands != 3))
		return -1;
	int code = sl_jpegs_once(file, size, bands, scales, n, &libjpeg, stop);
	return libjpeg ? sl_jpegs_once(file, size, bands, scales, n, &libjpeg, stop) : code;
}
