#include <vips/vips.h>
#include <webp/decode.h>

#include "load_webp.h"

// sl_webp_step is how many bytes are decoded before the next look at stop: some ten milliseconds.
enum { sl_webp_step = 1 << 17 };

static int sl_webp_decode(WebPDecoderConfig *config, const uint8_t *data, size_t size, int *stop)
{
	WebPIDecoder *decoder = WebPIDecode(NULL, 0, config);
	if (!decoder)
		return -1;
	VP8StatusCode status = VP8_STATUS_SUSPENDED;
	for (size_t known = 0; status == VP8_STATUS_SUSPENDED && known < size && !__atomic_load_n(stop, __ATOMIC_RELAXED);) {
		known += VIPS_MIN(size - known, sl_webp_step);
		status = WebPIUpdate(decoder, data, known);
	}
	WebPIDelete(decoder);
	return status == VP8_STATUS_OK ? 0 : -1;
}

// sl_webp_image returns an image in memory with the fields of header, whose reference it takes: the canvas of the file's size that libvips
// keeps with it must not wait for the pixels. NULL when there is not enough memory.
static VipsImage *sl_webp_image(VipsImage *header, int width, int height)
{
	VipsImage *t = vips_image_new_memory();
	int err = vips_image_pipelinev(t, VIPS_DEMAND_STYLE_THINSTRIP, header, NULL);
	g_object_unref(header);
	t->Xsize = width;
	t->Ysize = height;
	if (err || vips_image_write_prepare(t)) {
		g_object_unref(t);
		return NULL;
	}
	return t;
}

int sl_load_webp(VipsImage *header, const void *data, size_t size, int width, int height, int *stop, VipsImage **out)
{
	WebPDecoderConfig config;
	if (!WebPInitDecoderConfig(&config) || WebPGetFeatures(data, size, &config.input) != VP8_STATUS_OK ||
		config.input.has_animation || config.input.width != header->Xsize || config.input.height != header->Ysize ||
		header->BandFmt != VIPS_FORMAT_UCHAR || header->Bands != (config.input.has_alpha ? 4 : 3)) {
		g_object_unref(header);
		return -1;
	}
	VipsImage *t = sl_webp_image(header, width, height);
	if (!t)
		return -1;
	config.options.use_scaling = width != config.input.width || height != config.input.height;
	config.options.scaled_width = width;
	config.options.scaled_height = height;
	config.output.colorspace = t->Bands == 4 ? MODE_RGBA : MODE_RGB;
	config.output.is_external_memory = 1;
	config.output.u.RGBA.rgba = VIPS_IMAGE_ADDR(t, 0, 0);
	config.output.u.RGBA.stride = (int) VIPS_IMAGE_SIZEOF_LINE(t);
	config.output.u.RGBA.size = VIPS_IMAGE_SIZEOF_IMAGE(t);
	if (sl_webp_decode(&config, data, size, stop)) {
		g_object_unref(t);
		return -1;
	}
	*out = t;
	return 0;
}
