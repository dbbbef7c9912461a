#include <stdlib.h>

#include "decode_jpeg.h"
#include "decode_jpeg_scanlines.h"

static int sl_read_all(sl_jpeg_decoder *r, uint8_t *out, int width, int height, const int32_t *stop)
{
	for (int y = 0; y < height; y++, out += (size_t) width * 3)
		if (__atomic_load_n(stop, __ATOMIC_RELAXED) || sl_jpeg_decoder_read(r, out))
			return -1;
	sl_jpeg_decoder_finish(r);
	return 0;
}

static int sl_decode_once(
	const uint8_t *file, size_t size, int shrink, uint8_t *out, int width, int height, int *libjpeg,
	const int32_t *stop)
{
	sl_jpeg_decoder r;
	int err = sl_jpeg_decoder_start(&r, file, size, 3, shrink, width, height, libjpeg) ||
		sl_read_all(&r, out, width, height, stop);
	int result = err ? sl_jpeg_result(&r.jerr) : sl_jpeg_decoder_warned(&r) ? sl_damaged : sl_ok;
	sl_jpeg_decoder_destroy(&r);
	return result;
}

int sl_jpeg_decode(
	const uint8_t *file, size_t size, int shrink, uint8_t *out, int width, int height, int *libjpeg,
	const int32_t *stop)
{
	int before = *libjpeg, err = sl_decode_once(file, size, shrink, out, width, height, libjpeg, stop);
	return *libjpeg == before ? err : sl_decode_once(file, size, shrink, out, width, height, libjpeg, stop);
}
