// Huffman decoding of baseline JPEGs in memory, in place of libjpeg's jdhuff.c. libjpeg does everything else. It gets
// the same coefficients, but for those that its IDCT does not read, so the pixels are the same.
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
// start at the position of cinfo's source and are in memory up to end. It uses cinfo->client_data, and memory of
// libjpeg's image pool. It does nothing for files other than sequential Huffman-coded ones of 8 bits in one scan. Where
// the data are not exactly as T.81 says, it sets *gave_up and calls error_exit: the caller has libjpeg decode the file
// again from its start, because only libjpeg knows what it makes of damage.
void sl_huff_decoder_install(j_decompress_ptr cinfo, const uint8_t *end, int *gave_up);

#endif
