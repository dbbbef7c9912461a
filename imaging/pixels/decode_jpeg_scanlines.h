// A JPEG decoder that returns one row after the other: the only place that drives libjpeg's decompressor.
#ifndef SL_DECODE_JPEG_SCANLINES_H
#define SL_DECODE_JPEG_SCANLINES_H

#include "jpeg_managers.h"

// sl_jpeg_scaling says what is decoded: 1/shrink (1, 2, 4 or 8) of a file of that many bands, gray (1), RGB (3) or CMYK
// (4), of which the rows have width x height pixels, from the top left corner: those of libvips' jpegload, which are the
// sides of the image divided by shrink, rounded down.
typedef struct {
	const uint8_t *file;
	size_t size;
	int bands, shrink, width, height;
	const int32_t *stop; // decoding ends with an error soon after it became nonzero
} sl_jpeg_scaling;

typedef struct {
	struct jpeg_decompress_struct cinfo;
	sl_jpeg_error_mgr jerr;
	sl_jpeg_source_mgr src;
	sl_jpeg_progress_mgr progress;
	sl_jpeg_scaling as;
	int by_libjpeg;	   // libjpeg decodes the Huffman codes, too; becomes 1 if our decoder gives up
	int decoded;	   // rows
	JSAMPLE *scanline; // a row of libjpeg, which may be a pixel wider than that of the caller
	size_t stride;	   // bytes of a row of the caller
} sl_jpeg_decoder;

// sl_jpeg_decoder_start reads the header and starts to decompress; of a file of several scans, it reads all. by_libjpeg
// is set before. It returns -1 for other kinds of files and other sizes. The caller calls sl_jpeg_decoder_destroy in any
// case.
int sl_jpeg_decoder_start(sl_jpeg_decoder *r, const sl_jpeg_scaling *as);

// sl_jpeg_decoder_read decodes the next row, and drops it if row is NULL. It returns -1 for an error. If our Huffman
// decoder gives up, libjpeg decodes the file from its start: the rows before are the same.
int sl_jpeg_decoder_read(sl_jpeg_decoder *r, uint8_t *row);

// sl_jpeg_decoder_try is sl_jpeg_decoder_read that fails if our Huffman decoder gives up, and returns 1 if decode_mcu
// suspended libjpeg, which only that of decode_jpeg.c does.
int sl_jpeg_decoder_try(sl_jpeg_decoder *r, uint8_t *row);

// sl_jpeg_decoder_finish decodes the rest after the rows of the caller: libjpeg rounds the height up and may have one
// more. So damage is noticed at every scale or at none. An error counts as a warning here, since all rows are there.
void sl_jpeg_decoder_finish(sl_jpeg_decoder *r);

// sl_jpeg_decoder_warned reports whether libjpeg has warned of corrupt data.
int sl_jpeg_decoder_warned(const sl_jpeg_decoder *r);

void sl_jpeg_decoder_destroy(sl_jpeg_decoder *r);

#endif
