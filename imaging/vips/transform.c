#include <math.h>
#include <vips/vips.h>

#include "sl_transform.h"

int sl_resize(VipsImage *in, VipsImage **out, int width, int height)
{
	return vips_resize(in, out, (double) width / in->Xsize, "vscale", (double) height / in->Ysize, NULL);
}

// sl_cubic transforms a picture by a matrix, given by rows, so that the point x, y moves to to_x, to_y, and keeps
// width x height pixels. Coordinates are those of the centers of pixels. Beyond the picture, its edge pixels are
// repeated.
static int sl_cubic(
	VipsImage *in, VipsImage **out, const double affine[4], double x, double y, double to_x, double to_y, int width,
	int height)
{
	VipsInterpolate *bicubic = vips_interpolate_new("bicubic");
	VipsArrayInt *area = vips_array_int_newv(4, 0, 0, width, height);
	int err = vips_affine(in, out, affine[0], affine[1], affine[2], affine[3], "interpolate", bicubic, "oarea", area,
		"extend", VIPS_EXTEND_COPY, "premultiplied", TRUE, "idx", -x, "idy", -y, "odx", to_x, "ody", to_y, NULL);
	vips_area_unref(VIPS_AREA(area));
	g_object_unref(bicubic);
	return err;
}

// vips_resize enlarges to half a pixel of the result away from where it belongs.
int sl_enlarge(VipsImage *in, VipsImage **out, int width, int height)
{
	const double scale[4] = { (double) width / in->Xsize, 0, 0, (double) height / in->Ysize };
	return sl_cubic(in, out, scale, -0.5, -0.5, -0.5, -0.5, width, height);
}

int sl_shrink(VipsImage *in, VipsImage **out, int n)
{
	return vips_shrink(in, out, n, n, "ceil", TRUE, NULL);
}

int sl_shrink_rows(VipsImage *in, VipsImage **out, int n)
{
	return vips_shrinkv(in, out, n, "ceil", TRUE, NULL);
}

// libvips gives scRGB an alpha of 0..1 in some versions and of 0..255 in others: its own is used throughout.
int sl_to_linear(VipsImage *in, VipsImage **out)
{
	if (!vips_image_hasalpha(in))
		return vips_colourspace(in, out, VIPS_INTERPRETATION_scRGB, NULL);
	VipsImage *t = NULL;
	int err = vips_colourspace(in, &t, VIPS_INTERPRETATION_scRGB, NULL) || vips_premultiply(t, out, NULL);
	VIPS_UNREF(t);
	return err ? -1 : 0;
}

int sl_from_linear(VipsImage *in, VipsImage **out)
{
	VipsImage *t[3] = { NULL };
	int err = (vips_image_hasalpha(in) ? vips_unpremultiply(in, &t[0], NULL) : vips_copy(in, &t[0], NULL))
		|| vips_copy(t[0], &t[1], "interpretation", VIPS_INTERPRETATION_scRGB, NULL)
		|| vips_colourspace(t[1], &t[2], VIPS_INTERPRETATION_sRGB, NULL)
		|| vips_cast_uchar(t[2], out, NULL);
	for (int i = 0; i < 3; i++)
		VIPS_UNREF(t[i]);
	return err ? -1 : 0;
}

int sl_rotate(VipsImage *in, VipsImage **out, int degrees)
{
	switch (degrees) {
	case 90:
		return vips_rot90(in, out, NULL);
	case 180:
		return vips_rot180(in, out, NULL);
	case 270:
		return vips_rot270(in, out, NULL);
	}
	return vips_copy(in, out, NULL);
}

int sl_straighten(VipsImage *in, VipsImage **out, double degrees, double x, double y, int width, int height)
{
	double c = cos(VIPS_RAD(degrees)), s = sin(VIPS_RAD(degrees));
	const double turn[4] = { c, s, -s, c };
	return sl_cubic(in, out, turn, x - 0.5, y - 0.5, (width - 1) / 2.0, (height - 1) / 2.0, width, height);
}

int sl_flip(VipsImage *in, VipsImage **out, int vertical)
{
	return vips_flip(in, out, vertical ? VIPS_DIRECTION_VERTICAL : VIPS_DIRECTION_HORIZONTAL, NULL);
}

int sl_attention(VipsImage *in, int width, int height, int *left, int *top)
{
	VipsImage *window;
	if (vips_smartcrop(in, &window, width, height, "interesting", VIPS_INTERESTING_ATTENTION, NULL))
		return -1;
	// 8.14 does not tell where it cut but in the origin of what it returns.
	*left = -window->Xoffset;
	*top = -window->Yoffset;
	g_object_unref(window);
	return 0;
}

