// Stacked frames of an animation, all in one pass.
#ifndef SL_PLACE_FRAMES_H
#define SL_PLACE_FRAMES_H

#include "types.h"

// sl_reduce_frames makes each of the stacked frames lower, from in_height to out_height rows, and the whole
// stack narrower, to width columns, with a Lanczos kernel of 3 lobes. No frame sees its neighbours. The image
// is 8-bit; the sizes are at most the ones it has.
int sl_reduce_frames(VipsImage *in, VipsImage **out, int in_height, int out_height, int width);

#endif
