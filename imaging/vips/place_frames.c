#include <vips/vips.h>

#include "place_frames.h"
#include <math.h>

// A frame at a time is a pipeline a frame, and building and running those takes longer than resizing does.
// Rows are weighed here, by one operation for all frames; columns know no frames, and are left to libvips.

#define SL_LOBES 3
#define SL_BITS 14
#define SL_BLOCK 512

#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__)
#define SL_FAST __attribute__((optimize("O3"), target_clones("avx2", "default")))
#else
#define SL_FAST
#endif

typedef struct {
	int in_height, out_height;
	int taps;	 // the most rows that one is made of
	int *start;	 // first row in the frame, for each row of the result
	int *weights; // taps a row, whose sum is 1 << SL_BITS
} SlRows;

static double sl_lanczos(double x)
{
	if (x == 0)
		return 1;
	if (x <= -SL_LOBES || x >= SL_LOBES)
		return 0;
	double a = VIPS_PI * x;
	return SL_LOBES * sin(a) * sin(a / SL_LOBES) / (a * a);
}

static void sl_weigh_row(SlRows *rows, int y)
{
	double scale = (double) rows->in_height / rows->out_height;
	double centre = (y + 0.5) * scale - 0.5;
	int first = (int) ceil(centre - SL_LOBES * scale), last = (int) floor(centre + SL_LOBES * scale);
	int start = VIPS_CLIP(0, first, rows->in_height - 1), end = VIPS_CLIP(0, last, rows->in_height - 1);
	int *weights = rows->weights + (size_t) y * rows->taps;
	double sum = 0;
	for (int n = first; n <= last; n++)
		sum += sl_lanczos((n - centre) / scale);
	int left = 1 << SL_BITS;
	for (int n = first; n <= last; n++) {
		// the outermost rows stand for those beyond them
		int w = (int) rint(sl_lanczos((n - centre) / scale) / sum * (1 << SL_BITS));
		weights[VIPS_CLIP(start, n, end) - start] += w;
		left -= w;
	}
	weights[VIPS_CLIP(start, (int) rint(centre), end) - start] += left;
	rows->start[y] = start;
}

static SlRows *sl_rows_new(VipsImage *owner, int in_height, int out_height)
{
	SlRows *rows = VIPS_NEW(owner, SlRows);
	rows->in_height = in_height;
	rows->out_height = out_height;
	rows->taps = (int) ceil(2.0 * SL_LOBES * in_height / out_height) + 2;
	rows->start = VIPS_ARRAY(owner, out_height, int);
	rows->weights = VIPS_ARRAY(owner, (size_t) out_height * rows->taps, int);
	memset(rows->weights, 0, sizeof(int) * (size_t) out_height * rows->taps);
	for (int y = 0; y < out_height; y++)
		sl_weigh_row(rows, y);
	return rows;
}

static int sl_rows_used(const SlRows *rows, int y)
{
	return VIPS_MIN(rows->taps, rows->in_height - rows->start[y]);
}

SL_FAST static void sl_add_row(int *restrict sum, const VipsPel *restrict p, int weight, int n)
{
	for (int x = 0; x < n; x++)
		sum[x] += weight * p[x];
}

SL_FAST static void sl_put_row(VipsPel *restrict q, const int *restrict sum, int n)
{
	for (int x = 0; x < n; x++) {
		int v = (sum[x] + (1 << (SL_BITS - 1))) >> SL_BITS;
		q[x] = v < 0 ? 0 : v > 255 ? 255 : v;
	}
}

static void sl_make_row(const SlRows *rows, VipsRegion *in, VipsRegion *out, int y)
{
	int frame = y / rows->out_height, row = y % rows->out_height, used = sl_rows_used(rows, row);
	int top = frame * rows->in_height + rows->start[row];
	const int *weights = rows->weights + (size_t) row * rows->taps;
	int n = out->valid.width * out->im->Bands, sum[SL_BLOCK];
	VipsPel *q = VIPS_REGION_ADDR(out, out->valid.left, y);
	for (int x = 0; x < n; x += SL_BLOCK) {
		int block = VIPS_MIN(SL_BLOCK, n - x);
		memset(sum, 0, sizeof(sum));
		for (int k = 0; k < used; k++)
			if (weights[k])
				sl_add_row(sum, VIPS_REGION_ADDR(in, out->valid.left, top + k) + x, weights[k], block);
		sl_put_row(q + x, sum, block);
	}
}

static int sl_rows_generate(VipsRegion *out, void *seq, void *a, void *b, gboolean *stop)
{
	VipsRegion *in = seq;
	const SlRows *rows = b;
	int top = out->valid.top, bottom = top + out->valid.height - 1, end = 0;
	VipsRect need = { out->valid.left, 0, out->valid.width, 0 };
	need.top = top / rows->out_height * rows->in_height + rows->start[top % rows->out_height];
	for (int y = top; y <= bottom; y++) {
		int row = y % rows->out_height;
		end = VIPS_MAX(end, y / rows->out_height * rows->in_height + rows->start[row] + sl_rows_used(rows, row));
	}
	need.height = end - need.top;
	if (vips_region_prepare(in, &need))
		return -1;
	for (int y = top; y <= bottom; y++)
		sl_make_row(rows, in, out, y);
	return 0;
}

static int sl_reduce_rows(VipsImage *in, VipsImage **out, int in_height, int out_height)
{
	VipsImage *t = vips_image_new();
	g_object_ref(in);
	vips_object_local(t, in);
	SlRows *rows = sl_rows_new(t, in_height, out_height);
	if (vips_image_pipelinev(t, VIPS_DEMAND_STYLE_FATSTRIP, in, NULL)) {
		g_object_unref(t);
		return -1;
	}
	t->Ysize = in->Ysize / in_height * out_height;
	if (vips_image_generate(t, vips_start_one, sl_rows_generate, vips_stop_one, in, rows)) {
		g_object_unref(t);
		return -1;
	}
	*out = t;
	return 0;
}

int sl_reduce_frames(VipsImage *in, VipsImage **out, int in_height, int out_height, int width)
{
	VipsImage *t[2] = { NULL };
	int err = sl_reduce_rows(in, &t[0], in_height, out_height)
		|| vips_resize(t[0], &t[1], (double) width / in->Xsize, "vscale", 1.0, NULL)
		|| vips_copy(t[1], out, NULL);
	if (!err)
		vips_image_set_int(*out, VIPS_META_PAGE_HEIGHT, out_height);
	VIPS_UNREF(t[0]);
	VIPS_UNREF(t[1]);
	return err ? -1 : 0;
}
