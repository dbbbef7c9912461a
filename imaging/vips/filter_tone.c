#include <math.h>
#include <vips/vips.h>

#include "sl_filter.h"
#include "sl_generate.h"

// Stages of tone filters in float, which is rounded and clipped only at the end. Values are sRGB of 0..255, but may
// lie outside of that range, where the transfer curve continues as an odd function.

#define SL_CURVE 4080 // 16 steps for each of the 8-bit levels

// The transfer curve for values from 0 to 255, and its inverse for light from 0 to 1.
typedef struct {
	float light[SL_CURVE + 2];
	float value[SL_CURVE + 2];
} sl_curves;

typedef struct {
	int n;
	sl_tone *stages;
	float *tables;
} sl_tone_list;

static double sl_linear_of(double v) { return v <= 0.04045 ? v / 12.92 : pow((v + 0.055) / 1.055, 2.4); }

static double sl_coded_of(double v) { return v <= 0.0031308 ? v * 12.92 : 1.055 * pow(v, 1 / 2.4) - 0.055; }

static void *sl_make_curves(void *unused)
{
	sl_curves *c = VIPS_NEW(NULL, sl_curves);
	for (int n = 0; n < SL_CURVE + 2; n++) {
		c->light[n] = sl_linear_of((double) n / SL_CURVE);
		c->value[n] = 255 * sl_coded_of((double) n / SL_CURVE);
	}
	return c;
}

static const sl_curves *sl_the_curves(void)
{
	static GOnce once = G_ONCE_INIT;
	return g_once(&once, sl_make_curves, NULL);
}

// sl_light returns the light of a value: exact for integers, otherwise that of the nearest sixteenth.
static inline float sl_light(const sl_curves *c, float value)
{
	float x = fabsf(value);
	float y = x <= 255 ? c->light[(int) (x * (SL_CURVE / 255) + 0.5f)] : sl_linear_of(x / 255);
	return value < 0 ? -y : y;
}

// sl_value returns the value for an amount of light.
static inline float sl_value(const sl_curves *c, float light)
{
	float x = fabsf(light), y;
	if (x <= 1) {
		float at = x * SL_CURVE;
		int n = (int) at;
		y = c->value[n] + (c->value[n + 1] - c->value[n]) * (at - n);
	} else
		y = 255 * sl_coded_of(x);
	return light < 0 ? -y : y;
}

// sl_cube_root is a faster cbrtf for positive numbers: an initial guess from the exponent, then two steps of Halley's
// method.
static inline float sl_cube_root(float v)
{
	union {
		float number;
		uint32_t bits;
	} guess = { v };
	guess.bits = guess.bits / 3 + 709921077;
	float y = guess.number;
	for (int n = 0; n < 2; n++) {
		float cube = y * y * y;
		y *= (cube + 2 * v) / (2 * cube + v);
	}
	return y;
}

static inline float sl_lab_f(float t) { return t > 0.008856f ? sl_cube_root(t) : 7.787037f * t + 16.0f / 116; }

static inline float sl_lab_g(float f) { return f > 0.206893f ? f * f * f : (f - 16.0f / 116) / 7.787037f; }

// The D65 white point with libvips' values.
#define SL_WHITE_X 0.950470f
#define SL_WHITE_Z 1.088827f

static void sl_lch_pixel(const sl_curves *c, float *v, float lightness, float chroma, float cosine, float sine)
{
	float rgb[3];
	for (int b = 0; b < 3; b++)
		rgb[b] = sl_light(c, v[b]);
	float x = sl_lab_f((0.4124f * rgb[0] + 0.3576f * rgb[1] + 0.1805f * rgb[2]) / SL_WHITE_X);
	float y = sl_lab_f(0.2126f * rgb[0] + 0.7152f * rgb[1] + 0.0722f * rgb[2]);
	float z = sl_lab_f((0.0193f * rgb[0] + 0.1192f * rgb[1] + 0.9505f * rgb[2]) / SL_WHITE_Z);
	float l = (116 * y - 16) * lightness;
	float a = 500 * (x - y) * chroma, d = 200 * (y - z) * chroma;
	float turned = a * cosine - d * sine;
	d = a * sine + d * cosine;
	y = (l + 16) / 116;
	x = sl_lab_g(y + turned / 500) * SL_WHITE_X;
	z = sl_lab_g(y - d / 200) * SL_WHITE_Z;
	y = sl_lab_g(y);
	rgb[0] = 3.2406f * x - 1.5372f * y - 0.4986f * z;
	rgb[1] = -0.9689f * x + 1.8758f * y + 0.0415f * z;
	rgb[2] = 0.0557f * x - 0.2040f * y + 1.0570f * z;
	for (int b = 0; b < 3; b++)
		v[b] = sl_value(c, rgb[b]);
}

