// Optimized Huffman tables, as libjpeg makes them.
#ifndef SL_JPEG_OPTIMAL_H
#define SL_JPEG_OPTIMAL_H

#include <stddef.h>
#include <stdint.h>

// sl_optimal is a table: how many codes have each length, and their symbols in the order of the codes.
typedef struct {
	uint8_t lengths[17];
	uint8_t symbols[256];
	int n; // symbols
} sl_optimal;

// sl_optimal_init makes the table for symbols that occur so many times each. It returns 0 if libjpeg would fail: a code would have more than 32 bits
// before it is limited to 16.
int sl_optimal_init(sl_optimal *t, const size_t *counts);

#endif
