#include <stdlib.h>

#include "reduce.h"
#include "reduce_block.h"

// A block of rows is computed in strips. Wider strips do not fit into the fastest caches, and narrower ones read too
// little of each memory page.
enum { sl_strip_samples = 12 * sl_step_samples };
enum { sl_strip_stride = sl_strip_samples + 8 }; // the last vector load may go beyond the end

// sl_reducer reduces a picture, or one plane of it, in blocks of sl_block_rows rows of the result. For each block and
// strip, the source rows are interleaved in pairs, sl_reducev computes the lines of the block, sl_transpose turns them
// into columns, and from these sl_reduceh computes the pixels of all rows at once.
typedef struct {
	const uint8_t *in;
	int held;	// number of rows in the ring in: row n is at n % held
	int most;	// max source rows for a block; held is at least that, or the height
	size_t row; // samples of a row
	int bands, linear, strip, instructions;
	sl_axis across, down;
	int16_t *pairs;	  // source rows of a strip, interleaved
	int16_t *columns; // of a whole block
	int16_t lines[sl_block_rows * sl_strip_stride]; // lines of a strip, between pairs and columns
} sl_reducer;

// sl_whole_steps rounds a number of samples up to whole steps.
static int sl_whole_steps(int n) { return (n + sl_step_samples - 1) / sl_step_samples * sl_step_samples; }

// sl_block_end returns the row after the source rows for the block that starts at row y of the result.
static int sl_block_end(const sl_axis *down, int y)
{
	int last = y + sl_block_rows < down->to ? y + sl_block_rows - 1 : down->to - 1;
	return down->start[last] + down->taps;
}

static int sl_reducer_init(sl_reducer *p, const sl_axis *across, const sl_axis *down, int to_width, int to_height)
{
	p->across = *across;
	p->down = *down;
	p->row = (size_t) across->from * p->bands;
	if (sl_axis_init(&p->across, across->from, across->offset, across->span, to_width) ||
		sl_axis_init(&p->down, down->from, down->offset, down->span, to_height))
		return -1;
	for (int y = 0; y < to_height; y += sl_block_rows)
		if (sl_block_end(&p->down, y) - p->down.start[y] > p->most)
			p->most = sl_block_end(&p->down, y) - p->down.start[y];
	p->strip = p->row < sl_strip_samples ? sl_whole_steps((int) p->row) : sl_strip_samples;
	p->pairs = calloc((size_t) p->most * p->strip, sizeof(int16_t));
	p->columns = calloc((p->row + 2 * sl_step_samples) * sl_block_rows, sizeof(int16_t));
	return p->pairs && p->columns ? 0 : -1;
}

static void sl_reducer_free(sl_reducer *p)
{
	sl_axis_free(&p->across);
	sl_axis_free(&p->down);
	free(p->pairs);
	free(p->columns);
}

// sl_interleave_block fills pairs with n samples from x on of the source rows [first, last).
static void sl_interleave_block(sl_reducer *p, int first, int last, size_t x, int n)
{
	for (int k = first; k < last; k += 2) {
		int next = k + 1 < p->down.from ? k + 1 : k;
		const uint8_t *a = p->in + k % p->held * p->row + x, *b = p->in + next % p->held * p->row + x;
		int16_t *to = p->pairs + (size_t) (k - first) * p->strip;
		if (p->linear)
			sl_interleave_linear(a, b, to, n, p->bands);
		else if (p->bands == 4)
			sl_interleave_premultiplied(a, b, to, n, p->instructions);
		else
			sl_interleave(a, b, to, n, p->instructions);
	}
}

// sl_taps_used returns the number of taps without trailing pairs of weight 0, which most rows have.
static int sl_taps_used(const int16_t *weights, int taps)
{
	while (taps > 2 && !weights[taps - 1] && !weights[taps - 2])
		taps -= 2;
	return taps;
}

// sl_reduce_strip computes n columns, starting at sample x, of the block that starts at row y of the result.
static void sl_reduce_strip(sl_reducer *p, int y, int rows, size_t x, int n)
{
	const sl_axis *d = &p->down;
	int has_fraction = p->bands == 4 || p->linear, whole = sl_whole_steps(n);
	int bits = has_fraction ? sl_weight_bits : sl_weight_bits - sl_fraction_bits;
	sl_interleave_block(p, d->start[y], sl_block_end(d, y), x, n);
	for (int r = 0; r < rows; r++) {
		const int16_t *from = p->pairs + (size_t) (d->start[y + r] - d->start[y]) * p->strip;
		const int16_t *weights = d->weights + (size_t) (y + r) * d->taps;
		int taps = sl_taps_used(weights, d->taps);
		sl_reducev(from, p->strip, weights, taps, bits, p->lines + r * sl_strip_stride, whole, p->instructions);
	}
	sl_transpose(p->lines, sl_strip_stride, whole, p->bands, p->columns + x * sl_block_rows, p->instructions);
}

