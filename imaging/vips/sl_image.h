// The thin layer between Go and libvips. Every function returns 0, or -1 with libvips' error
// buffer set; every VipsImage** out is a new reference that the caller owns.
#ifndef SL_IMAGE_H
#define SL_IMAGE_H

#include "sl_types.h"

void sl_unref(VipsImage *in);
VipsImage *sl_ref(VipsImage *in);
int sl_width(VipsImage *in);
int sl_height(VipsImage *in); // of all frames together
int sl_bands(VipsImage *in);
int sl_interpretation(VipsImage *in); // SL_INTERPRETATION_*, or another of libvips
int sl_format(VipsImage *in);         // SL_FORMAT_*, or another of libvips
// sl_sample_size is the bytes of one band of one pixel.
int sl_sample_size(VipsImage *in);
int sl_has_alpha(VipsImage *in);
int sl_page_height(VipsImage *in);
int sl_get_int(VipsImage *in, const char *name, int *value);
// sl_alias returns the image with a header of its own. Pixels in memory are shared: with vips_copy, libvips would no
// longer know that they are there, and compute them again.
int sl_alias(VipsImage *in, VipsImage **out);
// sl_set_frames returns the image with that page height in its header; with 0, as a still.
int sl_set_frames(VipsImage *in, VipsImage **out, int page_height);

// sl_set_threads sets with how many threads libvips computes the image and what is made from it.
int sl_set_threads(VipsImage *in, VipsImage **out, int threads);

int sl_copy_memory(VipsImage *in, VipsImage **out);
int sl_extract(VipsImage *in, VipsImage **out, int left, int top, int width, int height);
int sl_join_down(VipsImage **in, VipsImage **out, int n);
int sl_cast_uchar(VipsImage *in, VipsImage **out);
int sl_first_bands(VipsImage *in, VipsImage **out, int n);
int sl_colourspace(VipsImage *in, VipsImage **out, int space);
int sl_premultiply(VipsImage *in, VipsImage **out);
int sl_unpremultiply(VipsImage *in, VipsImage **out);
int sl_add_alpha(VipsImage *in, VipsImage **out);
int sl_flatten(VipsImage *in, VipsImage **out, double r, double g, double b);

// sl_watch makes libvips stop computing in, and what is made from it, once *stop is not 0.
void sl_watch(VipsImage *in, int *stop);

// sl_stoppable returns the image, whose pixels cannot be read once *stop is not 0. It is for operations that read large
// areas at once: sl_watch stops libvips only between areas. stop must outlive the result.
int sl_stoppable(VipsImage *in, VipsImage **out, int *stop);

// sl_report_failure returns the image, and sets *failed to 1 when a part of it cannot be computed, which libvips may
// tell only one of several threads. failed must outlive the result.
int sl_report_failure(VipsImage *in, VipsImage **out, int *failed);
// sl_unwatch returns the image without the effect of sl_watch.
int sl_unwatch(VipsImage *in, VipsImage **out);

// sl_icc_transform converts to the profile, "srgb", "p3" or "cmyk", from the embedded one, or
// from fallback where there is none or it does not fit.
int sl_icc_transform(VipsImage *in, VipsImage **out, const char *profile, const char *fallback);

// sl_fields returns the names of all fields, to be freed with sl_free_list.
char **sl_fields(VipsImage *in);
// sl_get_text returns the field's text, to be freed with sl_free; NULL when it has none.
char *sl_get_text(VipsImage *in, const char *name);
// sl_get_blob points at the field's bytes, which the image keeps; NULL when there are none.
const void *sl_get_blob(VipsImage *in, const char *name, size_t *size);
// sl_get_ints points at the field's numbers, which the image keeps; NULL when there are none.
const int *sl_get_ints(VipsImage *in, const char *name, int *n);

// These change the header of an image of sl_alias, which nothing else shares.
void sl_remove(VipsImage *in, const char *name);
void sl_set_ints(VipsImage *in, const char *name, const int *values, int n);
void sl_set_blob(VipsImage *in, const char *name, const void *data, size_t size);

#endif
