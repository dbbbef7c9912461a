// A JPEG decoder that returns one row after the other: the only place that drives libjpeg's decompressor.
#ifndef SL_DECODE_JPEG_SCANLINES_H
#define SL_DECODE_JPEG_SCANLINES_H

#include "jpeg_managers.h"

typedef struct {
	struct jpeg_decompress_struct cinfo;
	sl_jpeg_error_mgr jerr;
	sl_jpeg_source_mgr src;
	JSAMPLE *scanline; // a row of libjpeg, which may be a pixel wider than that of the caller
	size_t stride;	   // bytes of a row of the caller
} sl_jpeg_decoder;

// sl_jpeg_decoder_start reads the header and starts to decompress at 1/shrink to width x height pixels of that many
// bands, 1 or 3. It returns -1 for other kinds of files and other sizes, as sl_jpeg_decode says. *libjpeg is as there;
// it becomes 1, here and in the functions below, if our Huffman decoder gives up. The caller calls
// sl_jpeg_decoder_destroy in any case.
int sl_jpeg_decoder_start(
	sl_jpeg_decoder *r, const uint8_t *file, size_t size, int bands, int shrink, int width, int height, int *libjpeg);

// sl_jpeg_decoder_read decodes the next row, and drops it if row is NULL. It returns -1 for an error, and 1 if
// decode_mcu suspended libjpeg, which only that of decode_jpeg.c does.
int sl_jpeg_decoder_read(sl_jpeg_decoder *r, uint8_t *row);

// sl_jpeg_decoder_finish decodes the rest after the rows of the caller: libjpeg rounds the height up and may have one
// more. So damage is noticed at every scale or at none. An error counts as a warning here, since all rows are there.
void sl_jpeg_decoder_finish(sl_jpeg_decoder *r);

// sl_jpeg_decoder_warned reports whether libjpeg has warned of corrupt data.
int sl_jpeg_decoder_warned(const sl_jpeg_decoder *r);

void sl_jpeg_decoder_destroy(sl_jpeg_decoder *r);

#endif
