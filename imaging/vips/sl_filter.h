// What filters do to 8-bit sRGB pixels of 3 or 4 bands.
#ifndef SL_FILTER_H
#define SL_FILTER_H

#include "sl_types.h"

// sl_map replaces every value by its entry in a table, of 256 entries with one byte for each band.
int sl_map(VipsImage *in, VipsImage **out, const unsigned char *table);

// sl_tone_kind is what a stage of tone filters does.
enum {
	SL_TONE_LINE,     // n: a factor for each of R, G and B, then an addend for each
	SL_TONE_LCH,      // n: factors of L and C, then cosine and sine of the angle that is added to H
	SL_TONE_GREY,
	SL_TONE_CURVES,   // three tables, of R, G and B
	SL_TONE_HUE,      // a table for the largest and the smallest channel; the other keeps its place between them
	SL_TONE_RATIO,    // a table for the largest channel; the others keep their ratio to it
	SL_TONE_WHITE,    // n: a matrix of linear RGB, row by row
	SL_TONE_VIBRANCE, // n: the amount
};

// A table has SL_TONE_STEPS + 1 numbers, for values from 0 to 255; beyond, it goes on straight.
#define SL_TONE_STEPS 1020

typedef struct {
	int kind;
	int table; // the first of those that it looks values up in
	float n[9];
} sl_tone;

// sl_tones runs n stages of tone filters in float and rounds at the end. The tables, of that many numbers together, are
// one after the other.
int sl_tones(VipsImage *in, VipsImage **out, const sl_tone *stages, int n, const float *tables, int numbers);
int sl_sharpen(VipsImage *in, VipsImage **out, double sigma);
// sl_pixelate makes blocks of the mean of their pixels.
int sl_pixelate(VipsImage *in, VipsImage **out, int block);
// sl_mask multiplies the alpha by a mask of one byte for each pixel.
int sl_mask(VipsImage *in, VipsImage **out, const unsigned char *mask);
// sl_means computes the mean of every band, 4 at most.
int sl_means(VipsImage *in, double *means);
// sl_bytes returns the pixels as 8-bit bytes, to be freed with g_free; NULL for an error.
void *sl_bytes(VipsImage *in, size_t *size);

#endif
