#include <stdlib.h>
#include <string.h>

#include "jpeg.h"
#include "jpeg_huffman.h"
#include "jpeg_source.h"

// sl_memory is a file, and whether libjpeg decodes its Huffman codes.
typedef struct {
	const uint8_t *at, *end;
	int *libjpeg;
} sl_memory;

static int sl_decode(j_decompress_ptr info, sl_memory *file, int shrink, uint8_t *out, int width, int height, const int32_t *stop)
{
	if (jpeg_read_header(info, TRUE) != JPEG_HEADER_OK || jpeg_has_multiple_scans(info) || info->num_components != 3 ||
		(info->jpeg_color_space != JCS_YCbCr && info->jpeg_color_space != JCS_RGB))
		return -1;
	info->out_color_space = JCS_RGB;
	info->scale_num = 1;
	info->scale_denom = shrink;
	jpeg_calc_output_dimensions(info);
	// libvips rounds down where libjpeg rounds up
	if (info->output_components != 3 || info->image_width / shrink != width || info->image_height / shrink != height)
		return -1;
	if (!jpeg_start_decompress(info))
		return -1;
	if (!*file->libjpeg)
		sl_huffman_install(info, file->end, file->libjpeg);
	int wide = (int) info->output_width > width;
	JSAMPLE *row = (*info->mem->alloc_small)((j_common_ptr) info, JPOOL_IMAGE, (size_t) info->output_width * 3);
	for (int y = 0; y < height; y++, out += (size_t) width * 3) {
		JSAMPLE *to = wide ? row : out;
		if (__atomic_load_n(stop, __ATOMIC_RELAXED) || jpeg_read_scanlines(info, &to, 1) != 1)
			return -1;
		if (wide)
			memcpy(out, row, (size_t) width * 3);
	}
	if (info->output_scanline == info->output_height)
		jpeg_finish_decompress(info); // it may warn, too
	return 0;
}

static int sl_decode_once(sl_memory *file, int shrink, uint8_t *out, int width, int height, const int32_t *stop)
{
	struct jpeg_decompress_struct info;
	sl_errors errors;
	sl_pieces pieces;
	sl_pieces_init(&pieces, file->at, file->end - file->at);
	sl_errors_init(&errors);
	info.err = &errors.public;
	if (setjmp(errors.failed)) {
		jpeg_destroy_decompress(&info);
		return -1;
	}
	jpeg_create_decompress(&info);
	info.src = &pieces.public;
	int err = sl_decode(&info, file, shrink, out, width, height, stop);
	jpeg_destroy_decompress(&info);
	return err;
}

int sl_jpeg_decode(const uint8_t *file, size_t size, int shrink, uint8_t *out, int width, int height, int *libjpeg, const int32_t *stop)
{
	sl_memory memory = { file, file + size, libjpeg };
	int before = *libjpeg, err = sl_decode_once(&memory, shrink, out, width, height, stop);
	return *libjpeg == before ? err : sl_decode_once(&memory, shrink, out, width, height, stop);
}

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

static void sl_encode(j_compress_ptr info, const uint8_t *in, int bands, int quality, const int32_t *stop)
{
	info->input_components = bands;
	info->in_color_space = bands == 3 ? JCS_RGB : JCS_GRAYSCALE;
	jpeg_set_defaults(info);
	jpeg_set_quality(info, quality, TRUE);
	info->optimize_coding = TRUE;
	info->write_JFIF_header = FALSE;
	if (quality >= sl_all_color)
		for (int n = 0; n < info->num_components; n++)
			info->comp_info[n].h_samp_factor = info->comp_info[n].v_samp_factor = 1;
	jpeg_start_compress(info, TRUE);
	while (info->next_scanline < info->image_height) {
		JSAMPLE *row = (JSAMPLE *) in + (size_t) info->next_scanline * info->image_width * bands;
		if (__atomic_load_n(stop, __ATOMIC_RELAXED))
			sl_on_error((j_common_ptr) info);
		jpeg_write_scanlines(info, &row, 1);
	}
	jpeg_finish_compress(info);
}

uint8_t *sl_jpeg_encode(const uint8_t *in, int width, int height, int bands, int quality, size_t *size, const int32_t *stop)
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
	sl_encode(&info, in, bands, quality, stop);
	jpeg_destroy_compress(&info);
	*size = growing.room - growing.public.free_in_buffer;
	return growing.file;
}
