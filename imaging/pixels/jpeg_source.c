#include <jerror.h>

#include "jpeg_source.h"

void sl_on_error(j_common_ptr info) { longjmp(((sl_errors *) info->err)->failed, 1); }

static void sl_on_message(j_common_ptr info, int level)
{
	if (level < 0)
		info->err->num_warnings++;
}

void sl_errors_init(sl_errors *e)
{
	jpeg_std_error(&e->public);
	e->public.error_exit = sl_on_error;
	e->public.emit_message = sl_on_message;
}

enum { sl_piece = 4096 };

static void sl_start_pieces(j_decompress_ptr info) {}

static boolean sl_next_piece(j_decompress_ptr info)
{
	static const JOCTET end[2] = { 0xFF, JPEG_EOI };
	sl_pieces *s = (sl_pieces *) info->src;
	if (s->next == s->end) {
		WARNMS(info, JWRN_JPEG_EOF);
		s->public.next_input_byte = end;
		s->public.bytes_in_buffer = sizeof end;
		return TRUE;
	}
	size_t n = s->end - s->next < sl_piece ? s->end - s->next : sl_piece;
	s->public.next_input_byte = s->next;
	s->public.bytes_in_buffer = n;
	s->next += n;
	return TRUE;
}

static void sl_skip_bytes(j_decompress_ptr info, long n)
{
	struct jpeg_source_mgr *s = info->src;
	for (; n > 0 && (size_t) n > s->bytes_in_buffer; sl_next_piece(info))
		n -= s->bytes_in_buffer;
	if (n > 0) {
		s->next_input_byte += n;
		s->bytes_in_buffer -= n;
	}
}

void sl_pieces_init(sl_pieces *s, const uint8_t *file, size_t size)
{
	struct jpeg_source_mgr public = { NULL, 0, sl_start_pieces, sl_next_piece, sl_skip_bytes, jpeg_resync_to_restart, sl_start_pieces };
	*s = (sl_pieces){ public, file, file + size };
}
