// A JPEG at several scales from one pass over its bytes: libjpeg decodes it once for each scale, but reads the bytes, which is half of the
// work or more, once for all.
#ifndef SL_DECODE_SCALES_H
#define SL_DECODE_SCALES_H

#include "types.h"

// sl_scale is what is wanted of a file: each shrink x shrink pixels made one by the decoder, and of those width x height from the
// top left corner.
typedef struct {
	int shrink; // 1, 2, 4 or 8; the first of several is the smallest
	int width, height;
	VipsImage *out; // 8 bits a band, in memory; the caller's
} sl_scale;

// sl_decode_scales decodes a baseline JPEG of that many bands, grey or YCbCr. It fails for every other file, for one that libjpeg warns of, and
// once *stop is not 0; then no scale has an image. The pixels are those of libvips' loader.
int sl_decode_scales(const void *data, size_t size, int bands, sl_scale *scales, int n, int *stop);

#endif
