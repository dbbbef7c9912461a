// The entropy-coded data of a JPEG that is in memory, bit by bit.
#ifndef SL_JPEG_BITS_H
#define SL_JPEG_BITS_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <jpeglib.h>

enum {
	sl_mcu_most = D_MAX_BLOCKS_IN_MCU * 64 * 31 / 8 + 16, // bytes of an MCU, if all codes are as long as can be, and some that are read ahead
	sl_room = 8192,
};

// sl_bits are the next bits of the data: the topmost ones of next are known, as many as left says.
typedef struct {
	uint64_t next;
	int left;
	const uint8_t *at; // what follows
} sl_bits;

// sl_data are the next data up to a marker, without the zeros that follow an FF (B.1.1.5).
typedef struct {
	const uint8_t *file, *file_end; // what follows
	const uint8_t *end;				// of the bytes that there are
	int ended;						// before a marker or at the end of the file; zeros follow the bytes
	int cut;						// at the end of the file: there is no marker
	uint8_t bytes[sl_room + sl_mcu_most];
} sl_data;

// sl_data_init begins at a position in a file.
void sl_data_init(sl_data *d, sl_bits *b, const uint8_t *file, const uint8_t *file_end);

// sl_more reads data of the file after those that are left: sl_mcu_most bytes or more, or all up to a marker.
void sl_more(sl_data *d, sl_bits *b);

// sl_left is how many bits there are up to the end of the bytes, below 0 if more were taken.
static inline ptrdiff_t sl_left(const sl_data *d, const sl_bits *b) { return (d->end - b->at) * 8 + b->left; }

// sl_fill has 56 bits there, or more.
static inline void sl_fill(sl_bits *b)
{
	uint64_t bytes;
	memcpy(&bytes, b->at, 8);
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
	bytes = __builtin_bswap64(bytes);
#endif
	b->next |= bytes >> b->left;
	b->at += (63 - b->left) >> 3;
	b->left |= 56;
}

static inline void sl_take(sl_bits *b, int n)
{
	b->next <<= n;
	b->left -= n;
}

// sl_value is the value in the last size of the next n bits (F.2.2.1, EXTEND), 0 for a size of 0.
static inline int sl_value(const sl_bits *b, int n, int size)
{
	int ones = (1 << size) - 1, v = (int) (b->next >> (64 - n)) & ones;
	return v - (ones & -(v <= ones >> 1));
}

#endif
