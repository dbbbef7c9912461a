// The rows of a gray or RGB JPEG that is in memory, one after the other.
#ifndef SL_JPEG_ROWS_H
#define SL_JPEG_ROWS_H

#include "jpeg_source.h"

typedef struct {
	struct jpeg_decompress_struct info;
	sl_errors errors;
	sl_pieces pieces;
	JSAMPLE *spare; // a row as libjpeg makes it, which may be wider
	size_t line;	// bytes of a row
} sl_jpeg_rows;

// sl_jpeg_rows_open begins decoding at 1/shrink to width x height pixels of that many bands, which libvips' loader would make. It returns -1 for any other kind of
// file and size, and for data that libjpeg warns of. *libjpeg is whether libjpeg decodes the Huffman codes, rather than jpeg_huffman.c; it is set, by
// this and by the functions below, when they return -1 and it would have to do so. sl_jpeg_rows_close has to follow in any case.
int sl_jpeg_rows_open(sl_jpeg_rows *r, const uint8_t *file, size_t size, int bands, int shrink, int width, int height, int *libjpeg);
// sl_jpeg_rows_next decodes the next row, into nowhere if row is NULL. It returns -1 if libjpeg warns, 1 if its decode_mcu has suspended it.
int sl_jpeg_rows_next(sl_jpeg_rows *r, uint8_t *row);
// sl_jpeg_rows_finish decodes what follows the rows that are wanted: at a scale, libjpeg rounds the height up and may have one more. So
// a file is refused at all scales or at none. It returns -1 if libjpeg warns.
int sl_jpeg_rows_finish(sl_jpeg_rows *r);
void sl_jpeg_rows_close(sl_jpeg_rows *r);

#endif
