// Counting the Huffman symbols of a JPEG. This replaces libjpeg's encode_mcu_gather, which checks every coefficient
// although most are 0. libjpeg computes the same tables from the counts.
#ifndef SL_ENCODE_JPEG_COUNTS_H
#define SL_ENCODE_JPEG_COUNTS_H

#include <stdio.h>

#include <jpeglib.h>

// sl_huff_counts_install replaces cinfo's encode_mcu and finish_pass for the first of two passes, after
// jpeg_start_compress and before the first row. The file must have one scan, the tables 0 and 1, 8 bits per sample,
// and no restart intervals. The function uses cinfo->client_data and memory of libjpeg's image pool.
void sl_huff_counts_install(j_compress_ptr cinfo);

#endif
