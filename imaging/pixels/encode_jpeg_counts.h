// Counting of the Huffman symbols of a JPEG, in place of libjpeg's encode_mcu_gather, which looks at every coefficient
// although most are 0. libjpeg makes the same tables of the counts.
#ifndef SL_ENCODE_JPEG_COUNTS_H
#define SL_ENCODE_JPEG_COUNTS_H

#include <stdio.h>

#include <jpeglib.h>

// sl_huff_counts_install replaces cinfo's encode_mcu and finish_pass for the first of two passes, after
// jpeg_start_compress and before the first row. The file has one scan, the tables 0 and 1, 8 bits a sample, and no
// restart intervals. It uses cinfo->client_data, and memory of libjpeg's image pool.
void sl_huff_counts_install(j_compress_ptr cinfo);

#endif
