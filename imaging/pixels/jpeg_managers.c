#include <jerror.h>

#include "jpeg_managers.h"

void sl_jpeg_error_exit(j_common_ptr cinfo) { longjmp(((sl_jpeg_error_mgr *) cinfo->err)->setjmp_buffer, 1); }

static void sl_emit_message(j_common_ptr cinfo, int level)
{
	if (level < 0)
		cinfo->err->num_warnings++;
}

void sl_jpeg_error_init(sl_jpeg_error_mgr *e)
{
	jpeg_std_error(&e->pub);
	e->pub.error_exit = sl_jpeg_error_exit;
	e->pub.emit_message = sl_emit_message;
}

int sl_jpeg_result(const sl_jpeg_error_mgr *jerr)
{
	return jerr->pub.msg_code == JERR_OUT_OF_MEMORY ? sl_no_memory : sl_unsupported;
}

enum { sl_input_buffer = 4096 };

static void sl_init_source(j_decompress_ptr cinfo) {}

static boolean sl_fill_input_buffer(j_decompress_ptr cinfo)
{
	static const JOCTET end[2] = { 0xFF, JPEG_EOI };
	sl_jpeg_source_mgr *s = (sl_jpeg_source_mgr *) cinfo->src;
	if (s->next == s->end) {
		WARNMS(cinfo, JWRN_JPEG_EOF);
		s->pub.next_input_byte = end;
		s->pub.bytes_in_buffer = sizeof end;
		return TRUE;
	}
	size_t n = s->end - s->next < sl_input_buffer ? s->end - s->next : sl_input_buffer;
	s->pub.next_input_byte = s->next;
	s->pub.bytes_in_buffer = n;
	s->next += n;
	return TRUE;
}

static void sl_skip_input_data(j_decompress_ptr cinfo, long n)
{
	struct jpeg_source_mgr *s = cinfo->src;
	for (; n > 0 && (size_t) n > s->bytes_in_buffer; sl_fill_input_buffer(cinfo))
		n -= s->bytes_in_buffer;
	if (n > 0) {
		s->next_input_byte += n;
		s->bytes_in_buffer -= n;
	}
}

void sl_jpeg_source_init(sl_jpeg_source_mgr *s, const uint8_t *file, size_t size)
{
	struct jpeg_source_mgr pub = {
		NULL, 0, sl_init_source, sl_fill_input_buffer, sl_skip_input_data, jpeg_resync_to_restart, sl_init_source
	};
	*s = (sl_jpeg_source_mgr){ pub, file, file + size };
}

static void sl_monitor_progress(j_common_ptr cinfo)
{
	if (__atomic_load_n(((sl_jpeg_progress_mgr *) cinfo->progress)->stop, __ATOMIC_RELAXED))
		sl_jpeg_error_exit(cinfo);
}

void sl_jpeg_progress_init(sl_jpeg_progress_mgr *progress, const int32_t *stop)
{
	*progress = (sl_jpeg_progress_mgr){ { sl_monitor_progress, 0, 0, 0, 0 }, stop };
}
