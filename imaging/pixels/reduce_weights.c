#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "reduce_weights.h"

#define SL_LOBES 3
// SL_KERNEL is the max length of a kernel: the scale that remains after boxes is below 4, so it has at most 2 *
// SL_LOBES * 4 + 1 values.
#define SL_KERNEL 32

static int sl_box_length(const sl_axis *s)
{
	int box = (int) (s->span / s->to / 2);
	return box > 1 ? box : 1;
}

// sl_lanczos_steps is what all samples of an axis share: the angle from one box to the next, its sine and cosine.
typedef struct {
	int box, boxes;
	double scale, step, sine, cosine;
} sl_lanczos_steps;

// sl_lanczos3 sets the kernel's values from first to last, sin(x) sin(x/3) / (x^2 / 3). The sine of x/3, s, is
// computed for the sample nearest to the center; the others follow by the addition theorem, and sin(x) = s (3 - 4
// s^2). Errors are about 1e-15, which is enough for weights with 14 bits.
static void sl_lanczos3(const sl_lanczos_steps *a, double center, int first, int last, double *values)
{
	int nearest = (int) floor(center + 0.5);
	double angle = (nearest - center) * a->step, sine = sin(angle), cosine = sqrt(1 - sine * sine);
	values[nearest - first] = angle == 0 ? 1 : sine * sine * (3 - 4 * sine * sine) / (3 * angle * angle);
	for (int way = -1; way <= 1; way += 2) {
		double s = sine, c = cosine, turn = way * a->sine;
		for (int n = nearest + way; n >= first && n <= last; n += way) {
			double before = s, x = (n - center) * a->step;
			s = before * a->cosine + c * turn;
			c = c * a->cosine - before * turn;
			values[n - first] = s * s * (3 - 4 * s * s) / (3 * x * x);
		}
	}
}

// sl_accumulate sets start[at], and sums to the unnormalized weights of its taps. It returns their total.
static double sl_accumulate(sl_axis *s, const sl_lanczos_steps *a, int at, double *sums)
{
	double center = (at + 0.5) * a->scale + s->offset / a->box - 0.5, total = 0, values[SL_KERNEL];
	int first = (int) ceil(center - SL_LOBES * a->scale), last = (int) floor(center + SL_LOBES * a->scale);
	int start = sl_clamp(first * a->box, 0, s->from - 1), end = sl_clamp(last * a->box + a->box - 1, 0, s->from - 1);
	start = sl_clamp(start, 0, s->from > s->taps ? s->from - s->taps + 1 : 0) / 2 * 2;
	s->start[at] = start;
	memset(sums, 0, sizeof(double) * s->taps);
	sl_lanczos3(a, center, first, last, values);
	for (int n = first; n <= last; n++) {
		double w = values[n - first];
		total += w * a->box;
		int at_box = sl_clamp(n, 0, a->boxes - 1) * a->box; // edge samples are repeated
		for (int k = 0; k < a->box; k++)
			sums[sl_clamp(at_box + k, start, end) - start] += w;
	}
	return total;
}

// sl_set_weights sets the weights of one sample. sums is scratch space for all taps.
static void sl_set_weights(sl_axis *s, const sl_lanczos_steps *a, int at, double *sums)
{
	double total = sl_accumulate(s, a, at, sums), sum = 0;
	int before = 0;
	for (int k = 0; k < s->taps; k++) { // the rounding error is carried over, so that the sum is exact
		sum += sums[k] / total;
		int now = (int) rint(sum * (1 << sl_weight_bits));
		s->weights[(size_t) at * s->taps + k] = now - before;
		before = now;
	}
}

int sl_axis_init(sl_axis *s, int from, double offset, double span, int to)
{
	s->from = from;
	s->offset = offset;
	s->to = to;
	s->span = span;
	int box = sl_box_length(s);
	s->taps = ((int) floor(2 * SL_LOBES * span / to / box) + 1) * box + 1; // the first may come one sample early
	s->taps = ((s->taps < from ? s->taps : from) + 1) / 2 * 2;
	s->start = malloc(sizeof(int) * to);
	s->weights = malloc(sizeof(int16_t) * s->taps * (size_t) to);
	double *sums = malloc(sizeof(double) * s->taps);
	if (!s->start || !s->weights || !sums) {
		free(sums);
		return -1;
	}
	sl_lanczos_steps a = { .box = box, .boxes = (from + box - 1) / box, .scale = span / to / box };
	a.step = M_PI / SL_LOBES / a.scale;
	a.sine = sin(a.step);
	a.cosine = cos(a.step);
	for (int n = 0; n < to; n++)
		sl_set_weights(s, &a, n, sums);
	free(sums);
	return 0;
}

void sl_axis_free(sl_axis *s)
{
	free(s->start);
	free(s->weights);
}
