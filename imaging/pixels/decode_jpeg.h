// Decoding an RGB JPEG, optionally scaled by libjpeg, into memory.
#ifndef SL_DECODE_JPEG_H
#define SL_DECODE_JPEG_H

#include <stddef.h>
#include <stdint.h>

#include "result.h"

// sl_jpeg_decode decodes at scale 1/shrink (1, 2, 4 or 8) into out, width x height pixels of 3 bytes without padding.
// Width and height are those of libvips' jpegload: the sides of the image divided by shrink, rounded down. It returns
// sl_ok; sl_damaged if libjpeg warned, so that parts of the pixels are made up; sl_no_memory; and sl_unsupported for
// other kinds of files, for other sizes, and soon after *stop became nonzero. *libjpeg selects the Huffman decoder:
// ours (0) or libjpeg's (1). If ours meets data that are not exactly as T.81 says, *libjpeg becomes 1 and the file is
// decoded again from its start, once.
int sl_jpeg_decode(
	const uint8_t *file, size_t size, int shrink, uint8_t *out, int width, int height, int *libjpeg,
	const int32_t *stop);

#endif
