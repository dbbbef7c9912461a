// Size and place of pixels.
#ifndef SL_TRANSFORM_H
#define SL_TRANSFORM_H

#include "sl_types.h"

// sl_resize makes the image exactly width x height.
int sl_resize(VipsImage *in, VipsImage **out, int width, int height);
// sl_enlarge makes it exactly width x height, which are no smaller than its sides, by cubic interpolation.
int sl_enlarge(VipsImage *in, VipsImage **out, int width, int height);
// sl_shrink makes every n x n pixels one; the last ones of a row or column may be fewer.
int sl_shrink(VipsImage *in, VipsImage **out, int n);

// sl_shrink_rows makes every n rows one. It has no more than one of them in memory.
int sl_shrink_rows(VipsImage *in, VipsImage **out, int n);
// sl_to_linear and sl_from_linear turn 8-bit sRGB of 3 or 4 bands into linear light, as floats weighed by alpha, and back.
int sl_to_linear(VipsImage *in, VipsImage **out);
int sl_from_linear(VipsImage *in, VipsImage **out);
// sl_rotate turns clockwise by a multiple of 90 degrees.
int sl_rotate(VipsImage *in, VipsImage **out, int degrees);
// sl_straighten turns counter-clockwise by any angle about x, y, from the left and from the top, and keeps width x height around it. Pixels
// outside are those of the nearest edge.
int sl_straighten(VipsImage *in, VipsImage **out, double degrees, double x, double y, int width, int height);
int sl_flip(VipsImage *in, VipsImage **out, int vertical);
// sl_attention finds the width x height window that draws the eye.
int sl_attention(VipsImage *in, int width, int height, int *left, int *top);
// sl_embed puts the image on a canvas of one colour, of as many bands as the image.
int sl_embed(VipsImage *in, VipsImage **out, int left, int top, int width, int height, double *colour);
int sl_solid(VipsImage **out, int width, int height, double *colour, int bands);
int sl_composite_over(VipsImage *base, VipsImage *over, VipsImage **out, int left, int top);
int sl_insert(VipsImage *base, VipsImage *over, VipsImage **out, int left, int top);
int sl_blur(VipsImage *in, VipsImage **out, double sigma);
// sl_content finds the box of the rows first..last that differ from the colour by more than the
// tolerance, Euclidean over premultiplied bands. The image is 8-bit, in memory. A width of 0:
// there is none.
int sl_content(VipsImage *in, const double *colour, double tolerance, int *left, int *top, int *width, int *height);
// sl_pixel reads the premultiplied bands of one pixel, 4 at most.
int sl_pixel(VipsImage *in, int x, int y, double *colour);

#endif
