// Scaling down what imaging/pixels does not: any number of bands, 16 bits, floats, frames, and pictures that are decoded
// meanwhile.
#ifndef SL_PLACE_REDUCE_H
#define SL_PLACE_REDUCE_H

#include <stdint.h>

#include "types.h"

// sl_weights says which samples of a side each one of a smaller side is made of.
typedef struct sl_weights sl_weights;

// sl_weights_new copies what imaging/pixels computes for a side of from samples: for each of to samples the first one that it is
// made of, at most from - 1, and taps values whose sum is 1 << 14.
sl_weights *sl_weights_new(int from, int to, int taps, const int32_t *starts, const int16_t *values);

// sl_reduce_frames scales each of the stacked frames by the weights, which it frees. No frame sees its neighbors. Samples of 8 and
// 16 bits, unsigned, stay what they are; others become floats.
int sl_reduce_frames(VipsImage *in, VipsImage **out, sl_weights *across, sl_weights *down);

#endif
