// A bit reader for the entropy-coded data of a JPEG in memory.
#ifndef SL_DECODE_JPEG_BITS_H
#define SL_DECODE_JPEG_BITS_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <jpeglib.h>

enum {
	// The max number of bytes that decoding one MCU reads: for each coefficient a code of up to 16 bits with a value
	// of up to 15, plus what sl_fill_bits reads ahead.
	sl_max_mcu_bytes = D_MAX_BLOCKS_IN_MCU * 64 * 31 / 8 + 16,
	sl_entropy_buffer = 8192,
};

// sl_bit_reader is a position in the data: the top "left" bits of next come next, and at is the first byte that is not
// in next.
typedef struct {
	uint64_t next;
	int left;
	const uint8_t *at;
} sl_bit_reader;

// sl_entropy_data holds unstuffed data, without the zero byte that follows an FF (B.1.1.5). Invariant: a bit reader's
// at lies in bytes, and either end - at >= sl_max_mcu_bytes, or ended is set and sl_max_mcu_bytes zeros follow end. So
// one MCU can be decoded without bounds checks. Afterwards, sl_bits_left tells whether the decoder has read into the
// zeros.
typedef struct {
	const uint8_t *file, *file_end; // the rest of the file
	const uint8_t *end;				// end of the data
	int ended;						// file points to a marker or to the end of the file
	int cut;						// file points to the end of the file: a marker is missing
	uint8_t bytes[sl_entropy_buffer + sl_max_mcu_bytes];
} sl_entropy_data;

// sl_entropy_data_init begins at a position in a file, with an empty buffer.
void sl_entropy_data_init(sl_entropy_data *d, sl_bit_reader *b, const uint8_t *file, const uint8_t *file_end);

// sl_entropy_data_refill moves the bytes that b has not read to the start of the buffer, and then reads from the file,
// at most up to the next marker. It restores the invariant.
void sl_entropy_data_refill(sl_entropy_data *d, sl_bit_reader *b);

// sl_bits_left returns the number of bits up to the end of the data. It is negative if more were read.
static inline ptrdiff_t sl_bits_left(const sl_entropy_data *d, const sl_bit_reader *b)
{
	return (d->end - b->at) * 8 + b->left;
}

// sl_fill_bits loads whole bytes until 56 to 63 bits are available.
static inline void sl_fill_bits(sl_bit_reader *b)
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

// sl_drop_bits consumes n bits, at most left.
static inline void sl_drop_bits(sl_bit_reader *b, int n)
{
	b->next <<= n;
	b->left -= n;
}

// sl_extend returns the signed value in the last size of the next n bits (F.2.2.1, EXTEND); 0 for a size of 0.
static inline int sl_extend(const sl_bit_reader *b, int n, int size)
{
	int ones = (1 << size) - 1, v = (int) (b->next >> (64 - n)) & ones;
	return v - (ones & -(v <= ones >> 1));
}

#endif
