#include <webp/encode.h>

#include "encode_webp.h"

static int sl_progress_hook(int percent, const WebPPicture *picture)
{
	return !__atomic_load_n((const int32_t *) picture->user_data, __ATOMIC_RELAXED);
}

static int sl_import(WebPPicture *picture, const uint8_t *in, int bands)
{
	if (bands == 4)
		return WebPPictureImportRGBA(picture, in, picture->width * 4);
	return WebPPictureImportRGB(picture, in, picture->width * 3);
}

uint8_t *sl_webp_encode(
	const uint8_t *in, int width, int height, int bands, const sl_webp_encoder *as, size_t *size, const int32_t *stop)
{
	WebPConfig config;
	WebPPicture picture;
	if (!WebPConfigPreset(&config, WEBP_PRESET_DEFAULT, as->quality) || !WebPPictureInit(&picture))
		return NULL;
	config.method = as->effort;
	config.lossless = as->lossless;
	config.thread_level = as->threads;
	WebPMemoryWriter file;
	WebPMemoryWriterInit(&file);
	picture.width = width;
	picture.height = height;
	picture.use_argb = as->lossless;
	picture.writer = WebPMemoryWrite;
	picture.custom_ptr = &file;
	picture.progress_hook = sl_progress_hook;
	picture.user_data = (void *) stop;
	int ok = sl_import(&picture, in, bands) && WebPEncode(&config, &picture);
	WebPPictureFree(&picture);
	if (!ok) {
		WebPMemoryWriterClear(&file);
		return NULL;
	}
	*size = file.size;
	return file.mem;
}
