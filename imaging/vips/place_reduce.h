// Scaling down pictures that imaging/pixels does not take: any number of bands, 16 bits and floats, frames, and pictures that are decoded
// while they are scaled.
#ifndef SL_PLACE_REDUCE_H
#define SL_PLACE_REDUCE_H

#include <stdint.h>

#include "types.h"

// sl_weights says which samples of a side each one of a smaller side is made of.
typedef struct sl_weights sl_weights;

// sl_weights_new copies what imaging/pixels computes for a side of from samples: for each of to the first sample, at most from - 1, and taps
// values whose sum is 1 << 14.
sl_weights *sl_weights_new(int from, int to, int taps, const int32_t *starts, const int16_t *values);

// sl_reduce_frames scales every one of the stacked frames, whose rows and columns the weights are for, and takes the weights. No frame sees its
// neighbors. Samples are unsigned, of 8 or 16 bits, or floats.
int sl_reduce_frames(VipsImage *in, VipsImage **out, sl_weights *across, sl_weights *down);

#endif
