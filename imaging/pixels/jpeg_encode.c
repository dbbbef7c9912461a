#include <stdlib.h>

#include "jpeg.h"
#include "jpeg_source.h"
#include "jpeg_symbols.h"

// sl_all_color is from which quality on libvips halves no color.
enum { sl_all_color = 90 };

// sl_growing is a file in memory while it is written.
typedef struct {
	struct jpeg_destination_mgr public;
	uint8_t *file;
	size_t room;
} sl_growing;

static void sl_grow(j_compress_ptr info, size_t room)
{
	sl_growing *d = (sl_growing *) info->dest;
	uint8_t *file = realloc(d->file, room);
	if (!file)
		sl_on_error((j_common_ptr) info);
	d->file = file;
	d->public.next_output_byte = file + d->room;
	d->public.free_in_buffer = room - d->room;
	d->room = room;
}

static void sl_start_file(j_compress_ptr info) { sl_grow(info, 1 << 15); }

static boolean sl_file_is_full(j_compress_ptr info)
{
	sl_grow(info, ((sl_growing *) info->dest)->room * 2);
	return TRUE;
}

static void sl_end_file(j_compress_ptr info) {}

static void sl_encode(j_compress_ptr info, const uint8_t *in, int bands, int quality, int libjpeg, const int32_t *stop)
{
	info->input_components = bands;
	info->in_color_space = bands == 3 ? JCS_RGB : JCS_GRAYSCALE;
	jpeg_set_defaults(info);
	jpeg_set_quality(info, quality, TRUE);
	info->write_JFIF_header = FALSE;
	info->optimize_coding = libjpeg != 0;
	if (quality >= sl_all_color)
		for (int n = 0; n < info->num_components; n++)
			info->comp_info[n].h_samp_factor = info->comp_info[n].v_samp_factor = 1;
	jpeg_start_compress(info, TRUE);
	sl_symbols *symbols = libjpeg ? NULL : sl_symbols_install(info);
	while (info->next_scanline < info->image_height) {
		JSAMPLE *row = (JSAMPLE *) in + (size_t) info->next_scanline * info->image_width * bands;
		if (__atomic_load_n(stop, __ATOMIC_RELAXED))
			sl_on_error((j_common_ptr) info);
		jpeg_write_scanlines(info, &row, 1);
	}
	if (symbols)
		sl_symbols_write(info, symbols);
	jpeg_finish_compress(info);
}

uint8_t *sl_jpeg_encode(const uint8_t *in, int width, int height, int bands, int quality, int libjpeg, size_t *size, const int32_t *stop)
{
	struct jpeg_compress_struct info;
	sl_errors errors;
	sl_growing growing = { { NULL, 0, sl_start_file, sl_file_is_full, sl_end_file }, NULL, 0 };
	sl_errors_init(&errors);
	info.err = &errors.public;
	if (setjmp(errors.failed)) {
		jpeg_destroy_compress(&info);
		free(growing.file);
		return NULL;
	}
	jpeg_create_compress(&info);
	info.dest = &growing.public;
	info.image_width = width;
	info.image_height = height;
	sl_encode(&info, in, bands, quality, libjpeg, stop);
	jpeg_destroy_compress(&info);
	*size = growing.room - growing.public.free_in_buffer;
	return growing.file;
}
