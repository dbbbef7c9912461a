#include <vips/vips.h>

#include "sl_image.h"
#include "sl_decode_pixels.h"
#include "sl_generate.h"

void sl_unref(VipsImage *in) { g_object_unref(in); }

VipsImage *sl_ref(VipsImage *in) { return g_object_ref(in); }

int sl_width(VipsImage *in) { return in->Xsize; }
int sl_height(VipsImage *in) { return in->Ysize; }
int sl_bands(VipsImage *in) { return in->Bands; }
int sl_interpretation(VipsImage *in) { return in->Type; }
int sl_format(VipsImage *in) { return in->BandFmt; }

int sl_sample_size(VipsImage *in)
{
	return (int) VIPS_IMAGE_SIZEOF_ELEMENT(in);
}

int sl_has_alpha(VipsImage *in) { return vips_image_hasalpha(in); }

int sl_page_height(VipsImage *in) { return vips_image_get_page_height(in); }

int sl_get_int(VipsImage *in, const char *name, int *value)
{
	if (!vips_image_get_typeof(in, name))
		return -1;
	return vips_image_get_int(in, name, value);
}

int sl_alias(VipsImage *in, VipsImage **out)
{
	const void *pixels = sl_pixels(in);
	if (!pixels)
		return vips_copy(in, out, NULL);
	size_t size = VIPS_IMAGE_SIZEOF_IMAGE(in);
	VipsImage *t = vips_image_new_from_memory(pixels, size, in->Xsize, in->Ysize, in->Bands, VIPS_FORMAT_UCHAR);
	if (!t)
		return -1;
	g_object_set_data_full(G_OBJECT(t), "sl-pixels", g_object_ref(in), g_object_unref);
	if (vips_image_pipelinev(t, VIPS_DEMAND_STYLE_THINSTRIP, in, NULL)) {
		g_object_unref(t);
		return -1;
	}
	*out = t;
	return 0;
}

int sl_set_frames(VipsImage *in, VipsImage **out, int page_height)
{
	if (page_height <= 0 && !vips_image_get_typeof(in, VIPS_META_PAGE_HEIGHT) &&
		!vips_image_get_typeof(in, VIPS_META_N_PAGES)) {
		*out = g_object_ref(in); // a still already
		return 0;
	}
	if (sl_alias(in, out))
		return -1;
	if (page_height > 0 && page_height < (*out)->Ysize) {
		vips_image_set_int(*out, VIPS_META_PAGE_HEIGHT, page_height);
		vips_image_set_int(*out, VIPS_META_N_PAGES, (*out)->Ysize / page_height);
	} else {
		vips_image_remove(*out, VIPS_META_PAGE_HEIGHT);
		vips_image_remove(*out, VIPS_META_N_PAGES);
	}
	return 0;
}

int sl_set_threads(VipsImage *in, VipsImage **out, int threads)
{
	if (sl_alias(in, out))
		return -1;
	vips_image_set_int(*out, VIPS_META_CONCURRENCY, threads);
	return 0;
}

int sl_copy_memory(VipsImage *in, VipsImage **out)
{
	*out = vips_image_copy_memory(in);
	if (!*out)
		return -1;
	// The copy outlives the image to which its progress signals would go.
	if (*out != in)
		vips_image_set_progress(*out, FALSE);
	return 0;
}

int sl_extract(VipsImage *in, VipsImage **out, int left, int top, int width, int height)
{
	return vips_extract_area(in, out, left, top, width, height, NULL);
}

int sl_join_down(VipsImage **in, VipsImage **out, int n)
{
	return vips_arrayjoin(in, out, n, "across", 1, NULL);
}

int sl_cast_uchar(VipsImage *in, VipsImage **out)
{
	return vips_cast_uchar(in, out, NULL);
}

int sl_first_bands(VipsImage *in, VipsImage **out, int n)
{
	return vips_extract_band(in, out, 0, "n", n, NULL);
}

