// Images whose pixels a function of ours computes when libvips asks for them. For C files only.
#ifndef SL_GENERATE_H
#define SL_GENERATE_H

#include <vips/vips.h>

// sl_generate returns an image of the size and kind of in. generate computes its regions; seq is a region of in, and b
// is data, which must outlive the result.
int sl_generate(VipsImage *in, VipsImage **out, VipsDemandStyle style, VipsGenerateFn generate, void *data);
// sl_copy_region is a function for sl_generate that leaves the pixels as they are.
int sl_copy_region(VipsRegion *out, void *seq, void *a, void *b, gboolean *stop);

#endif
