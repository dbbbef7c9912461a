#include <stdlib.h>

#include "reduce.h"
#include "reduce_block.h"

enum { sl_strip = 12 * sl_step }; // samples of a row: wider strips leave the nearest caches, narrower ones read too little of each page of memory
enum { sl_line = sl_strip + 8 };	 // the last vector may be read beyond the end

// A picture or a plane of one that is scaled.
typedef struct {
	const uint8_t *in;
	int held;	// rows that it has: row n is at n % held
	int most;	// rows that a block is made of
	size_t row; // samples
	int bands, strip, instructions;
	sl_side across, down;
	int16_t *pairs;	  // strip samples of the rows that a block is made of
	int16_t *columns; // of the whole block
	int16_t lines[sl_block * sl_line]; // of a strip, between pairs and columns
} sl_pass;

// sl_last returns the row after those of which the block from y on is made.
static int sl_last(const sl_side *down, int y)
{
	int last = y + sl_block < down->to ? y + sl_block - 1 : down->to - 1;
	return down->start[last] + down->taps;
}

static int sl_pass_init(sl_pass *p, const sl_side *across, const sl_side *down, int to_width, int to_height)
{
	p->across = *across;
	p->down = *down;
	p->row = (size_t) across->from * p->bands;
	if (sl_side_init(&p->across, across->from, across->offset, across->span, to_width) ||
		sl_side_init(&p->down, down->from, down->offset, down->span, to_height))
		return -1;
	for (int y = 0; y < to_height; y += sl_block)
		if (sl_last(&p->down, y) - p->down.start[y] > p->most)
			p->most = sl_last(&p->down, y) - p->down.start[y];
	p->strip = p->row < sl_strip ? (p->row + sl_step - 1) / sl_step * sl_step : sl_strip;
	p->pairs = calloc((size_t) p->most * p->strip, sizeof(int16_t));
	p->columns = calloc((p->row + 2 * sl_step) * sl_block, sizeof(int16_t));
	return p->pairs && p->columns ? 0 : -1;
}

static void sl_pass_free(sl_pass *p)
{
	sl_side_free(&p->across);
	sl_side_free(&p->down);
	free(p->pairs);
	free(p->columns);
}

// sl_pass_pairs puts n samples from x on of the rows of the source from first on, and before last, into pairs.
static void sl_pass_pairs(sl_pass *p, int first, int last, size_t x, int n)
{
	for (int k = first; k < last; k += 2) {
		int next = k + 1 < p->down.from ? k + 1 : k;
		const uint8_t *a = p->in + k % p->held * p->row + x, *b = p->in + next % p->held * p->row + x;
		int16_t *to = p->pairs + (size_t) (k - first) * p->strip;
		if (p->bands == 4)
			sl_pairs_alpha(a, b, to, n, p->instructions);
		else
			sl_pairs(a, b, to, n, p->instructions);
	}
}

// sl_taps_of returns how many of the taps weigh something: a row is made of fewer than there are, mostly.
static int sl_taps_of(const int16_t *weights, int taps)
{
	while (taps > 2 && !weights[taps - 1] && !weights[taps - 2])
		taps -= 2;
	return taps;
}

// sl_pass_strip makes columns of n samples from x on, of the block from the row y of the result on.
static void sl_pass_strip(sl_pass *p, int y, int rows, size_t x, int n)
{
	const sl_side *d = &p->down;
	int bits = p->bands == 4 ? sl_weight_bits : sl_weight_bits - sl_fraction, whole = (n + sl_step - 1) / sl_step * sl_step;
	sl_pass_pairs(p, d->start[y], sl_last(d, y), x, n);
	for (int r = 0; r < rows; r++) {
		const int16_t *from = p->pairs + (size_t) (d->start[y + r] - d->start[y]) * p->strip;
		const int16_t *weights = d->weights + (size_t) (y + r) * d->taps;
		sl_down(from, p->strip, weights, sl_taps_of(weights, d->taps), bits, p->lines + r * sl_line, whole, p->instructions);
	}
	sl_turn(p->lines, sl_line, whole, p->bands, p->columns + x * sl_block, p->instructions);
}

