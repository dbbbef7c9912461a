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
	int ahead; // how many rows there is room for beyond those that some rows of the result are made of
	// begin is called once the ring is there, reach for some rows of the result at once, and end after the last one, or with an err that is not 0. reach has the
	// rows from first up to end there, and those before first are no longer used. reach and end return 0, or anything else if the picture cannot be decoded.
	void (*begin)(struct sl_stream *s);
	int (*reach)(struct sl_stream *s, int first, int end);
	int (*end)(struct sl_stream *s, int err);
} sl_stream;

// sl_reduce_stream is sl_reduce for RGB that comes row by row.
int sl_reduce_stream(sl_stream *s, int width, int height, uint8_t *out, sl_part part, int to_width, int to_height, const int32_t *stop, int instructions);
// sl_reduce_planes scales Y, U and V, of which the last two have half of the sides, rounded up, each by itself, and makes RGB of them.
int sl_reduce_planes(const uint8_t *const planes[3], int width, int height, uint8_t *rgb, int to_width, int to_height, const int32_t *stop, int instructions);

#endif
