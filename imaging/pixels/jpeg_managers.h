// libjpeg's error manager and source manager, as the decoder and the encoder use them.
#ifndef SL_JPEG_MANAGERS_H
#define SL_JPEG_MANAGERS_H

#include <setjmp.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <jpeglib.h>

#include "result.h"

// sl_jpeg_error_mgr jumps to setjmp_buffer on an error, and counts warnings in pub.num_warnings without printing them.
// A warning means corrupt data. Every function that calls libjpeg must set setjmp_buffer first, because the jump must
// not go to a frame that has returned.
typedef struct {
	struct jpeg_error_mgr pub;
	jmp_buf setjmp_buffer;
} sl_jpeg_error_mgr;

void sl_jpeg_error_init(sl_jpeg_error_mgr *jerr);

// sl_jpeg_error_exit is its error_exit. Our own callbacks call it, too. It does not return.
void sl_jpeg_error_exit(j_common_ptr cinfo);

// sl_jpeg_result returns why a function that calls libjpeg failed: sl_no_memory or sl_unsupported.
int sl_jpeg_result(const sl_jpeg_error_mgr *jerr);

// sl_jpeg_source_mgr reads a file in memory through a window of 4 KB, like libvips, because libjpeg overlooks some
// damage if it gets more at once. A truncated file gets an EOI marker and a warning. Invariant: next <= end, and next
// is after the bytes in the window.
typedef struct {
	struct jpeg_source_mgr pub;
	const uint8_t *next, *end;
} sl_jpeg_source_mgr;

// sl_jpeg_progress_mgr ends work with an error soon after *stop becomes nonzero. libjpeg calls it for each call that
// reads or writes rows, for each row of MCUs that it reads from a file with several scans, and in later passes of
// compression.
typedef struct {
	struct jpeg_progress_mgr pub;
	const int32_t *stop;
} sl_jpeg_progress_mgr;

void sl_jpeg_progress_init(sl_jpeg_progress_mgr *progress, const int32_t *stop);

void sl_jpeg_source_init(sl_jpeg_source_mgr *src, const uint8_t *file, size_t size);

#endif
