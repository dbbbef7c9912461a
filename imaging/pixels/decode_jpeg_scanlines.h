// A JPEG decoder that returns rows one by one. It is the only place that drives libjpeg's decompressor.
#ifndef SL_DECODE_JPEG_SCANLINES_H
#define SL_DECODE_JPEG_SCANLINES_H

#include "jpeg_managers.h"

// sl_jpeg_scaling says what is decoded: a file with the given number of bands, gray (1), RGB (3) or CMYK (4), at
// 1/shrink, where shrink is 1, 2, 4 or 8. width x height pixels from the top left corner are returned. As in libvips'
// jpegload, these are the sides of the image divided by shrink, rounded down.
typedef struct {
	const uint8_t *file;
	size_t size;
	int bands, shrink, width, height;
	const int32_t *stop; // decoding ends with an error soon after this becomes nonzero
} sl_jpeg_scaling;

typedef struct {
	struct jpeg_decompress_struct cinfo;
	sl_jpeg_error_mgr jerr;
	sl_jpeg_source_mgr src;
	sl_jpeg_progress_mgr progress;
	sl_jpeg_scaling as;
	int by_libjpeg;	   // libjpeg decodes the Huffman codes; set to 1 if our decoder gives up
	int decoded;	   // rows
	JSAMPLE *scanline; // a row of libjpeg, which may be a pixel wider than the caller's rows
	size_t stride;	   // bytes of one of the caller's rows
} sl_jpeg_decoder;

// sl_jpeg_decoder_start reads the header and starts to decompress. It reads all of a file with several scans.
// by_libjpeg must be set before. It returns -1 for unsupported files and unexpected sizes. The caller must call
// sl_jpeg_decoder_destroy in any case.
int sl_jpeg_decoder_start(sl_jpeg_decoder *r, const sl_jpeg_scaling *as);

// sl_jpeg_decoder_read decodes the next row, and drops it if row is NULL. It returns -1 after an error. If our Huffman
// decoder gives up, libjpeg decodes the file again from its start. The earlier rows are identical.
int sl_jpeg_decoder_read(sl_jpeg_decoder *r, uint8_t *row);

// sl_jpeg_decoder_try is like sl_jpeg_decoder_read, but fails if our Huffman decoder gives up, and returns 1 if
// decode_mcu has suspended libjpeg. Only the decode_mcu in decode_jpeg.c does that.
int sl_jpeg_decoder_try(sl_jpeg_decoder *r, uint8_t *row);

// sl_jpeg_decoder_finish decodes what remains after the caller's rows. libjpeg rounds the height up, so there may be
// one more row. This way, damage is detected at every scale or at none. An error here counts as a warning, because all
// of the caller's rows are complete.
void sl_jpeg_decoder_finish(sl_jpeg_decoder *r);

// sl_jpeg_decoder_warned reports whether libjpeg has warned of corrupt data.
int sl_jpeg_decoder_warned(const sl_jpeg_decoder *r);

void sl_jpeg_decoder_destroy(sl_jpeg_decoder *r);

#endif
