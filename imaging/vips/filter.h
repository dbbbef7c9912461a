// What filters do to 8-bit sRGB pixels of 3 or 4 bands.
#ifndef SL_FILTER_H
#define SL_FILTER_H

#include "types.h"

// sl_map looks every value up in a table of 256 entries for each band.
int sl_map(VipsImage *in, VipsImage **out, const unsigned char *table);
// sl_lch scales lightness and chroma, and turns the hue by degrees.
int sl_lch(VipsImage *in, VipsImage **out, double lightness, double chroma, double hue);
// sl_grey takes the colour away; there are as many bands as before.
int sl_grey(VipsImage *in, VipsImage **out);
// sl_tones runs n stages of tone filters in float and rounds at the end. A stage is 7 numbers: its kind (0 line, 1 LCh,
// 2 gray), then a factor and an addend for each band, for LCh in place of the factors those of L and C, and the degrees of H.
int sl_tones(VipsImage *in, VipsImage **out, const double *stages, int n);
int sl_sharpen(VipsImage *in, VipsImage **out, double sigma);
// sl_pixelate makes blocks of the mean of their pixels.
int sl_pixelate(VipsImage *in, VipsImage **out, int block);
// sl_mask multiplies the alpha by a mask of as many bytes as the image has pixels.
int sl_mask(VipsImage *in, VipsImage **out, const unsigned char *mask);
// sl_means computes the mean of every band, 4 at most.
int sl_means(VipsImage *in, double *means);
// sl_bytes returns the pixels as 8-bit bytes, to be freed with g_free; NULL for an error.
void *sl_bytes(VipsImage *in, size_t *size);

#endif
