// JPEGs by libjpeg, from memory into memory.
#ifndef SL_JPEG_H
#define SL_JPEG_H

#include <stddef.h>
#include <stdint.h>

// sl_jpeg_decode decodes an RGB picture at 1/shrink, which has width x height pixels, as libvips' loader does. It
// returns 0, 1 if libjpeg warned of the data, so that parts of the picture are made up, and -1 for any other kind of
// file and size, and soon after *stop is not 0. *libjpeg is whether libjpeg decodes the Huffman codes, rather than
// jpeg_huffman.c; it is set when libjpeg had to do so after all. A file is decoded twice then, and never more often.
int sl_jpeg_decode(const uint8_t *file, size_t size, int shrink, uint8_t *out, int width, int height, int *libjpeg, const int32_t *stop);

#endif
