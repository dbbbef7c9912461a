#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "decode_jpeg.h"
#include "decode_jpeg_huffman.h"
#include "decode_jpeg_scanlines.h"

// The first scale decodes Huffman codes and records the coefficients of each MCU in a ring. The other scales are
// libjpeg decompressors whose decode_mcu replays them from there; when the ring is empty, they suspend.

enum { sl_ring_mcu_rows = 4 }; // max rows of MCUs by which the first scale may be ahead of the others

// sl_mcu_ring holds the coefficients of the last capacity MCUs: MCU n is in slot n % capacity.
typedef struct {
	boolean (*decode_mcu)(j_decompress_ptr, JBLOCKROW *); // libjpeg's own decode_mcu of the first scale
	JBLOCK *blocks;
	int each;				  // blocks of an MCU
	size_t capacity, written; // MCUs
} sl_mcu_ring;

// sl_scale_decoder is the decoder of one scale. Invariant: ring->written - read <= ring->capacity, or sl_replay_mcu
// fails.
typedef struct {
	sl_jpeg_decoder rows;
	sl_mcu_ring *ring;
	size_t read; // number of MCUs that were replayed
	const sl_jpeg_scale *scale;
} sl_scale_decoder;

// sl_multiscale_decoder holds the decoders of all scales. Those up to opened must be destroyed.
typedef struct {
	sl_mcu_ring ring;
	sl_scale_decoder one[sl_max_scales];
	int n, opened;
} sl_multiscale_decoder;

// sl_scale_decoder_of returns the decoder that cinfo is a member of.
static sl_scale_decoder *sl_scale_decoder_of(j_decompress_ptr cinfo)
{
	return (sl_scale_decoder *) ((char *) cinfo - offsetof(sl_scale_decoder, rows.cinfo));
}

// sl_mcu_slot returns where the blocks of an MCU are.
static JBLOCK *sl_mcu_slot(const sl_mcu_ring *r, size_t mcu) { return r->blocks + mcu % r->capacity * r->each; }

// sl_point_at_slot points libjpeg at the blocks of a slot instead of copying them. Before each MCU libjpeg clears
// cinfo->blocks_in_MCU blocks from the first one on; sl_prevent_clearing has set that number to 0.
static void sl_point_at_slot(const sl_mcu_ring *r, JBLOCKROW *mcu, JBLOCK *slot)
{
	for (int i = 0; i < r->each; i++)
		mcu[i] = slot + i;
}

// sl_prevent_clearing makes libjpeg clear no blocks before an MCU. Once decompression has started, only that and
// libjpeg's own decode_mcu read blocks_in_MCU.
static void sl_prevent_clearing(j_decompress_ptr cinfo) { cinfo->blocks_in_MCU = 0; }

// sl_record_mcu is the decode_mcu of the first scale: it decodes an MCU into the ring.
static boolean sl_record_mcu(j_decompress_ptr cinfo, JBLOCKROW *mcu)
{
	sl_scale_decoder *j = sl_scale_decoder_of(cinfo);
	sl_mcu_ring *r = j->ring;
	JBLOCK *slot = sl_mcu_slot(r, r->written);
	memset(slot, 0, r->each * sizeof(JBLOCK));
	sl_point_at_slot(r, mcu, slot);
	cinfo->blocks_in_MCU = r->each;
	boolean decoded = r->decode_mcu(cinfo, mcu);
	sl_prevent_clearing(cinfo);
	r->written += decoded;
	return decoded;
}

// sl_replay_mcu is the decode_mcu of the other scales. It suspends libjpeg if the first scale has not decoded the MCU
// yet.
static boolean sl_replay_mcu(j_decompress_ptr cinfo, JBLOCKROW *mcu)
{
	sl_scale_decoder *j = sl_scale_decoder_of(cinfo);
	sl_mcu_ring *r = j->ring;
	if (j->read == r->written)
		return FALSE;
	if (r->written - j->read > r->capacity)
		sl_jpeg_error_exit((j_common_ptr) cinfo);
	sl_point_at_slot(r, mcu, sl_mcu_slot(r, j->read));
	j->read++;
	return TRUE;
}

