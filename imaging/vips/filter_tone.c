#include <math.h>
#include <vips/vips.h>

#include "filter.h"

// Stages of tone filters in float: libvips' own conversions clip at each step. Values are sRGB of 0..255, and go on
// outside of it; the transfer curve is continued as an odd function.

enum { SL_TONE_LINE, SL_TONE_LCH, SL_TONE_GREY };

#define SL_CURVE 4096

// The curve and its inverse, sampled over 0..1.
typedef struct {
	float linear[SL_CURVE + 2];
	float coded[SL_CURVE + 2];
} sl_curves;

typedef struct {
	int n;
	double *stages; // kind, then factor and add for each of three bands
} sl_tone_list;

static double sl_linear_of(double v) { return v <= 0.04045 ? v / 12.92 : pow((v + 0.055) / 1.055, 2.4); }

static double sl_coded_of(double v) { return v <= 0.0031308 ? v * 12.92 : 1.055 * pow(v, 1 / 2.4) - 0.055; }

static void *sl_make_curves(void *unused)
{
	sl_curves *c = VIPS_NEW(NULL, sl_curves);
	for (int n = 0; n < SL_CURVE + 2; n++) {
		c->linear[n] = sl_linear_of((double) n / SL_CURVE);
		c->coded[n] = sl_coded_of((double) n / SL_CURVE);
	}
	return c;
}

static const sl_curves *sl_the_curves(void)
{
	static GOnce once = G_ONCE_INIT;
	return g_once(&once, sl_make_curves, NULL);
}

static inline float sl_look(const float *curve, double (*beyond)(double), float v)
{
	float x = fabsf(v), y;
	if (x <= 1) {
		float at = x * SL_CURVE;
		int n = (int) at;
		y = curve[n] + (curve[n + 1] - curve[n]) * (at - n);
	} else
		y = beyond(x);
	return v < 0 ? -y : y;
}

static inline float sl_lab_f(float t) { return t > 0.008856f ? cbrtf(t) : 7.787037f * t + 16.0f / 116; }

static inline float sl_lab_g(float f) { return f > 0.206893f ? f * f * f : (f - 16.0f / 116) / 7.787037f; }

// The white of D65, as libvips has it.
#define SL_WHITE_X 0.950470f
#define SL_WHITE_Z 1.088827f

static void sl_lch_pixel(const sl_curves *c, float *v, float lightness, float chroma, float cosine, float sine)
{
	float rgb[3];
	for (int b = 0; b < 3; b++)
		rgb[b] = sl_look(c->linear, sl_linear_of, v[b] / 255);
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
		v[b] = 255 * sl_look(c->coded, sl_coded_of, rgb[b]);
}

static void sl_grey_pixel(const sl_curves *c, float *v)
{
	float y = 0.2f * sl_look(c->linear, sl_linear_of, v[0] / 255)
		+ 0.7f * sl_look(c->linear, sl_linear_of, v[1] / 255)
		+ 0.1f * sl_look(c->linear, sl_linear_of, v[2] / 255);
	v[0] = v[1] = v[2] = 255 * sl_look(c->coded, sl_coded_of, y);
}

static void sl_tone_pixel(const sl_curves *c, const sl_tone_list *list, float *v)
{
	for (int n = 0; n < list->n; n++) {
		const double *s = list->stages + 9 * n;
		switch ((int) s[0]) {
		case SL_TONE_LINE:
			for (int b = 0; b < 3; b++)
				v[b] = s[1 + 2 * b] * v[b] + s[2 + 2 * b];
			break;
		case SL_TONE_LCH:
			sl_lch_pixel(c, v, s[1], s[3], s[7], s[8]);
			break;
		default:
			sl_grey_pixel(c, v);
		}
	}
}

static int sl_tones_generate(VipsRegion *out, void *seq, void *a, void *b, gboolean *stop)
{
	VipsRegion *in = seq;
	const VipsRect *r = &out->valid;
	int bands = out->im->Bands;
	const sl_curves *curves = sl_the_curves();
	if (vips_region_prepare(in, r))
		return -1;
	for (int y = r->top; y < r->top + r->height; y++) {
		const VipsPel *p = VIPS_REGION_ADDR(in, r->left, y);
		VipsPel *q = VIPS_REGION_ADDR(out, r->left, y);
		for (int x = 0; x < r->width; x++, p += bands, q += bands) {
			float v[3] = { p[0], p[1], p[2] };
			sl_tone_pixel(curves, b, v);
			for (int k = 0; k < 3; k++)
				q[k] = VIPS_CLIP(0, v[k] + 0.5f, 255);
			if (bands == 4)
				q[3] = p[3];
		}
	}
	return 0;
}

static void sl_free_tones(void *data)
{
	sl_tone_list *list = data;
	g_free(list->stages);
	g_free(list);
}

int sl_tones(VipsImage *in, VipsImage **out, const double *stages, int n)
{
	if (in->BandFmt != VIPS_FORMAT_UCHAR || in->Bands < 3 || in->Bands > 4)
		return -1;
	sl_tone_list *list = VIPS_NEW(NULL, sl_tone_list);
	list->n = n;
	list->stages = VIPS_ARRAY(NULL, 9 * n, double);
	for (int k = 0; k < n; k++) { // the angle's cosine and sine come last
		memcpy(list->stages + 9 * k, stages + 7 * k, 7 * sizeof(double));
		list->stages[9 * k + 7] = cos(stages[7 * k + 5] * VIPS_PI / 180);
		list->stages[9 * k + 8] = sin(stages[7 * k + 5] * VIPS_PI / 180);
	}
	VipsImage *t = vips_image_new();
	g_object_set_data_full(G_OBJECT(t), "sl-tones", list, sl_free_tones);
	// nothing else keeps what is read alive as long as what reads it
	g_object_ref(in);
	vips_object_local(t, in);
	if (vips_image_pipelinev(t, VIPS_DEMAND_STYLE_THINSTRIP, in, NULL)
		|| vips_image_generate(t, vips_start_one, sl_tones_generate, vips_stop_one, in, list)) {
		g_object_unref(t);
		return -1;
	}
	*out = t;
	return 0;
}
