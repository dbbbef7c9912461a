// Huffman encoding of baseline JPEGs with optimized tables, in place of libjpeg's. All else is libjpeg's, so the files are the same: it hands over coefficients as
// it makes them, and need not keep them all until the tables are known.
#ifndef SL_JPEG_SYMBOLS_H
#define SL_JPEG_SYMBOLS_H

#include <stddef.h>
#include <stdio.h>

#include <jpeglib.h>

typedef struct sl_symbols sl_symbols;

// sl_symbols_install takes over from an encoder with 8 bits a sample, one scan, no restart intervals, no more than two tables of a kind, and without
// optimize_coding, whose destination is a buffer in memory that grows: after jpeg_start_compress, before the first row. client_data is its own from then on, and
// libjpeg frees what it allocates. It ends by error_exit if there is not enough memory.
sl_symbols *sl_symbols_install(j_compress_ptr info);

// sl_symbols_write writes the tables and all data: after the last row, before jpeg_finish_compress.
void sl_symbols_write(j_compress_ptr info, sl_symbols *s);

#endif