static void sl_grey_pixel(const sl_curves *c, float *v)
{
	float y = 0.2f * sl_light(c, v[0])
		+ 0.7f * sl_light(c, v[1])
		+ 0.1f * sl_light(c, v[2]);
	v[0] = v[1] = v[2] = sl_value(c, y);
}

// sl_table returns the entry of a table for a value, which may be NaN.
static inline float sl_table(const float *table, float v)
{
	float at = v * (SL_TONE_STEPS / 255.0f);
	int n = at > 0 ? (at < SL_TONE_STEPS - 1 ? (int) at : SL_TONE_STEPS - 1) : 0;
	return table[n] + (table[n + 1] - table[n]) * (at - n);
}

// sl_level returns the value rounded and clipped; 0 for NaN.
static inline VipsPel sl_level(float v)
{
	v = v > 0 ? v : 0;
	v = v < 255 ? v : 255;
	return (VipsPel) (int) (v + 0.5f);
}

static inline float sl_largest(const float *v) { return VIPS_MAX(v[0], VIPS_MAX(v[1], v[2])); }

static inline float sl_smallest(const float *v) { return VIPS_MIN(v[0], VIPS_MIN(v[1], v[2])); }

static void sl_hue_pixel(const float *table, float *v)
{
	float most = sl_largest(v), least = sl_smallest(v);
	float low = sl_table(table, least);
	float slope = most > least ? (sl_table(table, most) - low) / (most - least) : 0;
	for (int b = 0; b < 3; b++)
		v[b] = low + (v[b] - least) * slope;
}

// Where the table is flat, the contrast between channels would vanish, and the color with it. So their ratio is kept.
static void sl_ratio_pixel(const float *table, float *v)
{
	float most = sl_largest(v), least = sl_smallest(v);
	float high = sl_table(table, most);
	float ratio = most > 0.01f ? high / most : table[1] * (SL_TONE_STEPS / 255.0f);
	float low = VIPS_MIN(least * ratio, sl_table(table, least));
	float slope = most > least ? (high - low) / (most - least) : 0;
	for (int b = 0; b < 3; b++)
		v[b] = most > least ? low + (v[b] - least) * slope : high;
}

static inline float sl_luminance(const float *v) { return 0.2126f * v[0] + 0.7152f * v[1] + 0.0722f * v[2]; }

// The excess of a channel is distributed to the others, so that white stays white.
static void sl_white_pixel(const sl_curves *c, const float *m, float *v)
{
	float in[3], rgb[3];
	for (int b = 0; b < 3; b++)
		in[b] = sl_light(c, v[b]);
	for (int b = 0; b < 3; b++)
		rgb[b] = m[3 * b] * in[0] + m[3 * b + 1] * in[1] + m[3 * b + 2] * in[2];
	float most = sl_largest(rgb), light = sl_luminance(rgb);
	float kept = most <= 1 ? 1 : light >= 1 ? 0 : (1 - light) / (most - light);
	for (int b = 0; b < 3; b++)
		v[b] = sl_value(c, light + (rgb[b] - light) * kept);
}

// sl_skin returns from 1 to 0 how close the hue is to that of skin, which is 25 degrees in HSV, with 35 degrees on
// each side. Red is the largest channel there.
static inline float sl_skin(const float *v, float most, float least)
{
	if (v[0] < most)
		return 0;
	float degrees = 60 * (v[1] - v[2]) / (most - least);
	float near = 1 - fabsf(degrees - 25) / 35;
	return near > 0 ? near * near * (3 - 2 * near) : 0;
}

// Saturation s grows to s g / (1 - s + s g): g times for pale colors, hardly for strong ones, and never beyond full
// saturation.
static void sl_vibrance_pixel(float amount, float *v)
{
	float most = sl_largest(v), least = sl_smallest(v);
	if (most <= 0 || most <= least)
		return;
	float saturation = VIPS_MIN((most - least) / most, 1);
	float grown = expf(0.7f * amount * (1 - 0.5f * sl_skin(v, most, least)));
	float factor = grown / (1 - saturation + saturation * grown);
	float before = sl_luminance(v);
	for (int b = 0; b < 3; b++)
		v[b] = most - (most - v[b]) * factor;
	float after = sl_luminance(v);
	if (before <= 0 || after <= 0)
		return;
	float scale = VIPS_MIN(before / after, VIPS_MAX(1, 255 / most));
	for (int b = 0; b < 3; b++)
		v[b] *= scale;
}

