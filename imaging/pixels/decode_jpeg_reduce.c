#include "decode_jpeg_reduce.h"

// sl_scanline_source decodes the rows that sl_reduce_source requests. Invariant: decoded is the number of the next
// row.
typedef struct {
	sl_row_source source; // must be first: decode_until casts the pointer to it
	sl_jpeg_decoder rows;
	int failed; // decoding failed; otherwise scaling ran out of memory or was stopped
} sl_scanline_source;

// sl_decode_scanlines implements decode_until: it decodes rows up to, but not including, end into the ring.
static int sl_decode_scanlines(sl_row_source *s, int end)
{
	sl_scanline_source *d = (sl_scanline_source *) s;
	while (!d->failed && d->rows.decoded < end)
		d->failed = sl_jpeg_decoder_read(&d->rows, s->rows + (size_t) (d->rows.decoded % s->held) * d->rows.stride);
	return d->failed ? -1 : 0;
}

int sl_jpeg_reduce(const sl_jpeg_reduction *as, uint8_t *out, int *by_libjpeg)
{
	sl_scanline_source d = { .source = { .decode_until = sl_decode_scanlines } };
	d.rows.by_libjpeg = *by_libjpeg;
	int result = sl_ok;
	if (sl_jpeg_decoder_start(&d.rows, &as->rows))
		result = sl_jpeg_result(&d.rows.jerr);
	else if (sl_reduce_source(&d.source, as->rows.width, as->rows.height, out, as->region, as->to_width, as->to_height,
				 as->rows.stop, as->instructions))
		result = d.failed ? sl_jpeg_result(&d.rows.jerr) : sl_no_memory;
	if (!result) {
		sl_jpeg_decoder_finish(&d.rows);
		result = sl_jpeg_decoder_warned(&d.rows) ? sl_damaged : sl_ok;
	}
	*by_libjpeg = d.rows.by_libjpeg;
	sl_jpeg_decoder_destroy(&d.rows);
	return result;
}
