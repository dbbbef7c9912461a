// Pixels that were decoded without libvips, as an image.
#ifndef SL_LOAD_PIXELS_H
#define SL_LOAD_PIXELS_H

#include "types.h"

// sl_pixels_new allocates bytes that libvips counts; NULL if there are not enough.
void *sl_pixels_new(size_t size);
void sl_pixels_free(void *pixels);
// sl_load_pixels returns an image of the pixels, 8 bits each, which are the image's then; the rest is that of header, which libvips loaded of
// the same file and whose reference it takes.
int sl_load_pixels(VipsImage *header, void *pixels, int width, int height, VipsImage **out);
// sl_alias returns the image with a header of its own. Pixels in memory stay where they are: vips_copy would make them wait to be computed.
int sl_alias(VipsImage *in, VipsImage **out);
// sl_resolution returns pixels to a meter.
void sl_resolution(VipsImage *in, unsigned int *across, unsigned int *down);
// sl_pixels returns where the pixels of an image in memory are; NULL if it is none.
const void *sl_pixels(VipsImage *in);

#endif
