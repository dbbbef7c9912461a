#include <stdlib.h>
#include <string.h>

#include "jpeg_huffman.h"
#include "jpeg_scales.h"
#include "jpeg_source.h"

enum { sl_jpeg_ahead = 4 }; // rows of MCUs by which the first scale may be ahead of the others

// sl_jpeg_ring holds the coefficients of the last MCUs.
typedef struct {
	boolean (*decode_mcu)(j_decompress_ptr, JBLOCKROW *); // that of the first scale
	JBLOCK *blocks;
	size_t capacity, written; // MCUs
} sl_jpeg_ring;

// sl_jpeg is the decoder of one scale.
typedef struct {
	sl_pieces source; // first, so that info->src leads here
	struct jpeg_decompress_struct info;
	sl_jpeg_ring *ring;
	size_t read; // MCUs
	uint8_t *row; // libjpeg rounds sides up, which libvips rounds down
	const sl_scale *scale;
} sl_jpeg;

// sl_jpegs is one call.
typedef struct {
	sl_errors errors;
	sl_jpeg_ring ring;
	sl_jpeg one[sl_scales_most];
	const uint8_t *end; // of the file
	int n, libjpeg;		// whether libjpeg decodes the Huffman codes
	const int32_t *stop;
} sl_jpegs;

// sl_jpeg_record has an MCU decoded, and keeps its coefficients for the other scales.
static boolean sl_jpeg_record(j_decompress_ptr info, JBLOCKROW *mcu)
{
	sl_jpeg *j = (sl_jpeg *) info->src;
	sl_jpeg_ring *r = j->ring;
	if (!r->decode_mcu(info, mcu))
		return FALSE;
	JBLOCK *to = r->blocks + r->written % r->capacity * info->blocks_in_MCU;
	for (int i = 0; i < info->blocks_in_MCU; i++)
		memcpy(to + i, mcu[i], sizeof(JBLOCK));
	r->written++;
	return TRUE;
}

// sl_jpeg_replay gives libjpeg the coefficients of an MCU that the first scale has decoded, and suspends it where there is none yet.
static boolean sl_jpeg_replay(j_decompress_ptr info, JBLOCKROW *mcu)
{
	sl_jpeg *j = (sl_jpeg *) info->src;
	sl_jpeg_ring *r = j->ring;
	if (j->read == r->written)
		return FALSE;
	if (r->written - j->read > r->capacity)
		sl_on_error((j_common_ptr) info);
	JBLOCK *from = r->blocks + j->read % r->capacity * info->blocks_in_MCU;
	for (int i = 0; i < info->blocks_in_MCU; i++)
		memcpy(mcu[i], from + i, sizeof(JBLOCK));
	j->read++;
	return TRUE;
}

// sl_jpeg_begin reads the header. It fails for what is not baseline, and for sides that are not the planned ones.
static int sl_jpeg_begin(sl_jpeg *j, int bands)
{
	j_decompress_ptr info = &j->info;
	const sl_scale *s = j->scale;
	jpeg_create_decompress(info);
	info->src = &j->source.public;
	if (jpeg_read_header(info, TRUE) != JPEG_HEADER_OK || info->progressive_mode || info->data_precision != 8 || jpeg_has_multiple_scans(info) ||
		info->out_color_space != (bands == 1 ? JCS_GRAYSCALE : JCS_RGB) || (bands != 1 && bands != 3))
		return -1;
	info->scale_num = 1;
	info->scale_denom = s->shrink;
	if (!jpeg_start_decompress(info) || info->output_components != bands || (int) info->output_width < s->width ||
		(int) info->output_width > s->width + 1 || (int) info->output_height < s->height || (int) info->output_height > s->height + 1)
		return -1;
	j->row = malloc((size_t) info->output_width * bands);
	return j->row ? 0 : -1;
}

