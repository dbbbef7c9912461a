// Huffman decoding of baseline JPEGs that are in memory, in place of libjpeg's. All else is libjpeg's: it gets the coefficients that it
// would have decoded and uses, so the pixels are the same.
#ifndef SL_JPEG_HUFFMAN_H
#define SL_JPEG_HUFFMAN_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <jpeglib.h>

// sl_entropy is how libjpeg's struct jpeg_entropy_decoder begins, in all its versions. jpegint.h has it, which few systems install.
typedef struct {
	void (*start_pass)(j_decompress_ptr);
	boolean (*decode_mcu)(j_decompress_ptr, JBLOCKROW *);
} sl_entropy;

// sl_huffman_install takes over at the position of info's source, which is in memory up to end: after jpeg_start_decompress, before the first row.
// client_data is its own from then on, and libjpeg frees what it allocates. It does nothing for what is not baseline in one scan.
// Where the data are not exactly as T.81 says, it sets *gave_up and ends by error_exit: then libjpeg has to decide, from the start.
void sl_huffman_install(j_decompress_ptr info, const uint8_t *end, int *gave_up);

#endif
