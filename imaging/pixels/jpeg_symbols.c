#include <stdlib.h>
#include <string.h>

#include "jpeg_optimal.h"
#include "jpeg_symbols.h"
#include "jpeg_zigzag.h"

#ifdef __SSE2__
#include <emmintrin.h>
#endif

enum {
	sl_part_most = 16384,						  // entries
	sl_mcu_entries = C_MAX_BLOCKS_IN_MCU * 64,	  // at most
	sl_part_bytes = sl_part_most * 27 / 8 + 16,	  // of its codes at most, each of up to 16 bits and a value of up to 11, and what is written ahead
	sl_two = 2,									  // tables of a kind
	sl_sos_most = 2 + 6 + 2 * MAX_COMPS_IN_SCAN, // bytes of a scan's header
};

// sl_part is a part of the symbols, of whole MCUs. An entry is a DC difference, or a run of up to 15 zeros (bits 12 to 15) before an AC coefficient (bits 0 to 11,
// signed): 15 zeros before a zero are ZRL, and 0 is the end of a block. So a block takes no more than its coefficients.
typedef struct sl_part {
	struct sl_part *next;
	size_t n;
	uint16_t entries[sl_part_most];
} sl_part;

struct sl_symbols {
	sl_part *first, *last;
	int component[C_MAX_BLOCKS_IN_MCU], table[C_MAX_BLOCKS_IN_MCU]; // of each block of an MCU
	int predicted[MAX_COMPS_IN_SCAN];							  // DC coefficients
	size_t dc[sl_two][256], ac[sl_two][256];						  // how often each symbol occurs
	uint64_t order[16][16];											  // of four coefficients each in their order in a block, by which of them are not 0: the same in the order of the data
};

// sl_encoder is how libjpeg's struct jpeg_entropy_encoder begins, in all its versions.
typedef struct {
	void (*start_pass)(j_compress_ptr, boolean);
	boolean (*encode_mcu)(j_compress_ptr, JBLOCKROW *);
} sl_encoder;

// sl_nonzero returns a bit for each coefficient that is not 0.
static inline uint64_t sl_nonzero(const JCOEF *block)
{
	uint64_t bits = 0;
#ifdef __SSE2__
	const __m128i *rows = (const __m128i *) block, zero = _mm_setzero_si128();
	for (int n = 0; n < 4; n++) {
		__m128i a = _mm_cmpeq_epi16(_mm_loadu_si128(rows + 2 * n), zero), b = _mm_cmpeq_epi16(_mm_loadu_si128(rows + 2 * n + 1), zero);
		bits |= (uint64_t) (_mm_movemask_epi8(_mm_packs_epi16(a, b)) ^ 0xffff) << 16 * n;
	}
#else
	for (int n = 0; n < DCTSIZE2; n++)
		bits |= (uint64_t) (block[n] != 0) << n;
#endif
	return bits;
}

// sl_ordered returns the bits of sl_nonzero in the order of the data.
static inline uint64_t sl_ordered(const sl_symbols *s, uint64_t bits)
{
	uint64_t ordered = 0;
	for (int n = 0; n < 8; n++)
		ordered |= s->order[n][bits >> 4 * n & 15];
	if (bits >> 32)
		for (int n = 8; n < 16; n++)
			ordered |= s->order[n][bits >> 4 * n & 15];
	return ordered;
}

// sl_size is how many bits a value has (F.1.2.1.1).
static inline int sl_size(int v) { return 31 - __builtin_clz(2 * abs(v) + 1); }

// sl_keep_block counts and keeps the symbols of a block. *wide collects the bits of its values.
static inline uint16_t *sl_keep_block(sl_symbols *s, const JCOEF *block, int n, uint16_t *to, unsigned *wide)
{
	size_t *ac = s->ac[s->table[n]];
	int *predicted = &s->predicted[s->component[n]], diff = block[0] - *predicted, last = 0;
	*predicted = block[0];
	*wide |= abs(diff) >> 1; // which has a bit more
	s->dc[s->table[n]][sl_size(diff)]++;
	*to++ = diff & 0xfff;
	for (uint64_t left = sl_ordered(s, sl_nonzero(block)) & ~(uint64_t) 1; left; left &= left - 1) {
		int k = __builtin_ctzll(left), run = k - last - 1, v = block[sl_zigzag[k]];
		for (; run > 15; run -= 16) {
			ac[0xf0]++;
			*to++ = 0xf000;
		}
		*wide |= abs(v);
		ac[(run << 4 | sl_size(v)) & 255]++;
		*to++ = run << 12 | (v & 0xfff);
		last = k;
	}
	if (last < DCTSIZE2 - 1) {
		ac[0]++;
		*to++ = 0;
	}
	return to;
}

