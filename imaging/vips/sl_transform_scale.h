// Scaling down, by imaging/pixels, of what is not in memory: pictures that libvips is decoding, and frames.
#ifndef SL_TRANSFORM_SCALE_H
#define SL_TRANSFORM_SCALE_H

#include "sl_types.h"

// sl_scaling is how each of the stacked frames is scaled.
typedef struct {
	double left, top, width, height;			// the part of a frame that the result shows
	int from_width, from_height, bands;			// of a frame
	int to_width, to_height, linear;
	int *stop;
} sl_scaling;

// sl_scale returns the frames, of 8 bits a sample, scaled while they are read, once and from top to bottom. It makes
// strip rows of the result at a time. Pixels of one frame do not reach into the next.
int sl_scale(VipsImage *in, VipsImage **out, sl_scaling scaling, int strip);

#endif
