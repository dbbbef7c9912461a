#include <string.h>

#include "decode_jpeg_huffman.h"
#include "decode_jpeg_scanlines.h"

// sl_is_scaled reports whether libjpeg's output has 1/shrink of a side. It does not for lossless files, which
// libjpeg-turbo 3 decodes at full size regardless of scale_denom.
static int sl_is_scaled(JDIMENSION side, JDIMENSION output, int shrink)
{
	return output == (side + shrink - 1) / shrink;
}

// sl_has_bands reports whether the image has the given number of bands, and sets the color space to decode to.
static int sl_has_bands(j_decompress_ptr cinfo, int bands)
{
	J_COLOR_SPACE space = cinfo->jpeg_color_space;
	switch (bands) {
	case 1:
		cinfo->out_color_space = JCS_GRAYSCALE;
		return space == JCS_GRAYSCALE;
	case 3:
		cinfo->out_color_space = JCS_RGB;
		return space == JCS_YCbCr || space == JCS_RGB;
	case 4:
		cinfo->out_color_space = JCS_CMYK;
		return space == JCS_CMYK || space == JCS_YCCK;
	}
	return 0;
}

static int sl_floor_side(JDIMENSION side, int shrink) { return side < (JDIMENSION) shrink ? 1 : side / shrink; }

// sl_start runs under the setjmp of sl_jpeg_decoder_start.
static int sl_start(sl_jpeg_decoder *r)
{
	j_decompress_ptr cinfo = &r->cinfo;
	const sl_jpeg_scaling *as = &r->as;
	int shrink = as->shrink;
	if (shrink != 1 && shrink != 2 && shrink != 4 && shrink != 8)
		return -1;
	if (jpeg_read_header(cinfo, TRUE) != JPEG_HEADER_OK || cinfo->num_components != as->bands ||
		!sl_has_bands(cinfo, as->bands))
		return -1;
	cinfo->scale_num = 1;
	cinfo->scale_denom = shrink;
	jpeg_calc_output_dimensions(cinfo);
	// libvips rounds down, but libjpeg rounds up.
	if (cinfo->output_components != as->bands || sl_floor_side(cinfo->image_width, shrink) != as->width ||
		sl_floor_side(cinfo->image_height, shrink) != as->height)
		return -1;
	if (!sl_is_scaled(cinfo->image_width, cinfo->output_width, shrink) ||
		!sl_is_scaled(cinfo->image_height, cinfo->output_height, shrink))
		return -1;
	if (!jpeg_start_decompress(cinfo))
		return -1;
	if (!r->by_libjpeg)
		sl_huff_decoder_install(cinfo, as->file + as->size, &r->by_libjpeg);
	r->stride = (size_t) as->width * as->bands;
	size_t scanline = (size_t) cinfo->output_width * as->bands;
	r->scanline = (*cinfo->mem->alloc_small)((j_common_ptr) cinfo, JPOOL_IMAGE, scanline);
	return 0;
}

int sl_jpeg_decoder_start(sl_jpeg_decoder *r, const sl_jpeg_scaling *as)
{
	memset(&r->cinfo, 0, sizeof r->cinfo); // so that destroy may be called
	r->as = *as;
	r->decoded = 0;
	sl_jpeg_source_init(&r->src, as->file, as->size);
	sl_jpeg_error_init(&r->jerr);
	sl_jpeg_progress_init(&r->progress, as->stop);
	r->cinfo.err = &r->jerr.pub;
	if (setjmp(r->jerr.setjmp_buffer))
		return -1;
	jpeg_create_decompress(&r->cinfo);
	r->cinfo.src = &r->src.pub;
	r->cinfo.progress = &r->progress.pub;
	return sl_start(r);
}

int sl_jpeg_decoder_try(sl_jpeg_decoder *r, uint8_t *row)
{
	int wider = (size_t) r->cinfo.output_width * r->cinfo.output_components > r->stride;
	JSAMPLE *to = row && !wider ? row : r->scanline;
	if (setjmp(r->jerr.setjmp_buffer))
		return -1;
	if (jpeg_read_scanlines(&r->cinfo, &to, 1) != 1)
		return 1;
	r->decoded++;
	if (row && wider)
		memcpy(row, r->scanline, r->stride);
	if (row && r->as.bands == 4) // CMYK is stored inverted
		for (size_t i = 0; i < r->stride; i++)
			row[i] = 255 - row[i];
	return 0;
}

// sl_restart lets libjpeg decode the file again, up to the row that failed.
static int sl_restart(sl_jpeg_decoder *r)
{
	sl_jpeg_scaling as = r->as;
	int rows = r->decoded;
	sl_jpeg_decoder_destroy(r);
	int err = sl_jpeg_decoder_start(r, &as);
	while (!err && r->decoded < rows)
		err = sl_jpeg_decoder_try(r, NULL);
	return err;
}

int sl_jpeg_decoder_read(sl_jpeg_decoder *r, uint8_t *row)
{
	int before = r->by_libjpeg, err = sl_jpeg_decoder_try(r, row);
	if (!err || r->by_libjpeg == before)
		return err;
	err = sl_restart(r);
	return err ? err : sl_jpeg_decoder_try(r, row);
}

void sl_jpeg_decoder_finish(sl_jpeg_decoder *r)
{
	int err = 0;
	while (!err && r->cinfo.output_scanline < r->cinfo.output_height)
		err = sl_jpeg_decoder_read(r, NULL);
	if (err) {
		r->jerr.pub.num_warnings++;
		return;
	}
	if (setjmp(r->jerr.setjmp_buffer)) {
		r->jerr.pub.num_warnings++;
		return;
	}
	jpeg_finish_decompress(&r->cinfo);
}

int sl_jpeg_decoder_warned(const sl_jpeg_decoder *r) { return r->jerr.pub.num_warnings > 0; }

void sl_jpeg_decoder_destroy(sl_jpeg_decoder *r) { jpeg_destroy_decompress(&r->cinfo); }
