// Files in memory, as libjpeg reads them here.
#ifndef SL_JPEG_SOURCE_H
#define SL_JPEG_SOURCE_H

#include <setjmp.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <jpeglib.h>

// sl_errors has libjpeg return to failed with an error, and count its warnings in public.num_warnings: damage.
typedef struct {
	struct jpeg_error_mgr public;
	jmp_buf failed;
} sl_errors;

void sl_errors_init(sl_errors *e);
void sl_on_error(j_common_ptr info);

// sl_pieces is a file that libjpeg gets in pieces of 4 KB, as from libvips: it overlooks some damage in larger ones.
// Of a file that is cut off, the end is made up, with a warning.
typedef struct {
	struct jpeg_source_mgr public;
	const uint8_t *next, *end;
} sl_pieces;

void sl_pieces_init(sl_pieces *s, const uint8_t *file, size_t size);

#endif
