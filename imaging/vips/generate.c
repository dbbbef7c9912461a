#include "sl_generate.h"

int sl_copy_region(VipsRegion *out, void *seq, void *a, void *b, gboolean *stop)
{
	VipsRegion *in = (VipsRegion *) seq;
	const VipsRect *r = &out->valid;
	return vips_region_prepare(in, r) || vips_region_region(out, in, r, r->left, r->top);
}

int sl_generate(VipsImage *in, VipsImage **out, VipsDemandStyle style, VipsGenerateFn generate, void *data)
{
	VipsImage *t = vips_image_new();
	g_object_ref(in); // nothing else keeps the input alive as long as its reader
	vips_object_local(t, in);
	if (vips_image_pipelinev(t, style, in, NULL) ||
		vips_image_generate(t, vips_start_one, generate, vips_stop_one, in, data)) {
		g_object_unref(t);
		return -1;
	}
	*out = t;
	return 0;
}
