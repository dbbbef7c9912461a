#include <stdlib.h>

#include "reduce.h"
#include "reduce_rows.h"

// A reduction under way.
typedef struct {
	const uint8_t *in;
	int width, bands, instructions;
	sl_side across, down;
	const uint8_t **rows;	// those of the sample under way
	const int16_t **weighed; // instead of them those whose colors are weighed by alpha
	int16_t *ring;			 // where these are
	int ready;				 // how many of them there were
	int16_t *between;
} sl_reduction;

// sl_rows sets which rows the row y is made of.
static void sl_rows(sl_reduction *r, int y)
{
	int taps = r->down.taps, start = r->down.start[y];
	size_t row = (size_t) r->width * r->bands;
	for (int k = 0; k < taps; k++) {
		int n = sl_within(start + k, 0, r->down.from - 1);
		if (!r->ring) {
			r->rows[k] = r->in + n * row;
			continue;
		}
		for (; r->ready <= n; r->ready++)
			if (r->ready >= start)
				sl_alpha_on(r->in + r->ready * row, r->ring + r->ready % taps * row, r->width, r->instructions);
		r->weighed[k] = r->ring + n % taps * row;
	}
}

static int sl_reduction_init(sl_reduction *r, int height, int to_width, int to_height)
{
	size_t row = (size_t) r->width * r->bands;
	if (sl_side_init(&r->across, r->width, r->width, to_width, 2) || sl_side_init(&r->down, height, height, to_height, 2))
		return -1;
	r->between = calloc(row + sl_pad, sizeof(int16_t));
	if (r->bands < 4) {
		r->rows = malloc(sizeof(*r->rows) * r->down.taps);
		return r->rows && r->between ? 0 : -1;
	}
	r->weighed = malloc(sizeof(*r->weighed) * r->down.taps);
	r->ring = malloc(sizeof(*r->ring) * row * r->down.taps);
	return r->weighed && r->ring && r->between ? 0 : -1;
}

static void sl_reduction_free(sl_reduction *r)
{
	sl_side_free(&r->across);
	sl_side_free(&r->down);
	free(r->rows);
	free(r->weighed);
	free(r->ring);
	free(r->between);
}

int sl_reduce(const uint8_t *in, int width, int height, int bands, uint8_t *out, int to_width, int to_height, const int32_t *stop, int instructions)
{
	sl_reduction r = { .in = in, .width = width, .bands = bands, .instructions = sl_instructions(instructions) };
	int err = sl_reduction_init(&r, height, to_width, to_height);
	for (int y = 0; y < to_height && !err; y++, out += (size_t) to_width * bands) {
		sl_rows(&r, y);
		const int16_t *weights = r.down.weights + (size_t) y * r.down.taps;
		if (bands == 4) {
			sl_down_wide(r.weighed, weights, r.down.taps, r.between, width * bands, r.instructions);
			sl_across_alpha(&r.across, r.between, out, r.instructions);
		} else {
			sl_down(r.rows, weights, r.down.taps, r.between, width * bands, r.instructions);
			sl_across(&r.across, r.between, out, r.instructions);
		}
		err = __atomic_load_n(stop, __ATOMIC_RELAXED) ? -1 : 0;
	}
	sl_reduction_free(&r);
	return err;
}

// A plane of a picture under way: one band, and rows of the result with sl_fraction bits more.
typedef struct {
	sl_reduction r;
	int16_t *row;
} sl_plane;

static int sl_plane_init(sl_plane *p, const uint8_t *in, int width, int height, int halves, int to_width, int to_height, int instructions)
{
	int from_width = halves ? (width + 1) / 2 : width, from_height = halves ? (height + 1) / 2 : height;
	double part = halves ? 0.5 : 1;
	p->r = (sl_reduction){ .in = in, .width = from_width, .bands = 1, .instructions = sl_instructions(instructions) };
	if (sl_side_init(&p->r.across, from_width, width * part, to_width, 8) || sl_side_init(&p->r.down, from_height, height * part, to_height, 2))
		return -1;
	p->r.rows = malloc(sizeof(*p->r.rows) * p->r.down.taps);
	p->r.between = calloc((size_t) from_width + sl_pad, sizeof(int16_t));
	p->row = malloc(sizeof(int16_t) * to_width);
	return p->r.rows && p->r.between && p->row ? 0 : -1;
}

static void sl_plane_row(sl_plane *p, int y)
{
	sl_rows(&p->r, y);
	sl_down(p->r.rows, p->r.down.weights + (size_t) y * p->r.down.taps, p->r.down.taps, p->r.between, p->r.width, p->r.instructions);
	sl_across_plane(&p->r.across, p->r.between, p->row, p->r.instructions);
}

int sl_reduce_planes(const uint8_t *const planes[3], int width, int height, uint8_t *rgb, int to_width, int to_height, const int32_t *stop, int instructions)
{
	sl_plane p[3] = { 0 };
	int err = 0;
	for (int n = 0; n < 3 && !err; n++)
		err = sl_plane_init(&p[n], planes[n], width, height, n > 0, to_width, to_height, instructions);
	for (int y = 0; y < to_height && !err; y++, rgb += (size_t) to_width * 3) {
		for (int n = 0; n < 3; n++)
			sl_plane_row(&p[n], y);
		sl_rgb(p[0].row, p[1].row, p[2].row, rgb, to_width);
		err = __atomic_load_n(stop, __ATOMIC_RELAXED) ? -1 : 0;
	}
	for (int n = 0; n < 3; n++) {
		sl_reduction_free(&p[n].r);
		free(p[n].row);
	}
	return err;
}
