#include <string.h>

#include "decode_jpeg_huffman.h"
#include "decode_jpeg_scanlines.h"

// sl_is_scaled reports whether libjpeg's output has 1/shrink of a side. It has not for lossless files, which
// libjpeg-turbo 3 decodes at full size whatever scale_denom says.
static int sl_is_scaled(JDIMENSION side, JDIMENSION output, int shrink)
{
	return output == (side + shrink - 1) / shrink;
}

// sl_start runs under the setjmp of sl_jpeg_decoder_start.
static int sl_start(sl_jpeg_decoder *r, const uint8_t *end, int bands, int shrink, int width, int height, int *libjpeg)
{
	j_decompress_ptr cinfo = &r->cinfo;
	if (shrink != 1 && shrink != 2 && shrink != 4 && shrink != 8)
		return -1;
	if (jpeg_read_header(cinfo, TRUE) != JPEG_HEADER_OK || jpeg_has_multiple_scans(cinfo) ||
		cinfo->num_components != bands)
		return -1;
	J_COLOR_SPACE space = cinfo->jpeg_color_space;
	if (bands == 1 ? space != JCS_GRAYSCALE : space != JCS_YCbCr && space != JCS_RGB)
		return -1;
	cinfo->out_color_space = bands == 1 ? JCS_GRAYSCALE : JCS_RGB;
	cinfo->scale_num = 1;
	cinfo->scale_denom = shrink;
	jpeg_calc_output_dimensions(cinfo);
	// libvips rounds down where libjpeg rounds up
	if (cinfo->output_components != bands || cinfo->image_width / shrink != width ||
		cinfo->image_height / shrink != height)
		return -1;
	if (!sl_is_scaled(cinfo->image_width, cinfo->output_width, shrink) ||
		!sl_is_scaled(cinfo->image_height, cinfo->output_height, shrink))
		return -1;
	if (!jpeg_start_decompress(cinfo))
		return -1;
	if (!*libjpeg)
		sl_huff_decoder_install(cinfo, end, libjpeg);
	r->stride = (size_t) width * bands;
	size_t scanline = (size_t) cinfo->output_width * bands;
	r->scanline = (*cinfo->mem->alloc_small)((j_common_ptr) cinfo, JPOOL_IMAGE, scanline);
	return 0;
}

int sl_jpeg_decoder_start(
	sl_jpeg_decoder *r, const uint8_t *file, size_t size, int bands, int shrink, int width, int height, int *libjpeg)
{
	memset(&r->cinfo, 0, sizeof r->cinfo); // so that destroy may follow
	sl_jpeg_source_init(&r->src, file, size);
	sl_jpeg_error_init(&r->jerr);
	r->cinfo.err = &r->jerr.pub;
	if (setjmp(r->jerr.setjmp_buffer))
		return -1;
	jpeg_create_decompress(&r->cinfo);
	r->cinfo.src = &r->src.pub;
	return sl_start(r, file + size, bands, shrink, width, height, libjpeg);
}

int sl_jpeg_decoder_read(sl_jpeg_decoder *r, uint8_t *row)
{
	int wider = (size_t) r->cinfo.output_width * r->cinfo.output_components > r->stride;
	JSAMPLE *to = row && !wider ? row : r->scanline;
	if (setjmp(r->jerr.setjmp_buffer))
		return -1;
	if (jpeg_read_scanlines(&r->cinfo, &to, 1) != 1)
		return 1;
	if (row && wider)
		memcpy(row, r->scanline, r->stride);
	return 0;
}

void sl_jpeg_decoder_finish(sl_jpeg_decoder *r)
{
	int err = 0;
	while (!err && r->cinfo.output_scanline < r->cinfo.output_height)
		err = sl_jpeg_decoder_read(r, NULL);
	if (err || setjmp(r->jerr.setjmp_buffer)) {
		r->jerr.pub.num_warnings++;
		return;
	}
	jpeg_finish_decompress(&r->cinfo);
}

int sl_jpeg_decoder_warned(const sl_jpeg_decoder *r) { return r->jerr.pub.num_warnings > 0; }

void sl_jpeg_decoder_destroy(sl_jpeg_decoder *r) { jpeg_destroy_decompress(&r->cinfo); }