// sl_reduce_block computes the columns of the block that starts at row y of the result. It returns -1 once *stop is
// nonzero.
static int sl_reduce_block(sl_reducer *p, int y, int rows, const int32_t *stop)
{
	for (size_t x = 0; x < p->row; x += p->strip) {
		if (__atomic_load_n(stop, __ATOMIC_RELAXED))
			return -1;
		sl_reduce_strip(p, y, rows, x, p->row - x < (size_t) p->strip ? (int) (p->row - x) : p->strip);
	}
	return 0;
}

// sl_reduce_rows computes all rows of the result. With s, the source rows are decoded first.
static int sl_reduce_rows(sl_reducer *p, sl_row_source *s, uint8_t *out, const int32_t *stop)
{
	int width = p->across.to, height = p->down.to;
	for (int y = 0; y < height; y += sl_block_rows) {
		int rows = height - y < sl_block_rows ? height - y : sl_block_rows;
		sl_output_rows to = { out + (size_t) y * width * p->bands, rows, width };
		int end = sl_block_end(&p->down, y);
		if ((s && s->decode_until(s, end < p->down.from ? end : p->down.from)) || sl_reduce_block(p, y, to.rows, stop))
			return -1;
		if (p->linear)
			sl_reduceh_linear(&p->across, p->columns, p->bands, to, p->instructions);
		else if (p->bands == 4)
			sl_reduceh_premultiplied(&p->across, p->columns, to, p->instructions);
		else
			sl_reduceh(&p->across, p->columns, to, p->instructions);
	}
	return 0;
}

int sl_reduce(
	const uint8_t *in, int width, int height, int bands, uint8_t *out, sl_region region, int to_width, int to_height,
	const int32_t *stop, int instructions)
{
	sl_reducer p = { .in = in, .held = height, .bands = bands, .linear = region.linear };
	p.instructions = sl_instructions(instructions);
	sl_axis across = { .from = width, .offset = region.left, .span = region.width };
	sl_axis down = { .from = height, .offset = region.top, .span = region.height };
	int err = sl_reducer_init(&p, &across, &down, to_width, to_height);
	err = err || sl_reduce_rows(&p, NULL, out, stop);
	sl_reducer_free(&p);
	return err ? -1 : 0;
}

int sl_reduce_source(
	sl_row_source *s, int width, int height, uint8_t *out, sl_region region, int to_width, int to_height,
	const int32_t *stop, int instructions)
{
	sl_reducer p = { .bands = 3, .linear = region.linear, .instructions = sl_instructions(instructions) };
	sl_axis across = { .from = width, .offset = region.left, .span = region.width };
	sl_axis down = { .from = height, .offset = region.top, .span = region.height };
	int err = sl_reducer_init(&p, &across, &down, to_width, to_height);
	if (!err) {
		p.held = s->held = p.most < height ? p.most : height; // a low picture has fewer rows
		p.in = s->rows = malloc((size_t) s->held * width * 3);
		err = !p.in;
	}
	err = err || sl_reduce_rows(&p, s, out, stop) || s->decode_until(s, height);
	free(s->rows);
	sl_reducer_free(&p);
	return err ? -1 : 0;
}

int sl_reduce_yuv(
	const uint8_t *const planes[3], int width, int height, uint8_t *rgb, int to_width, int to_height,
	const int32_t *stop, int instructions)
{
	sl_reducer p[3] = { 0 };
	int err = 0;
	for (int n = 0; n < 3 && !err; n++) {
		sl_axis across = { .from = n ? (width + 1) / 2 : width, .span = n ? width / 2.0 : width };
		sl_axis down = { .from = n ? (height + 1) / 2 : height, .span = n ? height / 2.0 : height };
		p[n] = (sl_reducer){ .in = planes[n], .held = down.from, .bands = 1 };
		p[n].instructions = sl_instructions(instructions);
		err = sl_reducer_init(&p[n], &across, &down, to_width, to_height);
	}
	const sl_axis *const sides[3] = { &p[0].across, &p[1].across, &p[2].across };
	const int16_t *const columns[3] = { p[0].columns, p[1].columns, p[2].columns };
	for (int y = 0; y < to_height && !err; y += sl_block_rows) {
		int rows = to_height - y < sl_block_rows ? to_height - y : sl_block_rows;
		sl_output_rows to = { rgb + (size_t) y * to_width * 3, rows, to_width };
		for (int n = 0; n < 3 && !err; n++)
			err = sl_reduce_block(&p[n], y, to.rows, stop);
		if (!err)
			sl_reduceh_yuv(sides, columns, to, p[0].instructions);
	}
	for (int n = 0; n < 3; n++)
		sl_reducer_free(&p[n]);
	return err;
}
