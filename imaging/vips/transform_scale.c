#include <math.h>
#include <string.h>
#include <vips/vips.h>

#include "sl_transform_scale.h"
#include "_cgo_export.h"

// sl_reach sets which rows of a frame are needed for n rows of the result from row y on. The Lanczos kernel reaches
// three rows of the result, and the box filter a bit more. The first row starts a pair of boxes, so the strip gets the
// same weights as the whole frame.
static void sl_reach(const sl_scaling *s, int y, int n, int *first, int *rows)
{
	double scale = s->height / s->to_height;
	int box = VIPS_MAX((int) (scale / 2), 1);
	double margin = 3 * scale + 2 * box + 2;
	*first = VIPS_MAX((int) floor((s->top + y * scale - margin) / (2 * box)), 0) * 2 * box;
	*rows = VIPS_MIN((int) ceil(s->top + (y + n) * scale + margin), s->from_height) - *first;
}

// sl_scale_strip scales the rows of need, which in has prepared, to n rows of the result from row y on. first is their
// first row within the frame.
static int sl_scale_strip(sl_scaling *s, VipsRegion *in, const VipsRect *need, int first, void *out, int y, int n)
{
	size_t row = VIPS_IMAGE_SIZEOF_LINE(in->im);
	if ((size_t) VIPS_REGION_LSKIP(in) == row)
		return slScaleRows(s, VIPS_REGION_ADDR(in, 0, need->top), first, need->height, out, y, n);
	uint8_t *rows = g_malloc(row * need->height); // the region is a part of a wider picture
	for (int k = 0; k < need->height; k++)
		memcpy(rows + k * row, VIPS_REGION_ADDR(in, 0, need->top + k), row);
	int err = slScaleRows(s, rows, first, need->height, out, y, n);
	g_free(rows);
	return err;
}

static int sl_scale_generate(VipsRegion *out, void *seq, void *a, void *b, gboolean *stop)
{
	VipsRegion *in = (VipsRegion *) seq;
	sl_scaling *s = b;
	const VipsRect *r = &out->valid;
	if (r->width != s->to_width || (size_t) VIPS_REGION_LSKIP(out) != VIPS_IMAGE_SIZEOF_LINE(out->im)) {
		vips_error("safelight", "a strip has no whole rows");
		return -1;
	}
	for (int y = r->top, n; y < VIPS_RECT_BOTTOM(r); y += n) {
		int frame = y / s->to_height, at = y % s->to_height, first, rows;
		n = VIPS_MIN(VIPS_RECT_BOTTOM(r) - y, s->to_height - at);
		sl_reach(s, at, n, &first, &rows);
		VipsRect need = { 0, frame * s->from_height + first, s->from_width, rows };
		if (vips_region_prepare(in, &need))
			return -1;
		if (sl_scale_strip(s, in, &need, first, VIPS_REGION_ADDR(out, 0, y), at, n)) {
			vips_error("safelight", "stopped, or not enough memory to scale a picture");
			return -1;
		}
	}
	return 0;
}

int sl_scale(VipsImage *in, VipsImage **out, sl_scaling scaling, int strip)
{
	VipsImage *t = vips_image_new();
	sl_scaling *s = VIPS_NEW(t, sl_scaling);
	*s = scaling;
	g_object_ref(in); // the regions of the result read it as long as there is one
	vips_object_local(t, in);
	int err = vips_image_pipelinev(t, VIPS_DEMAND_STYLE_FATSTRIP, in, NULL);
	if (!err) {
		t->Xsize = s->to_width;
		t->Ysize = in->Ysize / s->from_height * s->to_height;
		if (vips_image_get_typeof(in, VIPS_META_PAGE_HEIGHT))
			vips_image_set_int(t, VIPS_META_PAGE_HEIGHT, s->to_height);
		err = vips_image_generate(t, vips_start_one, sl_scale_generate, vips_stop_one, in, s)
			|| vips_sequential(t, out, "tile_height", strip, NULL);
	}
	g_object_unref(t);
	return err ? -1 : 0;
}
