#include "jpeg_reduce.h"
#include "jpeg_rows.h"
#include "reduce.h"

// sl_decoding is a JPEG whose rows are scaled as they are decoded.
typedef struct {
	sl_stream stream; // first: the stream that reach gets is this struct
	const sl_jpeg_scaling *as;
	const int32_t *stop;
	sl_jpeg_rows rows;
	int decoded; // rows
} sl_decoding;

// sl_reach decodes rows up to end.
static int sl_reach(sl_stream *s, int end)
{
	sl_decoding *d = (sl_decoding *) s;
	for (; d->decoded < end; d->decoded++)
		if (__atomic_load_n(d->stop, __ATOMIC_RELAXED) || sl_jpeg_rows_next(&d->rows, s->rows + (size_t) (d->decoded % s->held) * d->as->width * 3))
			return -1;
	return 0;
}

static int sl_reduce_once(const uint8_t *file, size_t size, const sl_jpeg_scaling *as, uint8_t *out, int *libjpeg, const int32_t *stop)
{
	sl_decoding d = { .stream = { .reach = sl_reach }, .as = as, .stop = stop };
	int err = sl_jpeg_rows_open(&d.rows, file, size, 3, as->shrink, as->width, as->height, libjpeg) ||
		sl_reduce_stream(&d.stream, as->width, as->height, out, as->part, as->to_width, as->to_height, stop, as->instructions);
	if (!err)
		sl_jpeg_rows_finish(&d.rows);
	int damaged = sl_jpeg_rows_damaged(&d.rows);
	sl_jpeg_rows_close(&d.rows);
	return err ? -1 : damaged;
}

int sl_jpeg_reduce(const uint8_t *file, size_t size, const sl_jpeg_scaling *as, uint8_t *out, int *libjpeg, const int32_t *stop)
{
	int before = *libjpeg, err = sl_reduce_once(file, size, as, out, libjpeg, stop);
	return *libjpeg == before ? err : sl_reduce_once(file, size, as, out, libjpeg, stop);
}
