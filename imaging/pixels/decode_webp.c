#include "decode_webp.h"

// sl_webp_step is how many bytes are decoded between two checks of stop, which takes about ten milliseconds.
enum { sl_webp_step = 1 << 17 };

int sl_webp_open(WebPDecoderConfig *config, const uint8_t *file, size_t size, int width, int height, int bands)
{
	if (!WebPInitDecoderConfig(config) || WebPGetFeatures(file, size, &config->input) != VP8_STATUS_OK)
		return sl_unsupported;
	const WebPBitstreamFeatures *f = &config->input;
	if (f->has_animation || f->width != width || f->height != height || bands != (f->has_alpha ? 4 : 3))
		return sl_unsupported;
	return sl_ok;
}

int sl_webp_run(WebPDecoderConfig *config, const uint8_t *file, size_t size, const int32_t *stop)
{
	WebPIDecoder *decoder = WebPIDecode(NULL, 0, config);
	if (!decoder)
		return sl_no_memory;
	VP8StatusCode status = VP8_STATUS_SUSPENDED;
	for (size_t known = 0; status == VP8_STATUS_SUSPENDED && known < size && !__atomic_load_n(stop, __ATOMIC_RELAXED);) {
		known += size - known < sl_webp_step ? size - known : sl_webp_step;
		status = WebPIUpdate(decoder, file, known);
	}
	WebPIDelete(decoder);
	switch (status) {
	case VP8_STATUS_OK:
		return sl_ok;
	case VP8_STATUS_OUT_OF_MEMORY:
		return sl_no_memory;
	case VP8_STATUS_SUSPENDED: // stopped or truncated
		return __atomic_load_n(stop, __ATOMIC_RELAXED) ? sl_unsupported : sl_damaged;
	default:
		return sl_damaged;
	}
}

int sl_webp_decode(
	const uint8_t *file, size_t size, int width, int height, int bands, uint8_t *out, int to_width, int to_height,
	const int32_t *stop)
{
	WebPDecoderConfig config;
	if (sl_webp_open(&config, file, size, width, height, bands))
		return sl_unsupported;
	config.options.use_scaling = to_width != width || to_height != height;
	config.options.scaled_width = to_width;
	config.options.scaled_height = to_height;
	config.output.colorspace = bands == 4 ? MODE_RGBA : MODE_RGB;
	config.output.is_external_memory = 1;
	config.output.u.RGBA.rgba = out;
	config.output.u.RGBA.stride = to_width * bands;
	config.output.u.RGBA.size = (size_t) to_width * to_height * bands;
	return sl_webp_run(&config, file, size, stop);
}