static sl_part *sl_new_part(j_compress_ptr info)
{
	sl_part *part = (*info->mem->alloc_large)((j_common_ptr) info, JPOOL_IMAGE, sizeof(sl_part));
	part->next = NULL;
	part->n = 0;
	return part;
}

// sl_keep_mcu takes the place of libjpeg's encode_mcu.
static boolean sl_keep_mcu(j_compress_ptr info, JBLOCKROW *mcu)
{
	sl_symbols *s = info->client_data;
	if (s->last->n > sl_part_most - sl_mcu_entries)
		s->last = s->last->next = sl_new_part(info);
	unsigned wide = 0;
	uint16_t *to = s->last->entries + s->last->n;
	for (int n = 0; n < info->blocks_in_MCU; n++)
		to = sl_keep_block(s, mcu[n][0], n, to, &wide);
	if (wide > 1023) // no code for it, as with libjpeg; 8 bits a sample do not have that
		(*info->err->error_exit)((j_common_ptr) info);
	s->last->n = to - s->last->entries;
	return TRUE;
}

sl_symbols *sl_symbols_install(j_compress_ptr info)
{
	sl_symbols *s = (*info->mem->alloc_large)((j_common_ptr) info, JPOOL_IMAGE, sizeof(sl_symbols));
	memset(s, 0, sizeof *s);
	s->first = s->last = sl_new_part(info);
	for (int n = 0; n < info->blocks_in_MCU; n++) {
		s->component[n] = info->MCU_membership[n];
		s->table[n] = info->cur_comp_info[s->component[n]]->dc_tbl_no & 1;
	}
	for (int k = 0; k < DCTSIZE2; k++)
		for (int bits = 0; bits < 16; bits++)
			if (bits >> sl_zigzag[k] % 4 & 1)
				s->order[sl_zigzag[k] / 4][bits] |= (uint64_t) 1 << k;
	for (int n = 0; n < sl_two; n++) // sl_symbols_write writes them
		if (info->dc_huff_tbl_ptrs[n] && info->ac_huff_tbl_ptrs[n])
			info->dc_huff_tbl_ptrs[n]->sent_table = info->ac_huff_tbl_ptrs[n]->sent_table = TRUE;
	info->client_data = s;
	((sl_encoder *) info->entropy)->encode_mcu = sl_keep_mcu;
	return s;
}

// sl_write_bytes writes bytes. As libjpeg does, it never leaves the buffer full.
static void sl_write_bytes(j_compress_ptr info, const uint8_t *from, size_t n)
{
	struct jpeg_destination_mgr *d = info->dest;
	while (n > 0) {
		size_t now = n < d->free_in_buffer ? n : d->free_in_buffer;
		memcpy(d->next_output_byte, from, now);
		d->next_output_byte += now;
		d->free_in_buffer -= now;
		from += now;
		n -= now;
		if (d->free_in_buffer == 0)
			(*d->empty_output_buffer)(info);
	}
}

// sl_write_data writes data with a zero after each FF (B.1.1.5).
static void sl_write_data(j_compress_ptr info, const uint8_t *from, const uint8_t *end)
{
	static const uint8_t zero = 0;
	while (from < end) {
		const uint8_t *ff = memchr(from, 0xff, end - from), *to = ff ? ff + 1 : end;
		sl_write_bytes(info, from, to - from);
		if (ff)
			sl_write_bytes(info, &zero, 1);
		from = to;
	}
}

// sl_codes has for each symbol its code, with zeros for the bits of a value after it, and in bits 0 to 4 how many bits both have.
typedef struct {
	uint32_t code[256];
} sl_codes;

