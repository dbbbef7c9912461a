#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "reduce_side.h"

#define SL_LOBES 3
#define SL_KERNEL 32 // samples or boxes, less than twice the lobes times 4

static int sl_box(const sl_side *s)
{
	int box = (int) (s->span / s->to / 2);
	return box > 1 ? box : 1;
}

// sl_angles is what a side's samples have in common: the sine and the cosine of the angle from one box to the next.
typedef struct {
	int box, boxes;
	double scale, step, sine, cosine;
} sl_angles;

// sl_lanczos sets the kernel's values from first to last. With s, the sine of a third of the angle, that of the angle is s (3 - 4 s^2). The sample nearest to
// the center has its sine computed, the others that of a sum of angles: errors are some 1e-15, where a weight has 14 bits.
static void sl_lanczos(const sl_angles *a, double center, int first, int last, double *values)
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

// sl_spread sets sums to what the samples from s->start[at] on count for, and returns what they do in total.
static double sl_spread(sl_side *s, const sl_angles *a, int at, double *sums)
{
	double center = (at + 0.5) * a->scale + s->offset / a->box - 0.5, total = 0, values[SL_KERNEL];
	int first = (int) ceil(center - SL_LOBES * a->scale), last = (int) floor(center + SL_LOBES * a->scale);
	int start = sl_within(first * a->box, 0, s->from - 1), end = sl_within(last * a->box + a->box - 1, 0, s->from - 1);
	start = sl_within(start, 0, s->from > s->taps ? s->from - s->taps + 1 : 0) / 2 * 2;
	s->start[at] = start;
	memset(sums, 0, sizeof(double) * s->taps);
	sl_lanczos(a, center, first, last, values);
	for (int n = first; n <= last; n++) {
		double w = values[n - first];
		total += w * a->box;
		int at_box = sl_within(n, 0, a->boxes - 1) * a->box; // the outermost ones are repeated
		for (int k = 0; k < a->box; k++)
			sums[sl_within(at_box + k, start, end) - start] += w;
	}
	return total;
}

// sl_weigh sets the weights of one sample. sums has room for all taps.
static void sl_weigh(sl_side *s, const sl_angles *a, int at, double *sums)
{
	double total = sl_spread(s, a, at, sums), sum = 0;
	int before = 0;
	for (int k = 0; k < s->taps; k++) { // what rounding leaves of one is the next one's
		sum += sums[k] / total;
		int now = (int) rint(sum * (1 << sl_weight_bits));
		s->weights[(size_t) at * s->taps + k] = now - before;
		before = now;
	}
}

int sl_side_init(sl_side *s, int from, double offset, double span, int to)
{
	s->from = from;
	s->offset = offset;
	s->to = to;
	s->span = span;
	int box = sl_box(s);
	s->taps = ((int) floor(2 * SL_LOBES * span / to / box) + 1) * box + 1; // the first may come one sample early
	s->taps = ((s->taps < from ? s->taps : from) + 1) / 2 * 2;
	s->start = malloc(sizeof(int) * to);
	s->weights = malloc(sizeof(int16_t) * s->taps * (size_t) to);
	double *sums = malloc(sizeof(double) * s->taps);
	if (!s->start || !s->weights || !sums) {
		free(sums);
		return -1;
	}
	sl_angles a = { .box = box, .boxes = (from + box - 1) / box, .scale = span / to / box };
	a.step = M_PI / SL_LOBES / a.scale;
	a.sine = sin(a.step);
	a.cosine = cos(a.step);
	for (int n = 0; n < to; n++)
		sl_weigh(s, &a, n, sums);
	free(sums);
	return 0;
}

void sl_side_free(sl_side *s)
{
	free(s->start);
	free(s->weights);
}