int sl_colourspace(VipsImage *in, VipsImage **out, int space)
{
	return vips_colourspace(in, out, space, NULL);
}

int sl_add_alpha(VipsImage *in, VipsImage **out)
{
	return vips_addalpha(in, out, NULL);
}

int sl_flatten(VipsImage *in, VipsImage **out, double r, double g, double b)
{
	double background[3] = { r, g, b };
	VipsArrayDouble *array = vips_array_double_new(background, in->Bands < 4 ? 1 : 3);
	int err = vips_flatten(in, out, "background", array, NULL);
	vips_area_unref(VIPS_AREA(array));
	return err;
}

static void sl_on_eval(VipsImage *in, VipsProgress *progress, int *stop)
{
	if (__atomic_load_n(stop, __ATOMIC_RELAXED))
		vips_image_set_kill(in, TRUE);
}

void sl_watch(VipsImage *in, int *stop)
{
	if (in->progress_signal == in)
		return;
	// An image inherits the target of its signals from its input. That may be a small source that is cached by now.
	// Nothing requests its pixels again, so killing it would stop nothing.
	vips_image_set_progress(in, FALSE);
	vips_image_set_progress(in, TRUE);
	g_signal_connect(in, "eval", G_CALLBACK(sl_on_eval), stop);
}

static int sl_stoppable_generate(VipsRegion *out, void *seq, void *a, void *b, gboolean *stop)
{
	if (__atomic_load_n((int *) b, __ATOMIC_RELAXED)) {
		vips_error("safelight", "stopped");
		return -1;
	}
	return sl_copy_region(out, seq, a, b, stop);
}

int sl_stoppable(VipsImage *in, VipsImage **out, int *stop)
{
	return sl_generate(in, out, VIPS_DEMAND_STYLE_THINSTRIP, sl_stoppable_generate, stop);
}

static int sl_report_generate(VipsRegion *out, void *seq, void *a, void *b, gboolean *stop)
{
	int err = sl_copy_region(out, seq, a, b, stop);
	if (err)
		__atomic_store_n((int *) b, 1, __ATOMIC_RELAXED);
	return err;
}

int sl_report_failure(VipsImage *in, VipsImage **out, int *failed)
{
	return sl_generate(in, out, in->dhint, sl_report_generate, failed);
}

int sl_unwatch(VipsImage *in, VipsImage **out)
{
	if (sl_alias(in, out))
		return -1;
	vips_image_set_progress(*out, FALSE);
	return 0;
}

int sl_icc_transform(VipsImage *in, VipsImage **out, const char *profile, const char *fallback)
{
	return vips_icc_transform(in, out, profile, "embedded", TRUE, "input_profile", fallback, NULL);
}

char **sl_fields(VipsImage *in) { return vips_image_get_fields(in); }

char *sl_get_text(VipsImage *in, const char *name)
{
	char *text = NULL;
	if (!vips_image_get_typeof(in, name) || vips_image_get_as_string(in, name, &text))
		return NULL;
	return text;
}

const void *sl_get_blob(VipsImage *in, const char *name, size_t *size)
{
	const void *data = NULL;
	if (!vips_image_get_typeof(in, name) || vips_image_get_blob(in, name, &data, size))
		return NULL;
	return data;
}

const int *sl_get_ints(VipsImage *in, const char *name, int *n)
{
	int *values = NULL;
	if (!vips_image_get_typeof(in, name) || vips_image_get_array_int(in, name, &values, n))
		return NULL;
	return values;
}

void sl_remove(VipsImage *in, const char *name) { vips_image_remove(in, name); }

void sl_set_ints(VipsImage *in, const char *name, const int *values, int n)
{
	vips_image_set_array_int(in, name, values, n);
}

void sl_set_blob(VipsImage *in, const char *name, const void *data, size_t size)
{
	vips_image_set_blob_copy(in, name, data, size);
}
