#include <stdlib.h>

#include "encode_jpeg.h"
#include "encode_jpeg_counts.h"
#include "jpeg_managers.h"

// sl_444_quality is the lowest quality at which libvips keeps chroma at full resolution.
enum { sl_444_quality = 90 };

// sl_jpeg_destination_mgr writes to a block whose size is doubled when it is full. file[0..room) is allocated, and
// everything before pub.next_output_byte has been written.
typedef struct {
	struct jpeg_destination_mgr pub;
	uint8_t *file;
	size_t room;
} sl_jpeg_destination_mgr;

static void sl_grow_buffer(j_compress_ptr cinfo, size_t room)
{
	sl_jpeg_destination_mgr *dest = (sl_jpeg_destination_mgr *) cinfo->dest;
	uint8_t *file = realloc(dest->file, room);
	if (!file)
		sl_jpeg_error_exit((j_common_ptr) cinfo);
	dest->file = file;
	dest->pub.next_output_byte = file + dest->room;
	dest->pub.free_in_buffer = room - dest->room;
	dest->room = room;
}

static void sl_init_destination(j_compress_ptr cinfo) { sl_grow_buffer(cinfo, 1 << 15); }

static boolean sl_empty_output_buffer(j_compress_ptr cinfo)
{
	sl_grow_buffer(cinfo, ((sl_jpeg_destination_mgr *) cinfo->dest)->room * 2);
	return TRUE;
}

static void sl_term_destination(j_compress_ptr cinfo) {}

static void sl_compress(j_compress_ptr cinfo, const uint8_t *pixels, int bands, int quality)
{
	cinfo->input_components = bands;
	cinfo->in_color_space = bands == 3 ? JCS_RGB : JCS_GRAYSCALE;
	jpeg_set_defaults(cinfo);
	jpeg_set_quality(cinfo, quality, TRUE);
	cinfo->write_JFIF_header = FALSE;
	cinfo->optimize_coding = TRUE;
	if (quality >= sl_444_quality)
		for (int n = 0; n < cinfo->num_components; n++)
			cinfo->comp_info[n].h_samp_factor = cinfo->comp_info[n].v_samp_factor = 1;
	jpeg_start_compress(cinfo, TRUE);
	sl_huff_counts_install(cinfo);
	while (cinfo->next_scanline < cinfo->image_height) {
		JSAMPLE *row = (JSAMPLE *) pixels + (size_t) cinfo->next_scanline * cinfo->image_width * bands;
		jpeg_write_scanlines(cinfo, &row, 1);
	}
	jpeg_finish_compress(cinfo);
}

uint8_t *sl_jpeg_encode(
	const uint8_t *pixels, int width, int height, int bands, int quality, size_t *size, const int32_t *stop)
{
	struct jpeg_compress_struct cinfo;
	sl_jpeg_error_mgr jerr;
	sl_jpeg_destination_mgr dest = {
		{ NULL, 0, sl_init_destination, sl_empty_output_buffer, sl_term_destination }, NULL, 0
	};
	sl_jpeg_progress_mgr progress;
	sl_jpeg_progress_init(&progress, stop);
	sl_jpeg_error_init(&jerr);
	cinfo.err = &jerr.pub;
	if (setjmp(jerr.setjmp_buffer)) {
		jpeg_destroy_compress(&cinfo);
		free(dest.file);
		return NULL;
	}
	jpeg_create_compress(&cinfo);
	cinfo.dest = &dest.pub;
	cinfo.progress = &progress.pub;
	cinfo.image_width = width;
	cinfo.image_height = height;
	sl_compress(&cinfo, pixels, bands, quality);
	jpeg_destroy_compress(&cinfo);
	*size = dest.room - dest.pub.free_in_buffer;
	return dest.file;
}
