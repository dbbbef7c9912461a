// Pixels that were decoded before.
#ifndef SL_DECODE_PIXELS_H
#define SL_DECODE_PIXELS_H

#include "types.h"

// sl_decoded_bytes returns the bytes of an image in memory, which lives as long as the image.
void *sl_decoded_bytes(VipsImage *in, size_t *size);
// sl_decoded_new returns an image in memory of 8 bits a band, 1 or 3, for pixels to be written to; NULL if there is not enough.
VipsImage *sl_decoded_new(int width, int height, int bands);
// sl_decoded_image makes an image of pixels in memory, which must outlive it and all that is made from it, with the fields of header: its demand
// style, and that it is to be read in order, decide how libvips cuts up the work, and that rounds a few pixels one way or the other.
int sl_decoded_image(VipsImage *header, const void *data, size_t size, int width, int height, int bands, int format, VipsImage **out);

#endif