// sl_share_coefficients makes the ring and replaces decode_mcu of all scales. libjpeg has already read files with
// several scans.
static int sl_share_coefficients(sl_multiscale_decoder *all)
{
	j_decompress_ptr first = &all->one[0].rows.cinfo;
	if (jpeg_has_multiple_scans(first))
		return sl_unsupported;
	sl_entropy_decoder *entropy = (sl_entropy_decoder *) first->entropy;
	all->ring.each = first->blocks_in_MCU;
	all->ring.capacity = (size_t) first->MCUs_per_row * sl_ring_mcu_rows;
	all->ring.blocks = malloc(all->ring.capacity * all->ring.each * sizeof(JBLOCK));
	if (!all->ring.blocks)
		return sl_no_memory;
	all->ring.decode_mcu = entropy->decode_mcu;
	entropy->decode_mcu = sl_record_mcu;
	sl_prevent_clearing(first);
	for (int i = 1; i < all->n; i++) {
		j_decompress_ptr other = &all->one[i].rows.cinfo;
		if (other->blocks_in_MCU != all->ring.each || other->MCUs_per_row != first->MCUs_per_row)
			return -1;
		((sl_entropy_decoder *) other->entropy)->decode_mcu = sl_replay_mcu;
		sl_prevent_clearing(other);
	}
	return 0;
}

// sl_read_scanlines reads up to the given number of rows, as far as coefficients are available; the first scale never
// lacks any. It returns sl_ok or sl_jpeg_result.
static int sl_read_scanlines(const sl_multiscale_decoder *all, sl_scale_decoder *j, JDIMENSION rows)
{
	const struct jpeg_decompress_struct *cinfo = &j->rows.cinfo;
	while (rows-- > 0 && cinfo->output_scanline < cinfo->output_height) {
		int y = cinfo->output_scanline;
		int err = sl_jpeg_decoder_try(&j->rows, y < j->scale->height ? j->scale->out + y * j->rows.stride : NULL);
		if (err)
			return err < 0 || j == all->one ? sl_jpeg_result(&j->rows.jerr) : 0;
	}
	return 0;
}

// sl_decode_all alternately decodes a row of the first scale and as many rows of the others as that allows. It returns
// the result of sl_jpeg_decode.
static int sl_decode_all(sl_multiscale_decoder *all)
{
	const struct jpeg_decompress_struct *first = &all->one[0].rows.cinfo;
	while (first->output_scanline < first->output_height) {
		for (int i = 0; i < all->n; i++) {
			int err = sl_read_scanlines(all, &all->one[i], i == 0 ? 1 : all->one[i].rows.cinfo.output_height);
			if (err)
				return err;
		}
		if (all->n > 1 && sl_jpeg_decoder_warned(&all->one[0].rows))
			return sl_damaged;
	}
	for (int i = 0; i < all->n; i++)
		if (all->one[i].rows.cinfo.output_scanline < all->one[i].rows.cinfo.output_height)
			return sl_unsupported;
	sl_jpeg_decoder_finish(&all->one[0].rows);
	return sl_jpeg_decoder_warned(&all->one[0].rows) ? sl_damaged : sl_ok;
}

// sl_start_all starts decompression at all scales. Only the first one may use our Huffman decoder.
static int sl_start_all(sl_multiscale_decoder *all, sl_jpeg_scaling as, const sl_jpeg_scale *scales, int by_libjpeg)
{
	for (int i = 0; i < all->n; i++) {
		sl_scale_decoder *j = &all->one[i];
		j->ring = &all->ring;
		j->scale = &scales[i];
		j->rows.by_libjpeg = by_libjpeg || i > 0;
		as.shrink = scales[i].shrink;
		as.width = scales[i].width;
		as.height = scales[i].height;
		all->opened++;
		if (sl_jpeg_decoder_start(&j->rows, &as))
			return sl_jpeg_result(&j->rows.jerr);
	}
	return all->n == 1 ? 0 : sl_share_coefficients(all);
}

// sl_decode_once decodes the file. *by_libjpeg is as in sl_jpeg_decode.
static int sl_decode_once(sl_jpeg_scaling as, const sl_jpeg_scale *scales, int n, int *by_libjpeg)
{
	sl_multiscale_decoder *all = calloc(1, sizeof(sl_multiscale_decoder));
	if (!all)
		return sl_no_memory;
	all->n = n;
	int code = sl_start_all(all, as, scales, *by_libjpeg);
	if (!code)
		code = sl_decode_all(all);
	*by_libjpeg = all->one[0].rows.by_libjpeg;
	while (all->opened > 0)
		sl_jpeg_decoder_destroy(&all->one[--all->opened].rows);
	free(all->ring.blocks);
	free(all);
	return code;
}

int sl_jpeg_decode(
	const uint8_t *file, size_t size, int bands, const sl_jpeg_scale *scales, int n, int *by_libjpeg, const int32_t *stop)
{
	if (n < 1 || n > sl_max_scales)
		return sl_unsupported;
	sl_jpeg_scaling as = { .file = file, .size = size, .bands = bands, .stop = stop };
	int before = *by_libjpeg, code = sl_decode_once(as, scales, n, by_libjpeg);
	return *by_libjpeg == before ? code : sl_decode_once(as, scales, n, by_libjpeg);
}
