#include "decode_jpeg_bits.h"

void sl_entropy_data_init(sl_entropy_data *d, sl_bit_reader *b, const uint8_t *file, const uint8_t *file_end)
{
	d->file = file;
	d->file_end = file_end;
	d->end = d->bytes;
	d->ended = d->cut = 0;
	*b = (sl_bit_reader){ .at = d->bytes };
}

void sl_entropy_data_refill(sl_entropy_data *d, sl_bit_reader *b)
{
	uint8_t *to = d->bytes, *full = d->bytes + sl_entropy_buffer;
	size_t left = d->end - b->at;
	memmove(to, b->at, left);
	b->at = to;
	to += left;
	while (to < full && !d->ended) {
		size_t n = d->file_end - d->file < full - to ? d->file_end - d->file : full - to;
		const uint8_t *ff = memchr(d->file, 0xff, n);
		if (ff)
			n = ff - d->file;
		memcpy(to, d->file, n);
		to += n;
		d->file += n;
		if (ff && d->file_end - ff >= 2 && ff[1] == 0) {
			*to++ = 0xff;
			d->file += 2;
		} else if (ff || d->file == d->file_end) {
			d->ended = 1;
			d->cut = d->file_end - d->file < 2;
		}
	}
	d->end = to;
	if (d->ended)
		memset(to, 0, sl_max_mcu_bytes);
}