// sl_table_write makes and writes a table (B.2.4.2), and its codes (C.2).
static void sl_table_write(j_compress_ptr info, const size_t *counts, int number, sl_codes *codes)
{
	sl_optimal t;
	if (!sl_optimal_init(&t, counts))
		(*info->err->error_exit)((j_common_ptr) info);
	uint8_t segment[5 + 16 + 256] = { 0xff, 0xc4, (2 + 1 + 16 + t.n) >> 8, (2 + 1 + 16 + t.n) & 255, number };
	memcpy(segment + 5, t.lengths + 1, 16);
	memcpy(segment + 5 + 16, t.symbols, t.n);
	sl_write_bytes(info, segment, 5 + 16 + t.n);
	uint32_t code = 0;
	for (int length = 1, at = 0; length <= 16; length++, code <<= 1)
		for (int n = 0; n < t.lengths[length]; n++, at++, code++) {
			int size = t.symbols[at] & 15;
			codes->code[t.symbols[at]] = code << size << 5 | (length + size);
		}
}

// sl_bits are the last bits that were written, as many as count says of the low ones of bits, and where the next byte goes.
typedef struct {
	uint64_t bits;
	int count;
	uint8_t *to;
} sl_bits;

// sl_put writes a code and the value that follows it.
static inline void sl_put(sl_bits *b, uint32_t code, uint32_t value)
{
	int n = code & 31;
	b->bits = b->bits << n | code >> 5 | value;
	b->count += n;
	uint64_t next = b->bits << (64 - b->count);
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
	next = __builtin_bswap64(next);
#endif
	memcpy(b->to, &next, 8);
	b->to += b->count >> 3;
	b->count &= 7;
}

// sl_put_entry writes the value of an entry after the code of its symbol.
static inline void sl_put_entry(sl_bits *b, const sl_codes *codes, unsigned run, int v)
{
	int size = sl_size(v);
	sl_put(b, codes->code[run << 4 | size], (v + (v >> 31)) & ((1 << size) - 1));
}

// sl_entry_value is the value of an entry.
static inline int sl_entry_value(unsigned entry) { return (int16_t) (entry << 4) >> 4; }

static inline const uint16_t *sl_put_block(sl_bits *b, const sl_codes *dc, const sl_codes *ac, const uint16_t *from)
{
	sl_put_entry(b, dc, 0, sl_entry_value(*from++));
	for (unsigned k = 1; k < DCTSIZE2;) {
		unsigned entry = *from++;
		sl_put_entry(b, ac, entry >> 12, sl_entry_value(entry));
		k += entry ? (entry >> 12) + 1 : DCTSIZE2;
	}
	return from;
}

// sl_part_write writes the codes of a part, but for less than a byte.
static void sl_part_write(j_compress_ptr info, const sl_symbols *s, const sl_part *part, const sl_codes *dc, const sl_codes *ac, uint8_t *bytes, sl_bits *rest)
{
	sl_bits b = { rest->bits, rest->count, bytes };
	const uint16_t *from = part->entries, *end = from + part->n;
	while (from < end)
		for (int n = 0; n < info->blocks_in_MCU; n++)
			from = sl_put_block(&b, &dc[s->table[n]], &ac[s->table[n]], from);
	sl_write_data(info, bytes, b.to);
	*rest = b;
}

void sl_symbols_write(j_compress_ptr info, sl_symbols *s)
{
	sl_codes dc[sl_two] = { 0 }, ac[sl_two] = { 0 };
	uint8_t sos[sl_sos_most];
	size_t sos_size = 2 + 6 + 2 * info->comps_in_scan; // the last that libjpeg has written; the tables are before it
	info->dest->next_output_byte -= sos_size;
	info->dest->free_in_buffer += sos_size;
	memcpy(sos, info->dest->next_output_byte, sos_size);
	for (int n = 0; n < (info->comps_in_scan > 1 ? sl_two : 1); n++) {
		sl_table_write(info, s->dc[n], n, &dc[n]);
		sl_table_write(info, s->ac[n], 0x10 | n, &ac[n]);
	}
	sl_write_bytes(info, sos, sos_size);
	uint8_t *bytes = (*info->mem->alloc_large)((j_common_ptr) info, JPOOL_IMAGE, sl_part_bytes);
	sl_bits rest = { 0, 0, bytes };
	for (const sl_part *part = s->first; part; part = part->next)
		sl_part_write(info, s, part, dc, ac, bytes, &rest);
	if (rest.count > 0) { // padded with ones (F.1.2.3)
		*bytes = rest.bits << (8 - rest.count) | 0xff >> rest.count;
		sl_write_data(info, bytes, bytes + 1);
	}
}
