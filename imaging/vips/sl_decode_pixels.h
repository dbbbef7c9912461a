// Pixels that were decoded without libvips, as an image.
#ifndef SL_DECODE_PIXELS_H
#define SL_DECODE_PIXELS_H

#include "sl_types.h"

// sl_pixels_new allocates bytes that libvips counts; NULL if there are not enough.
void *sl_pixels_new(size_t size);
void sl_pixels_free(void *pixels);
// sl_borrow_pixels makes an image over pixels of 8 bits a sample. It neither copies nor frees them: they must outlive
// the image and all images made from it. The other fields are those of header, which libvips loaded from the same file.
int sl_borrow_pixels(VipsImage *header, const void *pixels, int width, int height, VipsImage **out);
// sl_load_pixels is sl_borrow_pixels for pixels of sl_pixels_new. It takes over the reference to header and the pixels,
// which are freed with the image, or at once if it fails.
int sl_load_pixels(VipsImage *header, void *pixels, int width, int height, VipsImage **out);
// sl_rows_image makes an image whose rows the Go reader of that handle decodes when libvips asks for them, in order
// from the first. The other fields are those of header.
int sl_rows_image(VipsImage *header, int width, int height, uintptr_t rows, VipsImage **out);
// sl_header returns an image with the fields of in and no pixels, as the header for the functions above.
int sl_header(VipsImage *in, VipsImage **out);
// sl_resolution returns pixels to a meter.
void sl_resolution(VipsImage *in, unsigned int *across, unsigned int *down);
// sl_pixels returns the pixels of an 8-bit image that is in memory; NULL for any other image.
const void *sl_pixels(VipsImage *in);

// sl_decoded_bytes returns the bytes of an image in memory, which lives as long as the image.
void *sl_decoded_bytes(VipsImage *in, size_t *size);
// sl_decoded_image makes an image of pixels in memory, which must outlive it and all images made from it. The image
// gets the fields of header: its demand style, and that it is to be read in order, decide how libvips cuts up the work,
// and that rounds a few pixels one way or the other.
int sl_decoded_image(VipsImage *header, const void *data, size_t size, int width, int height, int bands, int format,
	VipsImage **out);

#endif
