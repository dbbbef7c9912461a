#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "reduce_side.h"

#define SL_LOBES 3

static double sl_lanczos(double x)
{
	if (x == 0)
		return 1;
	if (x <= -SL_LOBES || x >= SL_LOBES)
		return 0;
	double a = M_PI * x;
	return SL_LOBES * sin(a) * sin(a / SL_LOBES) / (a * a);
}

static int sl_box(const sl_side *s)
{
	int box = (int) (s->span / s->to / 2);
	return box > 1 ? box : 1;
}

// sl_weigh sets the weights of one sample. sums has room for all taps.
static void sl_weigh(sl_side *s, int at, double *sums)
{
	int box = sl_box(s), boxes = (s->from + box - 1) / box;
	double scale = s->span / s->to / box, center = (at + 0.5) * scale - 0.5, total = 0;
	int first = (int) ceil(center - SL_LOBES * scale), last = (int) floor(center + SL_LOBES * scale);
	int start = sl_within(first * box, 0, s->from - 1), end = sl_within(last * box + box - 1, 0, s->from - 1);
	start = sl_within(start, 0, s->from > s->taps ? s->from - s->taps : 0);
	memset(sums, 0, sizeof(double) * s->taps);
	for (int n = first; n <= last; n++) {
		double w = sl_lanczos((n - center) / scale);
		total += w * box;
		int at_box = sl_within(n, 0, boxes - 1); // the outermost ones are repeated
		for (int k = 0; k < box; k++)
			sums[sl_within(at_box * box + k, start, end) - start] += w;
	}
	double sum = 0;
	int before = 0;
	for (int k = 0; k < s->taps; k++) { // what rounding leaves of one is the next one's
		sum += sums[k] / total;
		int now = (int) rint(sum * (1 << sl_weight_bits));
		s->weights[(size_t) at * s->taps + k] = now - before;
		before = now;
	}
	s->start[at] = start;
}

int sl_side_init(sl_side *s, int from, double span, int to, int unit)
{
	s->from = from;
	s->to = to;
	s->span = span;
	int box = sl_box(s);
	s->taps = ((int) floor(2 * SL_LOBES * span / to / box) + 1) * box;
	s->taps = ((s->taps < from ? s->taps : from) + unit - 1) / unit * unit;
	s->start = malloc(sizeof(int) * to);
	s->weights = malloc(sizeof(int16_t) * s->taps * (size_t) to);
	double *sums = malloc(sizeof(double) * s->taps);
	if (!s->start || !s->weights || !sums) {
		free(sums);
		return -1;
	}
	for (int n = 0; n < to; n++)
		sl_weigh(s, n, sums);
	free(sums);
	return 0;
}

void sl_side_free(sl_side *s)
{
	free(s->start);
	free(s->weights);
}
