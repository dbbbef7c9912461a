#include <vips/vips.h>

#include "sl_generate.h"
#include "sl_image.h"

// libvips' own premultiply and unpremultiply work in float, and take as long as decoding a PNG. 8 bits are enough for
// what a screen shows; integer arithmetic takes a tenth of the time.

static void sl_weigh(const VipsPel *p, VipsPel *q, int width, int colours)
{
	for (int x = 0; x < width; x++) {
		unsigned int alpha = p[colours];
		for (int b = 0; b < colours; b++) {
			// v * alpha / 255, rounded, without a division
			unsigned int t = p[b] * alpha + 128;
			q[b] = (t + (t >> 8)) >> 8;
		}
		q[colours] = alpha;
		p += colours + 1;
		q += colours + 1;
	}
}

static void sl_unweigh(const VipsPel *p, VipsPel *q, int width, int colours, const unsigned int *inverse)
{
	for (int x = 0; x < width; x++) {
		unsigned int alpha = p[colours];
		for (int b = 0; b < colours; b++) {
			unsigned int v = (p[b] * inverse[alpha] + 0x8000) >> 16;
			q[b] = v > 255 ? 255 : v;
		}
		q[colours] = alpha;
		p += colours + 1;
		q += colours + 1;
	}
}

static int sl_alpha_generate(VipsRegion *out, void *seq, void *a, void *b, gboolean *stop)
{
	VipsRegion *in = seq;
	const VipsRect *r = &out->valid;
	int colours = out->im->Bands - 1;
	if (vips_region_prepare(in, r))
		return -1;
	for (int y = r->top; y < r->top + r->height; y++) {
		const VipsPel *p = VIPS_REGION_ADDR(in, r->left, y);
		VipsPel *q = VIPS_REGION_ADDR(out, r->left, y);
		if (b)
			sl_unweigh(p, q, r->width, colours, b);
		else
			sl_weigh(p, q, r->width, colours);
	}
	return 0;
}

int sl_premultiply(VipsImage *in, VipsImage **out)
{
	if (in->BandFmt != VIPS_FORMAT_UCHAR)
		return vips_premultiply(in, out, NULL);
	return sl_generate(in, out, VIPS_DEMAND_STYLE_THINSTRIP, sl_alpha_generate, NULL);
}

int sl_unpremultiply(VipsImage *in, VipsImage **out)
{
	if (in->BandFmt != VIPS_FORMAT_UCHAR)
		return vips_unpremultiply(in, out, NULL);
	unsigned int *inverse = VIPS_ARRAY(NULL, 256, unsigned int);
	inverse[0] = 0;
	for (int alpha = 1; alpha < 256; alpha++)
		inverse[alpha] = (255u * 65536 + alpha / 2) / alpha;
	int err = sl_generate(in, out, VIPS_DEMAND_STYLE_THINSTRIP, sl_alpha_generate, inverse);
	if (err)
		g_free(inverse);
	else
		g_object_set_data_full(G_OBJECT(*out), "sl-inverse", inverse, g_free);
	return err;
}
