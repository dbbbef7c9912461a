#include <stddef.h>
#include <string.h>

#include "decode_jpeg_huffman_table.h"

// sl_entry returns the entry of a symbol (F.1.2.1 and F.1.2.2) whose code has the given length; 0 for a symbol that
// does not occur in sequential JPEGs.
static uint32_t sl_entry(const sl_huff_table *t, int symbol, int length)
{
	int run = symbol >> 4, size = symbol & 15;
	if (t->dc)
		return run ? 0 : (length + size) | size << 5 | 1 << 9;
	if (size == 0 && run == 0)
		return length | sl_end_of_block << 9;
	if (size == 0 && run != 15)
		return 0;
	return (length + size) | size << 5 | (run + 1) << 9;
}

uint32_t sl_lookup_long_code(const sl_huff_table *t, uint64_t next)
{
	uint32_t code = next >> 48;
	if (code < t->limit[sl_lookahead_bits])
		return 0;
	for (int length = sl_lookahead_bits + 1; length <= 16; length++)
		if (code < t->limit[length])
			return sl_entry(t, t->symbols[t->offset[length] + (int) (code >> (16 - length))], length);
	return 0;
}

static int sl_code_length(uint32_t e) { return sl_entry_length(e) - sl_entry_size(e); }

// sl_fill_lookup sets the entries of the codes of one length. All strings that start with the same code are
// consecutive.
static void sl_fill_lookup(sl_huff_table *t, int length)
{
	uint32_t from = length > 1 ? t->limit[length - 1] >> (16 - length) : 0, to = t->limit[length] >> (16 - length);
	int same = 1 << (sl_lookahead_bits - length);
	for (uint32_t code = from; code < to; code++) {
		uint16_t e = sl_entry(t, t->symbols[t->offset[length] + (int) code], length);
		for (int n = 0; n < same; n++)
			t->lookup[code * same + n] = e;
	}
}

int sl_huff_table_init(sl_huff_table *t, const JHUFF_TBL *from, int dc)
{
	if (!from)
		return 0;
	memset(t, 0, offsetof(sl_huff_table, skip));
	t->dc = dc;
	memcpy(t->symbols, from->huffval, sizeof t->symbols);
	uint32_t code = 0;
	int count = 0;
	for (int length = 1; length <= 16; length++, code <<= 1) { // C.2: no code consists of ones only
		t->offset[length] = count - (int) code;
		code += from->bits[length];
		count += from->bits[length];
		if (count > 256 || code >= 1u << length)
			return 0;
		t->limit[length] = code << (16 - length);
	}
	for (int length = 1; length <= sl_lookahead_bits; length++)
		sl_fill_lookup(t, length);
	return 1;
}

void sl_huff_table_init_skip(sl_huff_table *t)
{
	t->has_skip = 1;
	for (uint32_t n = 0; n < 1 << sl_skip_bits; n++) {
		int length = 0, advance = 0, end = 0;
		while (length < sl_skip_bits && !end) {
			uint64_t next = (uint64_t) n << (64 - sl_skip_bits + length);
			uint32_t e = t->lookup[next >> (64 - sl_lookahead_bits)];
			if (!e)
				e = sl_lookup_long_code(t, next);
			if (!e || length + sl_code_length(e) > sl_skip_bits)
				break;
			end = sl_entry_advance(e) == sl_end_of_block;
			advance += end ? 1 : sl_entry_advance(e);
			length += sl_entry_length(e);
		}
		t->skip[n] = advance > 64 ? 0 : length | advance << 8 | (end ? sl_skip_end : 0);
	}
}
