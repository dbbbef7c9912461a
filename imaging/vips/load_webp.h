// A WebP still, decoded by libwebp itself: libvips' loader decodes into a canvas of four bands, draws the frame over it and copies
// rows, which takes as long again.
#ifndef SL_LOAD_WEBP_H
#define SL_LOAD_WEBP_H

#include "types.h"

// sl_load_webp decodes the file, a still, at width x height into memory; bands and metadata are those of header, which libvips
// loaded of the same file and whose reference it takes. It fails for a file that libwebp does not decode as a whole, and once *stop is not 0.
int sl_load_webp(VipsImage *header, const void *data, size_t size, int width, int height, int *stop, VipsImage **out);

#endif
