// Colour spaces and profiles.
#ifndef SL_COLOUR_H
#define SL_COLOUR_H

#include "types.h"

// sl_icc_transform converts to the profile, "srgb", "p3" or "cmyk", from the embedded one, or
// from fallback where there is none or it does not fit.
int sl_icc_transform(VipsImage *in, VipsImage **out, const char *profile, const char *fallback);

#endif