// sl_pass_block makes the columns of the block from the row y of the result on. -1 once *stop is not 0.
static int sl_pass_block(sl_pass *p, int y, int rows, const int32_t *stop)
{
	for (size_t x = 0; x < p->row; x += p->strip) {
		if (__atomic_load_n(stop, __ATOMIC_RELAXED))
			return -1;
		sl_pass_strip(p, y, rows, x, p->row - x < (size_t) p->strip ? (int) (p->row - x) : p->strip);
	}
	return 0;
}

// sl_pass_run makes all rows, of those that s brings unless it is NULL.
static int sl_pass_run(sl_pass *p, sl_stream *s, uint8_t *out, const int32_t *stop)
{
	int width = p->across.to, height = p->down.to;
	for (int y = 0; y < height; y += sl_block) {
		sl_rows to = { out + (size_t) y * width * p->bands, height - y < sl_block ? height - y : sl_block, width };
		int end = sl_last(&p->down, y);
		if ((s && s->reach(s, end < p->down.from ? end : p->down.from)) || sl_pass_block(p, y, to.rows, stop))
			return -1;
		if (p->bands == 4)
			sl_across_alpha(&p->across, p->columns, to, p->instructions);
		else
			sl_across(&p->across, p->columns, to, p->instructions);
	}
	return 0;
}

int sl_reduce(const uint8_t *in, int width, int height, int bands, uint8_t *out, sl_part part, int to_width, int to_height, const int32_t *stop, int instructions)
{
	sl_pass p = { .in = in, .held = height, .bands = bands, .instructions = sl_instructions(instructions) };
	sl_side across = { .from = width, .offset = part.left, .span = part.width }, down = { .from = height, .offset = part.top, .span = part.height };
	int err = sl_pass_init(&p, &across, &down, to_width, to_height);
	err = err || sl_pass_run(&p, NULL, out, stop);
	sl_pass_free(&p);
	return err ? -1 : 0;
}

int sl_reduce_stream(sl_stream *s, int width, int height, uint8_t *out, sl_part part, int to_width, int to_height, const int32_t *stop, int instructions)
{
	sl_pass p = { .bands = 3, .instructions = sl_instructions(instructions) };
	sl_side across = { .from = width, .offset = part.left, .span = part.width }, down = { .from = height, .offset = part.top, .span = part.height };
	int err = sl_pass_init(&p, &across, &down, to_width, to_height);
	if (!err) {
		p.held = s->held = p.most < height ? p.most : height; // a flat picture has fewer
		p.in = s->rows = malloc((size_t) s->held * width * 3);
		err = !p.in;
	}
	err = err || sl_pass_run(&p, s, out, stop) || s->reach(s, height);
	free(s->rows);
	sl_pass_free(&p);
	return err ? -1 : 0;
}

int sl_reduce_planes(const uint8_t *const planes[3], int width, int height, uint8_t *rgb, int to_width, int to_height, const int32_t *stop, int instructions)
{
	sl_pass p[3] = { 0 };
	int err = 0;
	for (int n = 0; n < 3 && !err; n++) {
		sl_side across = { .from = n ? (width + 1) / 2 : width, .span = n ? width / 2.0 : width };
		sl_side down = { .from = n ? (height + 1) / 2 : height, .span = n ? height / 2.0 : height };
		p[n] = (sl_pass){ .in = planes[n], .held = down.from, .bands = 1, .instructions = sl_instructions(instructions) };
		err = sl_pass_init(&p[n], &across, &down, to_width, to_height);
	}
	const sl_side *const sides[3] = { &p[0].across, &p[1].across, &p[2].across };
	const int16_t *const columns[3] = { p[0].columns, p[1].columns, p[2].columns };
	for (int y = 0; y < to_height && !err; y += sl_block) {
		sl_rows to = { rgb + (size_t) y * to_width * 3, to_height - y < sl_block ? to_height - y : sl_block, to_width };
		for (int n = 0; n < 3 && !err; n++)
			err = sl_pass_block(&p[n], y, to.rows, stop);
		if (!err)
			sl_across_planes(sides, columns, to, p[0].instructions);
	}
	for (int n = 0; n < 3; n++)
		sl_pass_free(&p[n]);
	return err;
}
