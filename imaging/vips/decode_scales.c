#include <setjmp.h>
#include <stdio.h>
#include <string.h>
#include <vips/vips.h>

#include <jpeglib.h>

#include "decode_scales.h"

enum {
	sl_jpeg_piece = 4096, // bytes: damage shows by where pieces end, so they are libvips'
	sl_jpeg_ahead = 4,    // rows of MCUs by which the first scale may be ahead of the others
	sl_jpeg_max = 8,      // scales
};

// sl_jpeg_entropy is how libjpeg's struct jpeg_entropy_decoder begins, in all its versions. jpegint.h has it, which few systems install.
struct sl_jpeg_entropy {
	void (*start_pass)(j_decompress_ptr);
	boolean (*decode_mcu)(j_decompress_ptr, JBLOCKROW *);
};

// sl_jpeg_ring holds the coefficients of the last MCUs.
typedef struct {
	boolean (*decode_mcu)(j_decompress_ptr, JBLOCKROW *); // libjpeg's
	JBLOCK *blocks;
	size_t capacity, written; // MCUs
} sl_jpeg_ring;

typedef struct {
	struct jpeg_error_mgr pub;
	jmp_buf back;
	int warned;
} sl_jpeg_errors;

// sl_jpeg is the decoder of one scale. It is the client_data of its cinfo.
typedef struct {
	struct jpeg_decompress_struct cinfo;
	struct jpeg_source_mgr source;
	const JOCTET *data;
	size_t size, at; // bytes
	sl_jpeg_ring *ring;
	size_t read; // MCUs
	JSAMPLE *row; // libjpeg rounds sides up, which libvips rounds down
	sl_scale *scale;
} sl_jpeg;

// sl_jpegs is one call.
typedef struct {
	sl_jpeg_errors errors;
	sl_jpeg_ring ring;
	sl_jpeg one[sl_jpeg_max];
	int n;
	int *stop;
} sl_jpegs;

static void sl_jpeg_error(j_common_ptr cinfo) { longjmp(((sl_jpeg_errors *) cinfo->err)->back, 1); }

static void sl_jpeg_message(j_common_ptr cinfo, int level)
{
	if (level < 0)
		((sl_jpeg_errors *) cinfo->err)->warned = 1;
}

static void sl_jpeg_silent(j_common_ptr cinfo) {}

static void sl_jpeg_nothing(j_decompress_ptr cinfo) {}

static boolean sl_jpeg_fill(j_decompress_ptr cinfo)
{
	sl_jpeg *j = cinfo->client_data;
	size_t n = VIPS_MIN(sl_jpeg_piece, j->size - j->at);
	if (n == 0)
		sl_jpeg_error((j_common_ptr) cinfo);
	j->source.next_input_byte = j->data + j->at;
	j->source.bytes_in_buffer = n;
	j->at += n;
	return TRUE;
}

static void sl_jpeg_skip(j_decompress_ptr cinfo, long n)
{
	sl_jpeg *j = cinfo->client_data;
	if (n <= 0)
		return;
	while ((size_t) n > j->source.bytes_in_buffer) {
		n -= (long) j->source.bytes_in_buffer;
		sl_jpeg_fill(cinfo);
	}
	j->source.next_input_byte += n;
	j->source.bytes_in_buffer -= n;
}

// sl_jpeg_record has libjpeg decode an MCU, and keeps its coefficients for the other scales.
static boolean sl_jpeg_record(j_decompress_ptr cinfo, JBLOCKROW *mcu)
{
	sl_jpeg *j = cinfo->client_data;
	sl_jpeg_ring *r = j->ring;
	if (!r->decode_mcu(cinfo, mcu))
		return FALSE;
	JBLOCK *to = r->blocks + r->written % r->capacity * cinfo->blocks_in_MCU;
	for (int i = 0; i < cinfo->blocks_in_MCU; i++)
		memcpy(to + i, mcu[i], sizeof(JBLOCK));
	r->written++;
	return TRUE;
}

// sl_jpeg_replay gives libjpeg the coefficients of an MCU that the first scale has decoded, and suspends it where there is none yet.
static boolean sl_jpeg_replay(j_decompress_ptr cinfo, JBLOCKROW *mcu)
{
	sl_jpeg *j = cinfo->client_data;
	sl_jpeg_ring *r = j->ring;
	if (j->read == r->written)
		return FALSE;
	if (r->written - j->read > r->capacity)
		sl_jpeg_error((j_common_ptr) cinfo);
	JBLOCK *from = r->blocks + j->read % r->capacity * cinfo->blocks_in_MCU;
	for (int i = 0; i < cinfo->blocks_in_MCU; i++)
		memcpy(mcu[i], from + i, sizeof(JBLOCK));
	j->read++;
	return TRUE;
}

