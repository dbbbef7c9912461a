#include <string.h>

#include "jpeg_huffman.h"
#include "jpeg_rows.h"

// sl_scales reports whether libjpeg decodes a side of that length to the length that 1/shrink of it has. It does not
// for lossless files, which libjpeg-turbo 3 decodes at full size only.
static int sl_scales(JDIMENSION side, JDIMENSION output, int shrink) { return output == (side + shrink - 1) / shrink; }

static int sl_begin(sl_jpeg_rows *r, const uint8_t *end, int bands, int shrink, int width, int height, int *libjpeg)
{
	j_decompress_ptr info = &r->info;
	if (shrink != 1 && shrink != 2 && shrink != 4 && shrink != 8)
		return -1;
	if (jpeg_read_header(info, TRUE) != JPEG_HEADER_OK || jpeg_has_multiple_scans(info) || info->num_components != bands ||
		(bands == 1 ? info->jpeg_color_space != JCS_GRAYSCALE : info->jpeg_color_space != JCS_YCbCr && info->jpeg_color_space != JCS_RGB))
		return -1;
	info->out_color_space = bands == 1 ? JCS_GRAYSCALE : JCS_RGB;
	info->scale_num = 1;
	info->scale_denom = shrink;
	jpeg_calc_output_dimensions(info);
	// libvips rounds down where libjpeg rounds up
	if (info->output_components != bands || info->image_width / shrink != width || info->image_height / shrink != height)
		return -1;
	if (!sl_scales(info->image_width, info->output_width, shrink) || !sl_scales(info->image_height, info->output_height, shrink))
		return -1;
	if (!jpeg_start_decompress(info))
		return -1;
	if (!*libjpeg)
		sl_huffman_install(info, end, libjpeg);
	r->line = (size_t) width * bands;
	r->spare = (*info->mem->alloc_small)((j_common_ptr) info, JPOOL_IMAGE, (size_t) info->output_width * bands);
	return 0;
}

int sl_jpeg_rows_open(sl_jpeg_rows *r, const uint8_t *file, size_t size, int bands, int shrink, int width, int height, int *libjpeg)
{
	memset(&r->info, 0, sizeof r->info); // so that close has something to look at
	sl_pieces_init(&r->pieces, file, size);
	sl_errors_init(&r->errors);
	r->info.err = &r->errors.public;
	if (setjmp(r->errors.failed))
		return -1;
	jpeg_create_decompress(&r->info);
	r->info.src = &r->pieces.public;
	return sl_begin(r, file + size, bands, shrink, width, height, libjpeg);
}

int sl_jpeg_rows_next(sl_jpeg_rows *r, uint8_t *row)
{
	int wider = (size_t) r->info.output_width * r->info.output_components > r->line;
	JSAMPLE *to = row && !wider ? row : r->spare;
	if (setjmp(r->errors.failed))
		return -1;
	if (jpeg_read_scanlines(&r->info, &to, 1) != 1)
		return 1;
	if (row && wider)
		memcpy(row, r->spare, r->line);
	return 0;
}

void sl_jpeg_rows_finish(sl_jpeg_rows *r)
{
	int err = 0;
	while (!err && r->info.output_scanline < r->info.output_height)
		err = sl_jpeg_rows_next(r, NULL);
	if (err || setjmp(r->errors.failed)) {
		r->errors.public.num_warnings++;
		return;
	}
	jpeg_finish_decompress(&r->info);
}

int sl_jpeg_rows_damaged(const sl_jpeg_rows *r) { return r->errors.public.num_warnings > 0; }

void sl_jpeg_rows_close(sl_jpeg_rows *r) { jpeg_destroy_decompress(&r->info); }
