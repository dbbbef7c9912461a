#include <vips/vips.h>

#include "sl_filter.h"

int sl_map(VipsImage *in, VipsImage **out, const unsigned char *table)
{
	size_t size = (size_t) 256 * in->Bands;
	VipsImage *lut = vips_image_new_from_memory_copy(table, size, 256, 1, in->Bands, VIPS_FORMAT_UCHAR);
	if (!lut)
		return -1;
	// The result inherits from the table, which is not sRGB with alpha by default.
	lut->Type = in->Type;
	int err = vips_maplut(in, out, lut, NULL);
	g_object_unref(lut);
	return err;
}

// sl_spread_colours returns the colours of in without alpha, in which fully transparent pixels have the mean of the
// visible colours around them, weighted by alpha. The edge of a shape is then not an edge in colour.
static int sl_spread_colours(VipsImage *in, VipsImage **out, double sigma)
{
	VipsImage *t[8] = { NULL };
	int colours = in->Bands - 1;
	int err = vips_premultiply(in, &t[0], NULL)
		|| vips_gaussblur(t[0], &t[1], sigma, "min_ampl", 0.02, NULL)
		|| vips_unpremultiply(t[1], &t[2], NULL)
		|| vips_extract_band(t[2], &t[3], 0, "n", colours, NULL)
		|| vips_cast_uchar(t[3], &t[4], NULL)
		|| vips_extract_band(in, &t[5], 0, "n", colours, NULL)
		|| vips_extract_band(in, &t[6], colours, NULL)
		|| vips_relational_const1(t[6], &t[7], VIPS_OPERATION_RELATIONAL_MORE, 0, NULL)
		|| vips_ifthenelse(t[7], t[5], t[4], out, NULL);
	for (int i = 0; i < 8; i++)
		VIPS_UNREF(t[i]);
	return err ? -1 : 0;
}

static int sl_sharpen_opaque(VipsImage *in, VipsImage **out, double sigma)
{
	VipsImage *t[2] = { NULL };
	int err = vips_sharpen(in, &t[0], "sigma", sigma, "x1", 1.0, "m2", 2.0, NULL)
		|| vips_colourspace(t[0], &t[1], VIPS_INTERPRETATION_sRGB, NULL)
		|| vips_cast_uchar(t[1], out, NULL);
	VIPS_UNREF(t[0]);
	VIPS_UNREF(t[1]);
	return err ? -1 : 0;
}

int sl_sharpen(VipsImage *in, VipsImage **out, double sigma)
{
	if (!vips_image_hasalpha(in))
		return sl_sharpen_opaque(in, out, sigma);
	VipsImage *t[3] = { NULL };
	int err = sl_spread_colours(in, &t[0], sigma)
		|| sl_sharpen_opaque(t[0], &t[1], sigma)
		|| vips_extract_band(in, &t[2], in->Bands - 1, NULL)
		|| vips_bandjoin2(t[1], t[2], out, NULL);
	for (int i = 0; i < 3; i++)
		VIPS_UNREF(t[i]);
	return err ? -1 : 0;
}

int sl_pixelate(VipsImage *in, VipsImage **out, int block)
{
	int width = VIPS_ROUND_UP(in->Xsize, block), height = VIPS_ROUND_UP(in->Ysize, block);
	VipsImage *t[4] = { NULL };
	// The last blocks are padded with the picture's edge pixels, so that their mean is nearly unchanged.
	int err = vips_embed(in, &t[0], 0, 0, width, height, "extend", VIPS_EXTEND_COPY, NULL)
		|| vips_shrink(t[0], &t[1], block, block, NULL)
		|| vips_cast_uchar(t[1], &t[2], NULL)
		|| vips_zoom(t[2], &t[3], block, block, NULL)
		|| vips_extract_area(t[3], out, 0, 0, in->Xsize, in->Ysize, NULL);
	for (int i = 0; i < 4; i++)
		VIPS_UNREF(t[i]);
	return err ? -1 : 0;
}

int sl_mask(VipsImage *in, VipsImage **out, const unsigned char *mask)
{
	VipsImage *t[6] = { NULL };
	size_t size = (size_t) in->Xsize * in->Ysize;
	t[0] = vips_image_new_from_memory_copy(mask, size, in->Xsize, in->Ysize, 1, VIPS_FORMAT_UCHAR);
	int err = !t[0];
	if (!err && vips_image_hasalpha(in)) {
		err = vips_extract_band(in, &t[1], 0, "n", in->Bands - 1, NULL)
			|| vips_extract_band(in, &t[2], in->Bands - 1, NULL)
			|| vips_multiply(t[2], t[0], &t[3], NULL)
			|| vips_linear1(t[3], &t[4], 1.0 / 255, 0.5, NULL)
			|| vips_cast_uchar(t[4], &t[5], NULL)
			|| vips_bandjoin2(t[1], t[5], out, NULL);
	} else if (!err)
		err = vips_bandjoin2(in, t[0], out, NULL);
	for (int i = 0; i < 6; i++)
		VIPS_UNREF(t[i]);
	return err ? -1 : 0;
}

int sl_means(VipsImage *in, double *means)
{
	for (int b = 0; b < in->Bands && b < 4; b++) {
		VipsImage *t;
		if (vips_extract_band(in, &t, b, NULL))
			return -1;
		int err = vips_avg(t, &means[b], NULL);
		g_object_unref(t);
		if (err)
			return -1;
	}
	return 0;
}

void *sl_bytes(VipsImage *in, size_t *size)
{
	VipsImage *t;
	if (vips_cast_uchar(in, &t, NULL))
		return NULL;
	void *data = vips_image_write_to_memory(t, size);
	g_object_unref(t);
	return data;
}
