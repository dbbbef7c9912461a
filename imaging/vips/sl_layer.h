// Pictures and text over pictures.
#ifndef SL_LAYER_H
#define SL_LAYER_H

#include "sl_types.h"

// sl_blend draws over onto base, its top left corner at left, top, in libvips' blend mode of that name. The result has
// alpha if base has, or if the mode makes parts of base transparent.
int sl_blend(VipsImage *base, VipsImage *over, VipsImage **out, int left, int top, const char *name);
// sl_fade multiplies the alpha, the last band, by a factor of 0..1.
int sl_fade(VipsImage *in, VipsImage **out, double factor);
// sl_tile repeats the image across times down.
int sl_tile(VipsImage *in, VipsImage **out, int across, int down);
// sl_text draws Pango markup as a mask of one band, as large as its ink. A point of the font's size is a pixel. A width
// of 0 does not wrap.
int sl_text(
	VipsImage **out, const char *markup, const char *font, int width, int align, int justify, int wrap, int spacing);
// sl_load_font makes the font in a file known to all texts of the process that are drawn later.
int sl_load_font(const char *path);
// sl_tint makes a mask the alpha of a solid colour.
int sl_tint(VipsImage *mask, VipsImage **out, double r, double g, double b, double alpha);

#endif
