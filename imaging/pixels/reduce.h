// Reducing: scaling down in one pass over the rows. Boxes of whole pixels while the size is at least twice the
// target's, then Lanczos3, like libvips' shrink and reduce together.
#ifndef SL_REDUCE_H
#define SL_REDUCE_H

#include <stdint.h>

// sl_region is the region of a picture that a result shows, in pixels of the picture. It may start or end up to one
// pixel outside of the picture, whose edge pixels are repeated there. If linear is set, it is scaled in linear light,
// otherwise its samples are scaled unchanged.
typedef struct {
	double left, top, width, height;
	int linear;
} sl_region;

// sl_reduce scales a region of width x height pixels of 3 bands, or of 4 with unpremultiplied alpha, to to_width x
// to_height, neither of which is larger than the region's side. Alpha is premultiplied in between. It returns -1 if
// memory runs out and soon after *stop becomes nonzero. instructions is the best instruction set to use; see
// reduce_block.h.
int sl_reduce(
	const uint8_t *in, int width, int height, int bands, uint8_t *out, sl_region region, int to_width, int to_height,
	const int32_t *stop, int instructions);

// sl_row_source provides RGB rows from top to bottom. sl_reduce_source allocates rows as a ring of held rows: row n is
// at n % held. Invariant: rows [end - held, end) are in the ring after decode_until(end).
typedef struct sl_row_source {
	uint8_t *rows;
	int held;
	// decode_until decodes rows up to, but not including, end. It returns 0, or a nonzero number after an error.
	int (*decode_until)(struct sl_row_source *s, int end);
} sl_row_source;

// sl_reduce_source is sl_reduce for a row source. In the end, it has all rows decoded, even those below the region.
int sl_reduce_source(
	sl_row_source *s, int width, int height, uint8_t *out, sl_region region, int to_width, int to_height,
	const int32_t *stop, int instructions);

// sl_reduce_yuv scales 4:2:0 planes, whose chroma sides are half of width and height rounded up, separately, and
// converts the result to RGB.
int sl_reduce_yuv(
	const uint8_t *const planes[3], int width, int height, uint8_t *rgb, int to_width, int to_height,
	const int32_t *stop, int instructions);

#endif
