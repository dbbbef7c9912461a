// Tables of jpeg_huffman.c: what the next bits of the data mean.
#ifndef SL_JPEG_HUFFMAN_TABLE_H
#define SL_JPEG_HUFFMAN_TABLE_H

#include <stdint.h>
#include <stdio.h>

#include <jpeglib.h>

enum {
	sl_one_bits = 10,
	sl_skip_bits = 13,
	sl_end_of_block = 64, // how far an end of block advances
	sl_skip_end = 1 << 15,
};

// sl_table is a Huffman table. An entry of one says what the next sl_one_bits begin with: bits 0 to 4 are the length of a code with the bits of its
// value, 5 to 8 the size of the value, 9 to 15 how far the number of the coefficient advances. It is 0 where the code is longer or there is none. An
// entry of skip adds up codes as long as they fit in sl_skip_bits, the value of the last aside: bits 0 to 4 are the length, 8 to 14 how far the
// number advances. The last may be an end of block, which counts as 1 there, and sets sl_skip_end. It is 0 where not one code fits.
typedef struct {
	int dc;
	int skips; // whether skip is made
	uint32_t limit[17]; // above the codes of each length and of shorter ones, if zeros follow up to 16 bits
	int32_t offset[17]; // from a code of that length to its symbol
	uint8_t symbols[256];
	uint16_t one[1 << sl_one_bits];
	uint16_t skip[1 << sl_skip_bits];
} sl_table;

static inline int sl_length(uint32_t e) { return e & 31; }
static inline int sl_size(uint32_t e) { return e >> 5 & 15; }
static inline int sl_advance(uint32_t e) { return e >> 9 & 127; }
static inline int sl_skip_length(uint32_t e) { return e & 63; } // bits 5 to 7 are 0: a shift takes six bits of a number as they are
static inline int sl_skip_advance(uint32_t e) { return e >> 8 & 127; }

// sl_long_code is the entry of the code of more than sl_one_bits that begins next, at its top. 0 if there is none, or none that sequential JPEGs have.
uint32_t sl_long_code(const sl_table *t, uint64_t next);

// sl_table_init makes a table for DC or AC coefficients, without skip. It returns 0 for one that T.81 does not allow.
int sl_table_init(sl_table *t, const JHUFF_TBL *from, int dc);

// sl_table_init_skip adds skip to a table for AC coefficients.
void sl_table_init_skip(sl_table *t);

#endif
