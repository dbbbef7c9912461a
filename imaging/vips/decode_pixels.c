#include <math.h>
#include <vips/vips.h>

#include "sl_decode_pixels.h"
#include "sl_generate.h"
#include "_cgo_export.h"

void *sl_pixels_new(size_t size) { return vips_tracked_malloc(size); }

void sl_pixels_free(void *pixels) { vips_tracked_free(pixels); }

int sl_borrow_pixels(VipsImage *header, const void *pixels, int width, int height, VipsImage **out)
{
	int bands = header->Bands;
	size_t size = (size_t) width * height * bands;
	VipsImage *t = vips_image_new_from_memory(pixels, size, width, height, bands, VIPS_FORMAT_UCHAR);
	if (!t)
		return -1;
	if (vips_image_pipelinev(t, VIPS_DEMAND_STYLE_THINSTRIP, header, NULL)) {
		g_object_unref(t);
		return -1;
	}
	t->Xsize = width;
	t->Ysize = height;
	*out = t;
	return 0;
}

int sl_load_pixels(VipsImage *header, void *pixels, int width, int height, VipsImage **out)
{
	int err = sl_borrow_pixels(header, pixels, width, height, out);
	g_object_unref(header);
	if (err)
		sl_pixels_free(pixels);
	else
		g_object_set_data_full(G_OBJECT(*out), "sl-pixels", pixels, sl_pixels_free);
	return err;
}

static int sl_rows_generate(VipsRegion *out, void *seq, void *rows, void *b, gboolean *stop)
{
	const VipsRect *r = &out->valid;
	for (int y = r->top; y < r->top + r->height; y++)
		if (slReadRow((uintptr_t) rows, y, VIPS_REGION_ADDR(out, 0, y))) {
			vips_error("safelight", "row %d cannot be decoded", y);
			return -1;
		}
	return 0;
}

int sl_rows_image(VipsImage *header, int width, int height, uintptr_t rows, VipsImage **out)
{
	VipsImage *t = vips_image_new();
	int err = vips_image_pipelinev(t, VIPS_DEMAND_STYLE_FATSTRIP, header, NULL);
	if (!err) {
		t->Xsize = width;
		t->Ysize = height;
		err = vips_image_generate(t, NULL, sl_rows_generate, NULL, (void *) rows, NULL) ||
			vips_sequential(t, out, "tile_height", 8, NULL); // whole rows, in order
	}
	g_object_unref(t);
	return err ? -1 : 0;
}

int sl_header(VipsImage *in, VipsImage **out)
{
	VipsImage *t = vips_image_new();
	if (vips_image_pipelinev(t, VIPS_DEMAND_STYLE_THINSTRIP, in, NULL)) {
		g_object_unref(t);
		return -1;
	}
	*out = t;
	return 0;
}

void sl_resolution(VipsImage *in, unsigned int *across, unsigned int *down)
{
	*across = (unsigned int) rint(VIPS_CLIP(0, in->Xres * 1000, 2e9));
	*down = (unsigned int) rint(VIPS_CLIP(0, in->Yres * 1000, 2e9));
}

const void *sl_pixels(VipsImage *in)
{
	int held = in->dtype == VIPS_IMAGE_SETBUF || in->dtype == VIPS_IMAGE_SETBUF_FOREIGN;
	return held && in->BandFmt == VIPS_FORMAT_UCHAR && in->Coding == VIPS_CODING_NONE ? in->data : NULL;
}

void *sl_decoded_bytes(VipsImage *in, size_t *size)
{
	*size = VIPS_IMAGE_SIZEOF_IMAGE(in);
	return VIPS_IMAGE_ADDR(in, 0, 0);
}

int sl_decoded_image(
	VipsImage *header, const void *data, size_t size, int width, int height, int bands, int format, VipsImage **out)
{
	VipsImage *pixels = vips_image_new_from_memory(data, size, width, height, bands, (VipsBandFormat) format);
	if (!pixels)
		return -1;
	*out = vips_image_new();
	if (!vips_image_pipelinev(*out, header->dhint, header, NULL)) {
		(*out)->Xsize = width;
		(*out)->Ysize = height;
		(*out)->Bands = bands;
		(*out)->BandFmt = (VipsBandFormat) format;
		if (!vips_image_generate(*out, vips_start_one, sl_copy_region, vips_stop_one, pixels, NULL)) {
			vips_object_local(*out, pixels); // its regions read the pixels as long as one exists
			return 0;
		}
	}
	g_object_unref(pixels);
	g_object_unref(*out);
	*out = NULL;
	return -1;
}
