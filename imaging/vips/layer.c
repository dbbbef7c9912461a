#include <vips/vips.h>

#include "sl_layer.h"

int sl_blend(VipsImage *base, VipsImage *over, VipsImage **out, int left, int top, const char *name)
{
	VipsImage *t[3] = { NULL };
	int mode = vips_enum_from_nick("safelight", VIPS_TYPE_BLEND_MODE, name);
	if (mode < 0)
		return -1;
	int masks = mode == VIPS_BLEND_MODE_DEST_IN || mode == VIPS_BLEND_MODE_DEST_OUT;
	int bands = vips_image_hasalpha(base) || masks ? 4 : 3;
	int err = vips_composite2(base, over, &t[0], mode, "x", left, "y", top, NULL)
		|| vips_extract_band(t[0], &t[1], 0, "n", bands, NULL)
		|| vips_rint(t[1], &t[2], NULL)
		|| vips_cast_uchar(t[2], out, NULL);
	for (int i = 0; i < 3; i++)
		VIPS_UNREF(t[i]);
	return err ? -1 : 0;
}

int sl_fade(VipsImage *in, VipsImage **out, double factor)
{
	double a[4] = { 1, 1, 1, factor };
	double b[4] = { 0, 0, 0, 0.5 };
	if (in->Bands != 4)
		return -1;
	return vips_linear(in, out, a, b, 4, "uchar", TRUE, NULL);
}

int sl_tile(VipsImage *in, VipsImage **out, int across, int down)
{
	return vips_replicate(in, out, across, down, NULL);
}

int sl_tint(VipsImage *mask, VipsImage **out, double r, double g, double b, double alpha)
{
	double zeros[3] = { 0, 0, 0 };
	double colour[3] = { r, g, b };
	VipsImage *t[4] = { NULL };
	int err = vips_linear(mask, &t[0], zeros, colour, 3, "uchar", TRUE, NULL)
		|| vips_linear1(mask, &t[1], alpha, 0.5, "uchar", TRUE, NULL)
		|| vips_bandjoin2(t[0], t[1], &t[2], NULL)
		|| vips_copy(t[2], out, "interpretation", VIPS_INTERPRETATION_sRGB, NULL);
	for (int i = 0; i < 4; i++)
		VIPS_UNREF(t[i]);
	return err ? -1 : 0;
}
