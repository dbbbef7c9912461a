#include <vips/vips.h>

#include "sl_types.h"

// sl_types.h repeats these values of libvips.
_Static_assert((int) SL_FORMAT_UCHAR == (int) VIPS_FORMAT_UCHAR, "SL_FORMAT_UCHAR");
_Static_assert((int) SL_INTERPRETATION_B_W == (int) VIPS_INTERPRETATION_B_W, "SL_INTERPRETATION_B_W");
_Static_assert((int) SL_INTERPRETATION_CMYK == (int) VIPS_INTERPRETATION_CMYK, "SL_INTERPRETATION_CMYK");
_Static_assert((int) SL_INTERPRETATION_sRGB == (int) VIPS_INTERPRETATION_sRGB, "SL_INTERPRETATION_sRGB");
_Static_assert((int) SL_INTERPRETATION_RGB16 == (int) VIPS_INTERPRETATION_RGB16, "SL_INTERPRETATION_RGB16");
_Static_assert((int) SL_INTERPRETATION_GREY16 == (int) VIPS_INTERPRETATION_GREY16, "SL_INTERPRETATION_GREY16");