int sl_embed(VipsImage *in, VipsImage **out, int left, int top, int width, int height, double *colour)
{
	VipsArrayDouble *background = vips_array_double_new(colour, in->Bands);
	int err = vips_embed(in, out, left, top, width, height,
		"extend", VIPS_EXTEND_BACKGROUND, "background", background, NULL);
	vips_area_unref(VIPS_AREA(background));
	return err;
}

int sl_solid(VipsImage **out, int width, int height, double *colour, int bands)
{
	VipsImage *pixel, *wide;
	if (vips_black(&pixel, width, height, "bands", bands, NULL))
		return -1;
	double ones[4] = { 1, 1, 1, 1 };
	int err = vips_linear(pixel, &wide, ones, colour, bands, "uchar", TRUE, NULL);
	g_object_unref(pixel);
	if (err)
		return -1;
	err = vips_copy(wide, out, "interpretation", VIPS_INTERPRETATION_sRGB, NULL);
	g_object_unref(wide);
	return err;
}

int sl_composite_over(VipsImage *base, VipsImage *over, VipsImage **out, int left, int top)
{
	VipsImage *mixed;
	if (vips_composite2(base, over, &mixed, VIPS_BLEND_MODE_OVER, "x", left, "y", top, NULL))
		return -1;
	int err = vips_cast_uchar(mixed, out, NULL);
	g_object_unref(mixed);
	return err;
}

int sl_insert(VipsImage *base, VipsImage *over, VipsImage **out, int left, int top)
{
	return vips_insert(base, over, out, left, top, NULL);
}

int sl_blur(VipsImage *in, VipsImage **out, double sigma)
{
	// Integer precision is faster and shifts flat colours by up to 2 levels.
	VipsImage *t[2] = { NULL };
	int err = vips_gaussblur(in, &t[0], sigma, "precision", VIPS_PRECISION_FLOAT, NULL)
		|| vips_rint(t[0], &t[1], NULL)
		|| vips_cast(t[1], out, in->BandFmt, NULL);
	VIPS_UNREF(t[0]);
	VIPS_UNREF(t[1]);
	return err ? -1 : 0;
}

static void sl_premultiplied(const VipsPel *p, int bands, double *v)
{
	int colours = bands == 2 || bands == 4 ? bands - 1 : bands;
	double alpha = colours == bands ? 255 : p[colours];
	for (int b = 0; b < colours; b++)
		v[b] = p[b] * alpha / 255;
	if (colours < bands)
		v[colours] = alpha;
}

int sl_pixel(VipsImage *in, int x, int y, double *colour)
{
	if (in->Bands > 4 || in->BandFmt != VIPS_FORMAT_UCHAR || vips_image_wio_input(in))
		return -1;
	sl_premultiplied(VIPS_IMAGE_ADDR(in, x, y), in->Bands, colour);
	return 0;
}

static int sl_differs(const VipsPel *p, int bands, const double *colour, double limit)
{
	double v[4], sum = 0;
	sl_premultiplied(p, bands, v);
	for (int b = 0; b < bands; b++)
		sum += (v[b] - colour[b]) * (v[b] - colour[b]);
	return sum > limit;
}

int sl_content(VipsImage *in, const double *colour, double tolerance, int *left, int *top, int *width, int *height)
{
	int l = in->Xsize, r = -1, t = -1, b = -1;
	double limit = tolerance * tolerance;
	if (in->Bands > 4 || in->BandFmt != VIPS_FORMAT_UCHAR || vips_image_wio_input(in))
		return -1;
	for (int y = 0; y < in->Ysize; y++) {
		const VipsPel *row = VIPS_IMAGE_ADDR(in, 0, y);
		int x = 0, z = in->Xsize - 1;
		while (x < in->Xsize && !sl_differs(row + x * in->Bands, in->Bands, colour, limit))
			x++;
		if (x == in->Xsize)
			continue;
		// The right edge matters only beyond the furthest one so far.
		while (z > r && !sl_differs(row + z * in->Bands, in->Bands, colour, limit))
			z--;
		if (t < 0)
			t = y;
		b = y;
		l = VIPS_MIN(l, x);
		r = VIPS_MAX(r, z);
	}
	*left = l;
	*top = t;
	*width = r < 0 ? 0 : r - l + 1;
	*height = b - t + 1;
	return 0;
}
