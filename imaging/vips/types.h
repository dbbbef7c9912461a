// What the Go files see of libvips: opaque types and the few values they name. cgo compiles each Go file's preamble
// several times, and with <vips/vips.h> in it the package takes three times as long to build. libvips' own header is for
// the C files; types.c checks that the values agree.
#ifndef SL_TYPES_H
#define SL_TYPES_H

#include <stdint.h>
#include <stdlib.h>

typedef struct _VipsImage VipsImage;
typedef struct _VipsSource VipsSource;
typedef struct _VipsBlob VipsBlob;

enum {
	SL_FORMAT_UCHAR = 0,
};

enum {
	SL_INTERPRETATION_B_W = 1,
	SL_INTERPRETATION_CMYK = 15,
	SL_INTERPRETATION_sRGB = 22,
	SL_INTERPRETATION_RGB16 = 25,
	SL_INTERPRETATION_GREY16 = 26,
};

enum {
	SL_BLEND_MODE_OVER = 2,
	SL_BLEND_MODE_DEST_IN = 8,
	SL_BLEND_MODE_DEST_OUT = 9,
	SL_BLEND_MODE_ADD = 12,
	SL_BLEND_MODE_MULTIPLY = 14,
	SL_BLEND_MODE_SCREEN,
	SL_BLEND_MODE_OVERLAY,
	SL_BLEND_MODE_DARKEN,
	SL_BLEND_MODE_LIGHTEN,
	SL_BLEND_MODE_COLOUR_DODGE,
	SL_BLEND_MODE_COLOUR_BURN,
	SL_BLEND_MODE_HARD_LIGHT,
	SL_BLEND_MODE_SOFT_LIGHT,
	SL_BLEND_MODE_DIFFERENCE,
	SL_BLEND_MODE_EXCLUSION,
};

#endif
