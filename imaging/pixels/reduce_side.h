// A side of a picture that is scaled down: which samples make which.
#ifndef SL_REDUCE_SIDE_H
#define SL_REDUCE_SIDE_H

#include <stdint.h>

enum { sl_weight_bits = 14 }; // of weights, whose sum is 1 << sl_weight_bits

// A side of the result: which samples of the source each of its samples is made of.
typedef struct {
	int from, to;
	// the first sample that the result shows, and how many: fractions where a decoder shrinks, or two pixels share a sample
	double offset, span;
	int taps;	 // as many for each, and even; those that are not needed weigh 0
	int *start;	 // even; the last tap may be one beyond the last sample
	int16_t *weights;
} sl_side;

// sl_side_init makes the weights. -1 if there is not enough memory.
int sl_side_init(sl_side *s, int from, double offset, double span, int to);
void sl_side_free(sl_side *s);

static inline int sl_within(int n, int low, int high) { return n < low ? low : n > high ? high : n; }

#endif
