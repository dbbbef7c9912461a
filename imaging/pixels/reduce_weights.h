// The weights for reducing along one axis.
#ifndef SL_REDUCE_WEIGHTS_H
#define SL_REDUCE_WEIGHTS_H

#include <stdint.h>

enum { sl_weight_bits = 14 }; // the weights of a sample sum up to 1 << sl_weight_bits

// sl_axis holds the source samples and weights for each of the to samples of the result: sample n is the sum of
// [start[n], start[n] + taps) weighted by weights[n * taps...]. Invariants: taps and start are even; start[n] + taps
// <= from + 1, so that the last tap may be one sample outside, with weight 0.
typedef struct {
	int from, to;
	// The region of the source that the result shows. It is fractional if a decoder shrinks, or if two pixels share a
	// sample.
	double offset, span;
	int taps;
	int *start;
	int16_t *weights;
} sl_axis;

// sl_axis_init computes the weights. It returns -1 if memory runs out. The caller must call sl_axis_free in any case.
int sl_axis_init(sl_axis *s, int from, double offset, double span, int to);
void sl_axis_free(sl_axis *s);

static inline int sl_clamp(int n, int low, int high) { return n < low ? low : n > high ? high : n; }

#endif
