#include "decode_jpeg_reduce.h"
#include "decode_jpeg_scanlines.h"
#include "reduce.h"

// sl_scanline_source decodes the rows that sl_reduce_source asks for. Invariant: decoded is the number of the next row.
typedef struct {
	sl_row_source source; // first: decode_until casts the pointer to it
	const sl_jpeg_reduction *as;
	const int32_t *stop;
	sl_jpeg_decoder rows;
	int decoded;
} sl_scanline_source;

// sl_decode_scanlines is decode_until: it decodes up to the row end, which is not included, into the ring.
static int sl_decode_scanlines(sl_row_source *s, int end)
{
	sl_scanline_source *d = (sl_scanline_source *) s;
	for (; d->decoded < end; d->decoded++)
		if (__atomic_load_n(d->stop, __ATOMIC_RELAXED) ||
			sl_jpeg_decoder_read(&d->rows, s->rows + (size_t) (d->decoded % s->held) * d->as->width * 3))
			return -1;
	return 0;
}

static int sl_reduce_once(
	const uint8_t *file, size_t size, const sl_jpeg_reduction *as, uint8_t *out, int *libjpeg, const int32_t *stop)
{
	sl_scanline_source d = { .source = { .decode_until = sl_decode_scanlines }, .as = as, .stop = stop };
	int result = sl_ok;
	if (sl_jpeg_decoder_start(&d.rows, file, size, 3, as->shrink, as->width, as->height, libjpeg))
		result = sl_jpeg_result(&d.rows.jerr);
	else if (sl_reduce_source(&d.source, as->width, as->height, out, as->region, as->to_width, as->to_height, stop,
				 as->instructions)) // without an error of libjpeg, scaling lacks memory
		result = d.rows.jerr.pub.msg_code ? sl_jpeg_result(&d.rows.jerr) : sl_no_memory;
	if (!result) {
		sl_jpeg_decoder_finish(&d.rows);
		result = sl_jpeg_decoder_warned(&d.rows) ? sl_damaged : sl_ok;
	}
	sl_jpeg_decoder_destroy(&d.rows);
	return result;
}

int sl_jpeg_reduce(
	const uint8_t *file, size_t size, const sl_jpeg_reduction *as, uint8_t *out, int *libjpeg, const int32_t *stop)
{
	int before = *libjpeg, err = sl_reduce_once(file, size, as, out, libjpeg, stop);
	return *libjpeg == before ? err : sl_reduce_once(file, size, as, out, libjpeg, stop);
}
