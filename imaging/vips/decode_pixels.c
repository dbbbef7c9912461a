#include <vips/vips.h>

#include "decode_pixels.h"

void *sl_decoded_bytes(VipsImage *in, size_t *size)
{
	*size = VIPS_IMAGE_SIZEOF_IMAGE(in);
	return VIPS_IMAGE_ADDR(in, 0, 0);
}

VipsImage *sl_decoded_new(int width, int height, int bands)
{
	VipsImage *t = vips_image_new_memory();
	vips_image_init_fields(t, width, height, bands, VIPS_FORMAT_UCHAR, VIPS_CODING_NONE,
		bands == 1 ? VIPS_INTERPRETATION_B_W : VIPS_INTERPRETATION_sRGB, 1, 1);
	if (!vips_image_write_prepare(t))
		return t;
	g_object_unref(t);
	return NULL;
}

static int sl_decoded_region(VipsRegion *out, void *seq, void *a, void *b, gboolean *stop)
{
	VipsRegion *in = (VipsRegion *) seq;
	return vips_region_prepare(in, &out->valid) || vips_region_region(out, in, &out->valid, out->valid.left, out->valid.top);
}

int sl_decoded_image(VipsImage *header, const void *data, size_t size, int width, int height, int bands, int format, VipsImage **out)
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
		if (!vips_image_generate(*out, vips_start_one, sl_decoded_region, vips_stop_one, pixels, NULL)) {
			vips_object_local(*out, pixels); // its regions read them as long as there is one
			return 0;
		}
	}
	g_object_unref(pixels);
	g_object_unref(*out);
	*out = NULL;
	return -1;
}
