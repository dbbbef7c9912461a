// What the Go files see of libvips: opaque types and the few values they name. cgo compiles each Go file's preamble
// several times, and with <vips/vips.h> in it the package takes three times as long to build. Only the C files include
// libvips' own header; types.c checks that the values agree.
//
// Headers of this package begin with sl_, as its functions do: libwebp has a decode.h, an encode.h and a types.h, and
// on Debian 13 the compiler finds those first.
#ifndef SL_TYPES_H
#define SL_TYPES_H

#include <stdint.h>
#include <stdlib.h>

typedef struct _VipsImage VipsImage;
typedef struct _VipsOperation VipsOperation;
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

#endif