// sl_tone_row runs one stage over a row of n pixels.
static void sl_tone_row(const sl_curves *c, const sl_tone_list *list, const sl_tone *s, float *row, int n)
{
	const float *k = s->n, *table = list->tables + (size_t) s->table * (SL_TONE_STEPS + 1);
	float *end = row + 3 * n;
	switch (s->kind) {
	case SL_TONE_LINE:
		for (float *v = row; v < end; v += 3)
			for (int b = 0; b < 3; b++)
				v[b] = k[b] * v[b] + k[3 + b];
		break;
	case SL_TONE_LCH:
		for (float *v = row; v < end; v += 3)
			sl_lch_pixel(c, v, k[0], k[1], k[2], k[3]);
		break;
	case SL_TONE_CURVES:
		for (float *v = row; v < end; v += 3)
			for (int b = 0; b < 3; b++)
				v[b] = sl_table(table + b * (SL_TONE_STEPS + 1), v[b]);
		break;
	case SL_TONE_HUE:
		for (float *v = row; v < end; v += 3)
			sl_hue_pixel(table, v);
		break;
	case SL_TONE_RATIO:
		for (float *v = row; v < end; v += 3)
			sl_ratio_pixel(table, v);
		break;
	case SL_TONE_WHITE:
		for (float *v = row; v < end; v += 3)
			sl_white_pixel(c, k, v);
		break;
	case SL_TONE_VIBRANCE:
		for (float *v = row; v < end; v += 3)
			sl_vibrance_pixel(k[0], v);
		break;
	default:
		for (float *v = row; v < end; v += 3)
			sl_grey_pixel(c, v);
	}
}

static int sl_tones_generate(VipsRegion *out, void *seq, void *a, void *b, gboolean *stop)
{
	VipsRegion *in = seq;
	const sl_tone_list *list = b;
	const VipsRect *r = &out->valid;
	int bands = out->im->Bands;
	const sl_curves *curves = sl_the_curves();
	if (vips_region_prepare(in, r))
		return -1;
	float *row = g_new(float, 3 * r->width);
	for (int y = r->top; y < r->top + r->height; y++) {
		const VipsPel *p = VIPS_REGION_ADDR(in, r->left, y);
		VipsPel *q = VIPS_REGION_ADDR(out, r->left, y);
		for (int x = 0; x < r->width; x++) {
#pragma GCC unroll 3
			for (int k = 0; k < 3; k++)
				row[3 * x + k] = p[bands * x + k];
		}
		for (int k = 0; k < list->n; k++)
			sl_tone_row(curves, list, list->stages + k, row, r->width);
		for (int x = 0; x < r->width; x++) {
#pragma GCC unroll 3
			for (int k = 0; k < 3; k++)
				q[bands * x + k] = sl_level(row[3 * x + k]);
			if (bands == 4)
				q[4 * x + 3] = p[4 * x + 3];
		}
	}
	g_free(row);
	return 0;
}

static void sl_free_tones(void *data)
{
	sl_tone_list *list = data;
	g_free(list->stages);
	g_free(list->tables);
	g_free(list);
}

int sl_tones(VipsImage *in, VipsImage **out, const sl_tone *stages, int n, const float *tables, int numbers)
{
	if (in->BandFmt != VIPS_FORMAT_UCHAR || in->Bands < 3 || in->Bands > 4)
		return -1;
	sl_tone_list *list = VIPS_NEW(NULL, sl_tone_list);
	list->n = n;
	list->stages = VIPS_ARRAY(NULL, n, sl_tone);
	memcpy(list->stages, stages, n * sizeof(sl_tone));
	list->tables = VIPS_ARRAY(NULL, numbers, float);
	memcpy(list->tables, tables, numbers * sizeof(float));
	int err = sl_generate(in, out, VIPS_DEMAND_STYLE_THINSTRIP, sl_tones_generate, list);
	if (err)
		sl_free_tones(list);
	else
		g_object_set_data_full(G_OBJECT(*out), "sl-tones", list, sl_free_tones);
	return err;
}
