// Lookup tables of the Huffman decoder.
#ifndef SL_DECODE_JPEG_HUFFMAN_TABLE_H
#define SL_DECODE_JPEG_HUFFMAN_TABLE_H

#include <stdint.h>
#include <stdio.h>

#include <jpeglib.h>

enum {
	sl_lookahead_bits = 10, // bits of the index of lookup
	sl_skip_bits = 13,		// bits of the index of skip
	sl_end_of_block = 64,	// advance that stands for an end of block
	sl_skip_end = 1 << 15,	// flag in an entry of skip
};

// sl_huff_table is what libjpeg calls a derived table. Its entries describe the start of a bit string.
//
// An entry of lookup is a code together with the value that follows it: bits 0 to 4 are the length of both, 5 to 8 the
// size of the value, 9 to 15 by how much the index of the coefficient advances. It is 0 if the code is longer than
// sl_lookahead_bits or does not exist.
//
// An entry of skip sums up as many codes with their values as fit; of the last one, only the code must fit. Bits 0 to
// 4 are the length, 8 to 14 the advance. An end of block counts as an advance of 1 and sets sl_skip_end. It is 0 if no
// code fits.
typedef struct {
	int dc;
	int has_skip;		// nonzero once skip is filled in
	uint32_t limit[17];	// for each length, an exclusive upper bound of codes up to that length, left-aligned in 16 bits
	int32_t offset[17]; // for each length, the index of a code's symbol minus the code
	uint8_t symbols[256];
	uint16_t lookup[1 << sl_lookahead_bits];
	uint16_t skip[1 << sl_skip_bits];
} sl_huff_table;

static inline int sl_entry_length(uint32_t e) { return e & 31; }
static inline int sl_entry_size(uint32_t e) { return e >> 5 & 15; }
static inline int sl_entry_advance(uint32_t e) { return e >> 9 & 127; }
// Bit 5 is 0; with six bits, the compiler can omit the mask before a shift.
static inline int sl_skip_length(uint32_t e) { return e & 63; }
static inline int sl_skip_advance(uint32_t e) { return e >> 8 & 127; }

// sl_lookup_long_code returns the entry of the code in the top bits of next, which has more than sl_lookahead_bits. It
// is 0 if there is none, or if its symbol does not occur in sequential JPEGs.
uint32_t sl_lookup_long_code(const sl_huff_table *t, uint64_t next);

// sl_huff_table_init derives a table for DC or AC coefficients, without skip. It returns 0 for a table that T.81
// forbids.
int sl_huff_table_init(sl_huff_table *t, const JHUFF_TBL *from, int dc);

// sl_huff_table_init_skip fills in skip in a table for AC coefficients.
void sl_huff_table_init_skip(sl_huff_table *t);

#endif
