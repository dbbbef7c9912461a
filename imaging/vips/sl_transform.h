// Size and place of pixels.
#ifndef SL_TRANSFORM_H
#define SL_TRANSFORM_H

#include "sl_types.h"

// sl_resize makes the image exactly width x height.
int sl_resize(VipsImage *in, VipsImage **out, int width, int height);
// sl_enlarge enlarges the image to exactly width x height by cubic interpolation. Neither side may become smaller.
int sl_enlarge(VipsImage *in, VipsImage **out, int width, int height);
// sl_shrink averages blocks of n x n pixels; those at the right and bottom edges may be smaller.
int sl_shrink(VipsImage *in, VipsImage **out, int n);

// sl_shrink_rows averages every n rows. It has at most one row of the result in memory.
int sl_shrink_rows(VipsImage *in, VipsImage **out, int n);
// sl_to_linear and sl_from_linear convert 8-bit sRGB of 3 or 4 bands to linear light, as premultiplied floats, and
// back.
int sl_to_linear(VipsImage *in, VipsImage **out);
int sl_from_linear(VipsImage *in, VipsImage **out);
// sl_rotate turns clockwise by a multiple of 90 degrees.
int sl_rotate(VipsImage *in, VipsImage **out, int degrees);
// sl_straighten turns the image counter-clockwise by any angle about the point x, y, and keeps width x height pixels
// around it. Beyond its edges, the image continues with its outermost pixels.
int sl_straighten(VipsImage *in, VipsImage **out, double degrees, double x, double y, int width, int height);
int sl_flip(VipsImage *in, VipsImage **out, int vertical);
// sl_attention finds the part of width x height pixels that draws the eye, as libvips' smartcrop does.
int sl_attention(VipsImage *in, int width, int height, int *left, int *top);
// sl_embed puts the image on a canvas of one color, which has a value for each band of the image.
int sl_embed(VipsImage *in, VipsImage **out, int left, int top, int width, int height, double *colour);
int sl_solid(VipsImage **out, int width, int height, double *colour, int bands);
int sl_composite_over(VipsImage *base, VipsImage *over, VipsImage **out, int left, int top);
int sl_insert(VipsImage *base, VipsImage *over, VipsImage **out, int left, int top);
int sl_blur(VipsImage *in, VipsImage **out, double sigma);
// sl_content finds the smallest box around all pixels that differ from the color by more than the tolerance, a
// Euclidean distance of premultiplied bands. The image has 8 bits a sample and is in memory. The width is 0 if no pixel
// differs.
int sl_content(VipsImage *in, const double *colour, double tolerance, int *left, int *top, int *width, int *height);
// sl_pixel reads the premultiplied bands of one pixel, 4 at most.
int sl_pixel(VipsImage *in, int x, int y, double *colour);

#endif
