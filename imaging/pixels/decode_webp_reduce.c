#include <stdlib.h>

#include "decode_webp.h"
#include "decode_webp_reduce.h"
#include "reduce.h"

enum { sl_webp_lossy = 1 }; // WebPBitstreamFeatures.format

int sl_webp_reduce(
	const uint8_t *file, size_t size, int width, int height, uint8_t *rgb, int to_width, int to_height,
	const int32_t *stop, int instructions)
{
	WebPDecoderConfig config;
	if (sl_webp_open(&config, file, size, width, height, 3) || config.input.format != sl_webp_lossy)
		return -1;
	size_t luma = (size_t) width * height, chroma = (size_t) ((width + 1) / 2) * ((height + 1) / 2);
	uint8_t *planes = malloc(luma + 2 * chroma);
	if (!planes)
		return sl_no_memory;
	WebPYUVABuffer *to = &config.output.u.YUVA;
	config.options.bypass_filtering = 1;
	config.output.colorspace = MODE_YUV;
	config.output.is_external_memory = 1;
	to->y = planes;
	to->u = planes + luma;
	to->v = planes + luma + chroma;
	to->y_stride = width;
	to->u_stride = to->v_stride = (width + 1) / 2;
	to->y_size = luma;
	to->u_size = to->v_size = chroma;
	const uint8_t *const all[3] = { to->y, to->u, to->v };
	int result = sl_webp_run(&config, file, size, stop);
	if (!result && sl_reduce_yuv(all, width, height, rgb, to_width, to_height, stop, instructions))
		result = sl_no_memory;
	free(planes);
	return result;
}
