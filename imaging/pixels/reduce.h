// Scaling down, in one pass over rows that come one after the other.
#ifndef SL_REDUCE_H
#define SL_REDUCE_H

#include <stdint.h>

// sl_part is the part of a picture that a result shows, in its pixels. It may begin or end up to a pixel beyond the picture.
typedef struct {
	double left, top, width, height;
} sl_part;

// sl_reduce scales a part of width x height pixels of 3 bands, or of 4 with alpha, down to to_width x to_height: boxes of
// whole pixels to twice the size and more, then Lanczos. Transparent pixels lend their neighbors no color. It returns -1 if there is not enough
// memory, and once *stop is not 0. instructions are those of reduce_block.h that may be used.
int sl_reduce(const uint8_t *in, int width, int height, int bands, uint8_t *out, sl_part part, int to_width, int to_height, const int32_t *stop, int instructions);
// sl_stream brings rows one after the other. They are in a ring, where row n is at n % held; sl_reduce_stream makes it.
typedef struct sl_stream {
	uint8_t *rows;
	int held;
	// reach has the rows up to end in the ring. It returns 0, or anything else if the picture cannot be decoded.
	int (*reach)(struct sl_stream *s, int end);
} sl_stream;

// sl_reduce_stream is sl_reduce for RGB that comes row by row. In the end all rows were reached, whatever the part.
int sl_reduce_stream(sl_stream *s, int width, int height, uint8_t *out, sl_part part, int to_width, int to_height, const int32_t *stop, int instructions);
// sl_reduce_planes scales Y, U and V, of which the last two have half of the sides, rounded up, each by itself, and makes RGB of them.
int sl_reduce_planes(const uint8_t *const planes[3], int width, int height, uint8_t *rgb, int to_width, int to_height, const int32_t *stop, int instructions);

#endif
