// Huffman decoding of baseline JPEGs in memory, in place of libjpeg's jdhuff.c. libjpeg does everything else. It gets
// the same coefficients, except for those that its IDCT does not read, so the pixels are identical.
#ifndef SL_DECODE_JPEG_HUFFMAN_H
#define SL_DECODE_JPEG_HUFFMAN_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <jpeglib.h>

// sl_entropy_decoder is the start of libjpeg's struct jpeg_entropy_decoder, the same in libjpeg-turbo 2.1 to 3.1. It is
// declared in jpegint.h, which few systems install.
typedef struct {
	void (*start_pass)(j_decompress_ptr);
	boolean (*decode_mcu)(j_decompress_ptr, JBLOCKROW *);
} sl_entropy_decoder;

// sl_huff_decoder_install replaces cinfo's decode_mcu after jpeg_start_decompress and before the first row. The data
// start at the position of cinfo's source and must be in memory up to end. It uses cinfo->client_data and memory of
// libjpeg's image pool. It does nothing unless the file is sequential, Huffman-coded with 8 bits, and in one scan. If
// the data violate T.81, it sets *gave_up and calls error_exit. The caller must then let libjpeg decode the file again
// from its start, because only libjpeg can reproduce its own handling of damage.
void sl_huff_decoder_install(j_decompress_ptr cinfo, const uint8_t *end, int *gave_up);

#endif
