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

// sl_jpeg_rows_open begins decoding at 1/shrink to width x height pixels of that many bands, which libvips' loader
// would make. It returns -1 for any other kind of file and size. *libjpeg is whether libjpeg decodes the Huffman
// codes, rather than jpeg_huffman.c; it is set, by this and by the functions below, when they stop because libjpeg
// has to do so. sl_jpeg_rows_close has to follow in any case.
int sl_jpeg_rows_open(sl_jpeg_rows *r, const uint8_t *file, size_t size, int bands, int shrink, int width, int height, int *libjpeg);
// sl_jpeg_rows_next decodes the next row, into nowhere if row is NULL. It returns -1 for an error, 1 if libjpeg's
// decode_mcu has suspended it.
int sl_jpeg_rows_next(sl_jpeg_rows *r, uint8_t *row);
// sl_jpeg_rows_finish decodes what follows the rows that are wanted: at a scale, libjpeg rounds the height up and may have one more. So
// damage is noticed at all scales or at none. An error is damage here: all rows are there.
void sl_jpeg_rows_finish(sl_jpeg_rows *r);
// sl_jpeg_rows_damaged reports whether libjpeg warned of the data: then it made up parts of the rows.
int sl_jpeg_rows_damaged(const sl_jpeg_rows *r);
void sl_jpeg_rows_close(sl_jpeg_rows *r);

#endif
