#include <vips/vips.h>

#include "colour.h"

int sl_icc_transform(VipsImage *in, VipsImage **out, const char *profile, const char *fallback)
{
	return vips_icc_transform(in, out, profile, "embedded", TRUE, "input_profile", fallback, NULL);
}
