#include <limits.h>
#include <string.h>
#include <vips/vips.h>

#include "place_linear.h"

// Rows are weighed first, as many of the result at once as a vector has lanes. Their samples are then turned, so that vectors
// weigh columns too.
enum { sl_bits = 14, sl_lanes = 8, sl_block = 512 };

#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__)
#define SL_FAST __attribute__((optimize("O3"), target_clones("avx2", "default")))
#else
#define SL_FAST
#endif

struct sl_weights {
	int from, to, taps;
	int32_t *starts;
	int16_t *values;
};

sl_weights *sl_weights_new(int from, int to, int taps, const int32_t *starts, const int16_t *values)
{
	sl_weights *w = g_new(sl_weights, 1);
	*w = (sl_weights){ from, to, taps, g_new(int32_t, to), g_new(int16_t, (size_t) to * taps) };
	memcpy(w->starts, starts, sizeof(int32_t) * to);
	memcpy(w->values, values, sizeof(int16_t) * to * taps);
	return w;
}

static void sl_weights_free(void *weights)
{
	sl_weights *w = weights;
	g_free(w->starts);
	g_free(w->values);
	g_free(w);
}

// sl_taps returns how many samples there are for one of the result.
static int sl_taps(const sl_weights *w, int at)
{
	return VIPS_MIN(w->taps, w->from - w->starts[at]);
}

typedef struct {
	const sl_weights *across, *down;
} sl_reduction;

// sl_work is what a thread has: columns are lanes rows of the result, weighed but not yet narrower, sample by sample.
typedef struct {
	VipsRegion *in;
	float *columns;
} sl_work;

SL_FAST static void sl_add(float *restrict sum, const float *restrict p, float weight, int n)
{
	for (int x = 0; x < n; x++)
		sum[x] += weight * p[x];
}

SL_FAST static void sl_turn(const float *restrict sum, float *restrict to, int n)
{
	for (int x = 0; x < n; x++)
		for (int r = 0; r < sl_lanes; r++)
			to[x * sl_lanes + r] = sum[r * sl_block + x];
}

SL_FAST static void sl_across(const float *restrict columns, const int16_t *restrict weights, int taps, int bands, float *restrict to)
{
	float sum[sl_lanes] = { 0 };
	for (int k = 0; k < taps; k++)
		for (int r = 0; r < sl_lanes; r++)
			sum[r] += weights[k] * columns[(size_t) k * bands * sl_lanes + r];
	for (int r = 0; r < sl_lanes; r++)
		to[r] = sum[r] / (1 << sl_bits);
}

// sl_weigh_rows makes columns of n rows of the result from y on, which are of one frame.
static void sl_weigh_rows(const sl_weights *down, sl_work *w, const VipsRect *need, int y, int n)
{
	int frame = y / down->to * down->from, first = y % down->to, width = need->width * w->in->im->Bands;
	float sums[sl_lanes * sl_block];
	for (int x = 0; x < width; x += sl_block) {
		int block = VIPS_MIN(sl_block, width - x);
		memset(sums, 0, sizeof(sums));
		for (int r = 0; r < n; r++) {
			const int16_t *values = down->values + (size_t) (first + r) * down->taps;
			for (int k = 0; k < sl_taps(down, first + r); k++) {
				const float *p = (float *) VIPS_REGION_ADDR(w->in, need->left, frame + down->starts[first + r] + k);
				if (values[k])
					sl_add(sums + r * sl_block, p + x, values[k] / (float) (1 << sl_bits), block);
			}
		}
		sl_turn(sums, w->columns + (size_t) x * sl_lanes, block);
	}
}

// sl_weigh_columns writes n rows of the result from y on.
static void sl_weigh_columns(const sl_weights *across, sl_work *w, int skip, VipsRegion *out, int y, int n)
{
	int bands = out->im->Bands;
	for (int x = 0; x < out->valid.width; x++) {
		int at = out->valid.left + x;
		const float *from = w->columns + (size_t) (across->starts[at] - skip) * bands * sl_lanes;
		for (int b = 0; b < bands; b++, from += sl_lanes) {
			float v[sl_lanes];
			sl_across(from, across->values + (size_t) at * across->taps, sl_taps(across, at), bands, v);
			for (int r = 0; r < n; r++)
				((float *) VIPS_REGION_ADDR(out, at, y + r))[b] = v[r];
		}
	}
}

// sl_reach returns the rows of all frames, or the columns, of which those from first to last are made.
static void sl_reach(const sl_weights *w, int first, int last, int *start, int *size)
{
	int end = 0;
	*start = INT_MAX;
	for (int n = first; n <= last; n++) {
		int at = n / w->to * w->from + w->starts[n % w->to];
		*start = VIPS_MIN(*start, at);
		end = VIPS_MAX(end, at + sl_taps(w, n % w->to));
	}
	*size = end - *start;
}

static int sl_reduce_generate(VipsRegion *out, void *seq, void *a, void *b, gboolean *stop)
{
	sl_work *w = seq;
	const sl_reduction *s = b;
	const VipsRect *r = &out->valid;
	VipsRect need;
	sl_reach(s->across, r->left, r->left + r->width - 1, &need.left, &need.width);
	sl_reach(s->down, r->top, r->top + r->height - 1, &need.top, &need.height);
	if (vips_region_prepare(w->in, &need))
		return -1;
	w->columns = g_realloc(w->columns, sizeof(float) * sl_lanes * need.width * out->im->Bands);
	for (int y = r->top, n; y < r->top + r->height; y += n) {
		n = VIPS_MIN(VIPS_MIN(sl_lanes, r->top + r->height - y), s->down->to - y % s->down->to);
		sl_weigh_rows(s->down, w, &need, y, n);
		sl_weigh_columns(s->across, w, need.left, out, y, n);
	}
	return 0;
}

static void *sl_work_start(VipsImage *out, void *a, void *b)
{
	sl_work *w = g_new0(sl_work, 1);
	w->in = vips_region_new(a);
	return w;
}

static int sl_work_stop(void *seq, void *a, void *b)
{
	sl_work *w = seq;
	g_object_unref(w->in);
	g_free(w->columns);
	g_free(w);
	return 0;
}

int sl_reduce_frames(VipsImage *in, VipsImage **out, sl_weights *across, sl_weights *down)
{
	VipsImage *t = vips_image_new(), *samples = NULL;
	sl_reduction *s = VIPS_NEW(t, sl_reduction);
	*s = (sl_reduction){ across, down };
	g_object_set_data_full(G_OBJECT(t), "sl-across", across, sl_weights_free);
	g_object_set_data_full(G_OBJECT(t), "sl-down", down, sl_weights_free);
	int err = vips_cast_float(in, &samples, NULL);
	if (!err) {
		vips_object_local(t, samples);
		err = vips_image_pipelinev(t, VIPS_DEMAND_STYLE_FATSTRIP, samples, NULL);
	}
	if (!err) {
		t->Xsize = across->to;
		t->Ysize = in->Ysize / down->from * down->to;
		if (vips_image_get_typeof(in, VIPS_META_PAGE_HEIGHT))
			vips_image_set_int(t, VIPS_META_PAGE_HEIGHT, down->to);
		err = vips_image_generate(t, sl_work_start, sl_reduce_generate, sl_work_stop, samples, s);
	}
	// threads would ask a source that is read once for rows in another order
	if (!err && vips_image_is_sequential(in))
		err = vips_sequential(t, out, "tile_height", 16, NULL);
	else if (!err)
		*out = g_object_ref(t);
	g_object_unref(t);
	return err;
}
