// Scaling down floats: pictures in linear light. imaging/pixels scales all others.
#ifndef SL_PLACE_LINEAR_H
#define SL_PLACE_LINEAR_H

#include <stdint.h>

#include "types.h"

// sl_weights says which samples of a side each one of a smaller side is made of.
typedef struct sl_weights sl_weights;

// sl_weights_new copies what imaging/pixels computes for a side of from samples: for each of to samples the first one that it is
// made of, at most from - 1, and taps values whose sum is 1 << 14.
sl_weights *sl_weights_new(int from, int to, int taps, const int32_t *starts, const int16_t *values);

// sl_reduce_frames scales each of the stacked frames by the weights, which it frees, to floats. No frame sees its neighbors.
int sl_reduce_frames(VipsImage *in, VipsImage **out, sl_weights *across, sl_weights *down);

#endif