// sl_jpeg_share lets the first scale record and the others replay.
static int sl_jpeg_share(sl_jpegs *all)
{
	j_decompress_ptr first = &all->one[0].info;
	sl_entropy *entropy = (sl_entropy *) first->entropy;
	all->ring.capacity = (size_t) first->MCUs_per_row * sl_jpeg_ahead;
	all->ring.blocks = calloc(all->ring.capacity * first->blocks_in_MCU, sizeof(JBLOCK));
	if (!all->ring.blocks)
		return -1;
	all->ring.decode_mcu = entropy->decode_mcu;
	entropy->decode_mcu = sl_jpeg_record;
	for (int i = 1; i < all->n; i++) {
		j_decompress_ptr other = &all->one[i].info;
		if (other->blocks_in_MCU != first->blocks_in_MCU || other->MCUs_per_row != first->MCUs_per_row)
			return -1;
		((sl_entropy *) other->entropy)->decode_mcu = sl_jpeg_replay;
	}
	return 0;
}

// sl_jpeg_rows reads rows until that many are there, all are, or coefficients are missing.
static void sl_jpeg_rows(sl_jpeg *j, JDIMENSION rows)
{
	j_decompress_ptr info = &j->info;
	const sl_scale *s = j->scale;
	size_t line = (size_t) s->width * info->output_components;
	while (info->output_scanline < info->output_height && info->output_scanline < rows) {
		JDIMENSION y = info->output_scanline;
		if (jpeg_read_scanlines(info, &j->row, 1) == 0)
			return;
		if ((int) y < s->height)
			memcpy(s->out + y * line, j->row, line);
	}
}

static int sl_jpegs_decode(sl_jpegs *all, int bands)
{
	if (setjmp(all->errors.failed))
		return -1;
	for (int i = 0; i < all->n; i++)
		if (sl_jpeg_begin(&all->one[i], bands))
			return -1;
	j_decompress_ptr first = &all->one[0].info;
	if (!all->libjpeg)
		sl_huffman_install(first, all->end, &all->libjpeg);
	if (all->n > 1 && sl_jpeg_share(all))
		return -1;
	while (first->output_scanline < first->output_height) {
		sl_jpeg_rows(&all->one[0], first->output_scanline + 1);
		for (int i = 1; i < all->n; i++)
			sl_jpeg_rows(&all->one[i], all->one[i].info.output_height);
		if (__atomic_load_n(all->stop, __ATOMIC_RELAXED))
			return -1;
	}
	for (int i = 0; i < all->n; i++)
		if (all->one[i].info.output_scanline < all->one[i].info.output_height)
			return -1;
	return 0;
}

// sl_jpegs_once decodes the file. *libjpeg is as in sl_jpeg_decode.
static int sl_jpegs_once(const uint8_t *file, size_t size, int bands, const sl_scale *scales, int n, int *libjpeg, const int32_t *stop)
{
	sl_jpegs *all = calloc(1, sizeof(sl_jpegs));
	if (!all)
		return -1;
	all->n = n;
	all->end = file + size;
	all->libjpeg = *libjpeg;
	all->stop = stop;
	sl_errors_init(&all->errors);
	for (int i = 0; i < n; i++) {
		sl_jpeg *j = &all->one[i];
		j->info.err = &all->errors.public;
		sl_pieces_init(&j->source, file, size);
		j->ring = &all->ring;
		j->scale = &scales[i];
	}
	int err = sl_jpegs_decode(all, bands);
	for (int i = 0; i < n; i++) {
		jpeg_destroy_decompress(&all->one[i].info);
		free(all->one[i].row);
	}
	*libjpeg = all->libjpeg;
	free(all->ring.blocks);
	free(all);
	return err;
}

int sl_jpeg_scales(const uint8_t *file, size_t size, int bands, const sl_scale *scales, int n, const int32_t *stop)
{
	int libjpeg = 0;
	if (n < 1 || n > sl_scales_most)
		return -1;
	int err = sl_jpegs_once(file, size, bands, scales, n, &libjpeg, stop);
	return libjpeg ? sl_jpegs_once(file, size, bands, scales, n, &libjpeg, stop) : err;
}