// sl_jpeg_begin reads the header and prepares the image. It fails for what is not baseline, and for sides that are not the planned ones.
static int sl_jpeg_begin(sl_jpegs *all, sl_jpeg *j, int bands)
{
	struct jpeg_decompress_struct *cinfo = &j->cinfo;
	sl_scale *s = j->scale;
	jpeg_create_decompress(cinfo);
	cinfo->client_data = j; // creating clears all but err and client_data of some versions
	j->source = (struct jpeg_source_mgr){ .init_source = sl_jpeg_nothing, .fill_input_buffer = sl_jpeg_fill, .skip_input_data = sl_jpeg_skip,
		.resync_to_restart = jpeg_resync_to_restart, .term_source = sl_jpeg_nothing };
	cinfo->src = &j->source;
	if (jpeg_read_header(cinfo, TRUE) != JPEG_HEADER_OK || cinfo->progressive_mode || cinfo->data_precision != 8 || jpeg_has_multiple_scans(cinfo) ||
		cinfo->out_color_space != (bands == 1 ? JCS_GRAYSCALE : JCS_RGB) || (bands != 1 && bands != 3))
		return -1;
	cinfo->scale_num = 1;
	cinfo->scale_denom = s->shrink;
	if (!jpeg_start_decompress(cinfo) || cinfo->output_components != bands || (int) cinfo->output_width < s->width ||
		(int) cinfo->output_width > s->width + 1 || (int) cinfo->output_height < s->height || (int) cinfo->output_height > s->height + 1)
		return -1;
	s->out = vips_image_new_memory();
	vips_image_init_fields(s->out, s->width, s->height, bands, VIPS_FORMAT_UCHAR, VIPS_CODING_NONE,
		bands == 1 ? VIPS_INTERPRETATION_B_W : VIPS_INTERPRETATION_sRGB, 1, 1);
	j->row = g_try_malloc((size_t) cinfo->output_width * bands);
	return vips_image_write_prepare(s->out) || !j->row ? -1 : 0;
}

// sl_jpeg_share lets the first scale record and the others replay.
static int sl_jpeg_share(sl_jpegs *all)
{
	j_decompress_ptr first = &all->one[0].cinfo;
	struct sl_jpeg_entropy *entropy = (struct sl_jpeg_entropy *) first->entropy;
	all->ring.capacity = (size_t) first->MCUs_per_row * sl_jpeg_ahead;
	all->ring.blocks = g_try_malloc_n(all->ring.capacity * first->blocks_in_MCU, sizeof(JBLOCK));
	if (!all->ring.blocks)
		return -1;
	all->ring.decode_mcu = entropy->decode_mcu;
	entropy->decode_mcu = sl_jpeg_record;
	for (int i = 1; i < all->n; i++) {
		j_decompress_ptr other = &all->one[i].cinfo;
		if (other->blocks_in_MCU != first->blocks_in_MCU || other->MCUs_per_row != first->MCUs_per_row)
			return -1;
		((struct sl_jpeg_entropy *) other->entropy)->decode_mcu = sl_jpeg_replay;
	}
	return 0;
}

// sl_jpeg_rows reads rows until that many are there, all are, or coefficients are missing.
static void sl_jpeg_rows(sl_jpeg *j, JDIMENSION rows)
{
	struct jpeg_decompress_struct *cinfo = &j->cinfo;
	VipsImage *out = j->scale->out;
	while (cinfo->output_scanline < cinfo->output_height && cinfo->output_scanline < rows) {
		JDIMENSION y = cinfo->output_scanline;
		if (jpeg_read_scanlines(cinfo, &j->row, 1) == 0)
			return;
		if ((int) y < out->Ysize)
			memcpy(VIPS_IMAGE_ADDR(out, 0, (int) y), j->row, VIPS_IMAGE_SIZEOF_LINE(out));
	}
}

static int sl_jpeg_decode(sl_jpegs *all, int bands)
{
	if (setjmp(all->errors.back))
		return -1;
	for (int i = 0; i < all->n; i++)
		if (sl_jpeg_begin(all, &all->one[i], bands))
			return -1;
	if (all->n > 1 && sl_jpeg_share(all))
		return -1;
	j_decompress_ptr first = &all->one[0].cinfo;
	while (first->output_scanline < first->output_height) {
		sl_jpeg_rows(&all->one[0], first->output_scanline + 1);
		for (int i = 1; i < all->n; i++)
			sl_jpeg_rows(&all->one[i], all->one[i].cinfo.output_height);
		if (all->errors.warned || __atomic_load_n(all->stop, __ATOMIC_RELAXED))
			return -1;
	}
	for (int i = 0; i < all->n; i++)
		if (all->one[i].cinfo.output_scanline < all->one[i].cinfo.output_height)
			return -1;
	return 0;
}

int sl_decode_scales(const void *data, size_t size, int bands, sl_scale *scales, int n, int *stop)
{
	if (n < 1 || n > sl_jpeg_max)
		return -1;
	sl_jpegs *all = g_new0(sl_jpegs, 1);
	all->n = n;
	all->stop = stop;
	jpeg_std_error(&all->errors.pub);
	all->errors.pub.error_exit = sl_jpeg_error;
	all->errors.pub.emit_message = sl_jpeg_message;
	all->errors.pub.output_message = sl_jpeg_silent;
	for (int i = 0; i < n; i++) {
		scales[i].out = NULL;
		sl_jpeg *j = &all->one[i];
		j->cinfo.err = &all->errors.pub;
		j->cinfo.client_data = j;
		j->data = data;
		j->size = size;
		j->ring = &all->ring;
		j->scale = &scales[i];
	}
	int err = sl_jpeg_decode(all, bands);
	for (int i = 0; i < n; i++) {
		jpeg_destroy_decompress(&all->one[i].cinfo);
		g_free(all->one[i].row);
		if (err)
			VIPS_UNREF(scales[i].out);
	}
	g_free(all->ring.blocks);
	g_free(all);
	return err;
}
