#include <vips/vips.h>

#include "sl_decode.h"
#include "sl_encode.h"

int sl_one_band(VipsImage *in, VipsImage **out)
{
	VipsImage *t[3] = { NULL };
	int err = vips_extract_band(in, &t[0], 1, NULL);
	if (!err && vips_image_hasalpha(in))
		err = vips_extract_band(in, &t[1], in->Bands - 1, NULL) || vips_bandjoin2(t[0], t[1], &t[2], NULL);
	if (!err)
		err = vips_copy(t[2] ? t[2] : t[0], out, "interpretation", VIPS_INTERPRETATION_B_W, NULL);
	for (int i = 0; i < 3; i++)
		VIPS_UNREF(t[i]);
	return err ? -1 : 0;
}

// A level of a pyramid: the colors of 2 x 2 pixels of the level below, averaged over those that have one. The last of
// four bytes is whether there is a color.
typedef struct {
	int width, height;
	VipsPel *pixels;
} sl_level;

static void sl_halve(const sl_level *from, sl_level *to)
{
	for (int y = 0; y < to->height; y++)
		for (int x = 0; x < to->width; x++) {
			int sum[3] = { 0 }, n = 0;
			for (int k = 0; k < 4; k++) {
				int fx = 2 * x + k % 2, fy = 2 * y + k / 2;
				if (fx >= from->width || fy >= from->height)
					continue;
				const VipsPel *p = from->pixels + 4 * ((size_t) fy * from->width + fx);
				if (!p[3])
					continue;
				for (int b = 0; b < 3; b++)
					sum[b] += p[b];
				n++;
			}
			VipsPel *q = to->pixels + 4 * ((size_t) y * to->width + x);
			for (int b = 0; b < 3; b++)
				q[b] = n ? (sum[b] + n / 2) / n : 0;
			q[3] = n > 0;
		}
}

// sl_fill gives pixels without a color the color of the level above, which has no gaps.
static void sl_fill(const sl_level *above, sl_level *level, int mark)
{
	for (int y = 0; y < level->height; y++)
		for (int x = 0; x < level->width; x++) {
			VipsPel *q = level->pixels + 4 * ((size_t) y * level->width + x);
			if (q[3])
				continue;
			const VipsPel *p = above->pixels + 4 * ((size_t) (y / 2) * above->width + x / 2);
			q[0] = p[0];
			q[1] = p[1];
			q[2] = p[2];
			q[3] = mark;
		}
}

int sl_spread(VipsImage *in, VipsImage **out)
{
	if (in->Bands != 4 || in->BandFmt != VIPS_FORMAT_UCHAR || vips_image_wio_input(in))
		return vips_copy(in, out, NULL);
	// copy_memory would return an image in memory unchanged, and others may read that
	VipsImage *lazy;
	if (vips_copy(in, &lazy, NULL))
		return -1;
	VipsImage *own = vips_image_copy_memory(lazy);
	g_object_unref(lazy);
	if (!own)
		return -1;
	vips_image_set_progress(own, FALSE);
	sl_level levels[32] = { { own->Xsize, own->Ysize, VIPS_IMAGE_ADDR(own, 0, 0) } };
	int n = 1;
	while (levels[n - 1].width > 1 || levels[n - 1].height > 1) {
		sl_level *from = &levels[n - 1], *to = &levels[n++];
		to->width = (from->width + 1) / 2;
		to->height = (from->height + 1) / 2;
		to->pixels = g_malloc((size_t) 4 * to->width * to->height);
		sl_halve(from, to);
	}
	if (n == 1 || levels[n - 1].pixels[3]) // otherwise nothing is visible
		for (int k = n - 2; k >= 0; k--)
			sl_fill(&levels[k + 1], &levels[k], k > 0);
	for (int k = 1; k < n; k++)
		g_free(levels[k].pixels);
	*out = own;
	return 0;
}

// sl_bytes_out is where a saver that can be stopped leaves its file.
typedef struct {
	GByteArray *bytes;
	int *stop;
} sl_bytes_out;

static gint64 sl_on_write(VipsTargetCustom *target, const void *data, gint64 length, sl_bytes_out *out)
{
	if (__atomic_load_n(out->stop, __ATOMIC_RELAXED))
		return -1;
	g_byte_array_append(out->bytes, data, (guint) length);
	return length;
}

static void sl_set_saver(VipsOperation *operation, VipsImage *in, int bare)
{
	g_object_set(operation, "in", in, NULL);
	if (!bare)
		return;
#if VIPS_MAJOR_VERSION > 8 || VIPS_MINOR_VERSION >= 15
	g_object_set(operation, "keep", VIPS_FOREIGN_KEEP_NONE, NULL);
#else
	g_object_set(operation, "strip", TRUE, NULL);
#endif
}

int sl_save(VipsImage *in, const char *saver, const char *options, int bare, VipsBlob **out)
{
	VipsOperation *operation = vips_operation_new(saver);
	if (!operation)
		return -1;
	sl_set_saver(operation, in, bare);
	if (!(operation = sl_run(operation, options)))
		return -1;
	g_object_get(operation, "buffer", out, NULL);
	vips_object_unref_outputs(VIPS_OBJECT(operation));
	g_object_unref(operation);
	return *out ? 0 : -1;
}

static int sl_free_bytes(void *data, VipsArea *area)
{
	g_free(data);
	return 0;
}

int sl_save_watched(VipsImage *in, const char *saver, const char *options, int bare, int *stop, VipsBlob **out)
{
	VipsOperation *operation = vips_operation_new(saver);
	if (!operation)
		return -1;
	sl_bytes_out file = { g_byte_array_new(), stop };
	VipsTargetCustom *target = vips_target_custom_new();
	g_signal_connect(target, "write", G_CALLBACK(sl_on_write), &file);
	g_object_set(operation, "target", target, NULL);
	sl_set_saver(operation, in, bare);
	operation = sl_run(operation, options);
	if (operation) {
		vips_object_unref_outputs(VIPS_OBJECT(operation));
		g_object_unref(operation);
	}
	// Nothing may write once file is gone.
	g_signal_handlers_disconnect_by_data(target, &file);
	g_object_unref(target);
	size_t size = file.bytes->len;
	guint8 *data = g_byte_array_free(file.bytes, !operation);
	if (!operation)
		return -1;
	*out = vips_blob_new((VipsCallbackFn) sl_free_bytes, data, size);
	return 0;
}

const void *sl_blob_data(VipsBlob *blob, size_t *size) { return vips_blob_get(blob, size); }

void sl_blob_unref(VipsBlob *blob) { vips_area_unref(VIPS_AREA(blob)); }
