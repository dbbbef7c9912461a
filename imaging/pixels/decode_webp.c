#include <stdlib.h>
#include <webp/decode.h>

#include "reduce.h"
#include "decode_webp.h"

enum {
	sl_webp_piece = 1 << 17, // bytes that are decoded, in some ten milliseconds, before *stop is read again
	sl_webp_lossy = 1,		 // WebPBitstreamFeatures.format
};

static int sl_webp_decode(WebPDecoderConfig *config, const uint8_t *file, size_t size, const int32_t *stop)
{
	WebPIDecoder *decoder = WebPIDecode(NULL, 0, config);
	if (!decoder)
		return -1;
	VP8StatusCode status = VP8_STATUS_SUSPENDED;
	size_t known = 0;
	while (status == VP8_STATUS_SUSPENDED && known < size && !__atomic_load_n(stop, __ATOMIC_RELAXED)) {
		known += size - known < sl_webp_piece ? size - known : sl_webp_piece;
		status = WebPIUpdate(decoder, file, known);
	}
	WebPIDelete(decoder);
	return status == VP8_STATUS_OK ? 0 : -1;
}

int sl_webp_reduce(
	const uint8_t *file, size_t size, int width, int height, uint8_t *rgb, int to_width, int to_height,
	const int32_t *stop, int instructions)
{
	WebPDecoderConfig config;
	const WebPBitstreamFeatures *header = &config.input;
	if (!WebPInitDecoderConfig(&config) || WebPGetFeatures(file, size, &config.input) != VP8_STATUS_OK)
		return -1;
	if (header->has_animation || header->has_alpha || header->format != sl_webp_lossy || header->width != width ||
		header->height != height)
		return -1;
	size_t luma = (size_t) width * height, chroma = (size_t) ((width + 1) / 2) * ((height + 1) / 2);
	uint8_t *planes = malloc(luma + 2 * chroma);
	if (!planes)
		return -1;
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
	int err = sl_webp_decode(&config, file, size, stop) ||
		sl_reduce_yuv(all, width, height, rgb, to_width, to_height, stop, instructions);
	free(planes);
	return err ? -1 : 0;
}
