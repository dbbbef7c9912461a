#include <math.h>
#include <pthread.h>

#include "reduce_block.h"

// sl_light holds the transfer curve of sRGB (IEC 61966-2-1) and its inverse. Linear light has sl_fraction_bits.
static struct {
	int16_t linear[256];
	uint8_t coded[(255 << sl_fraction_bits) + 1];
} sl_light;

static void sl_light_init(void)
{
	enum { white = 255 << sl_fraction_bits };
	for (int n = 0; n < 256; n++) {
		double v = n / 255.0;
		v = v <= 0.04045 ? v / 12.92 : pow((v + 0.055) / 1.055, 2.4);
		sl_light.linear[n] = rint(v * white);
	}
	for (int n = 0; n <= white; n++) {
		double v = (double) n / white;
		v = v <= 0.0031308 ? v * 12.92 : 1.055 * pow(v, 1 / 2.4) - 0.055;
		sl_light.coded[n] = rint(v * 255);
	}
}

void sl_interleave_linear(const uint8_t *a, const uint8_t *b, int16_t *out, int n, int bands)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;
	pthread_once(&once, sl_light_init);
	const uint8_t *const rows[2] = { a, b };
	for (int r = 0; r < 2; r++, out++)
		for (int x = 0; x < n; x++) {
			const uint8_t *p = rows[r] + x;
			if (bands == 3)
				out[2 * x] = sl_light.linear[*p];
			else if (x % 4 == 3)
				out[2 * x] = *p << sl_fraction_bits;
			else
				out[2 * x] = (sl_light.linear[*p] * rows[r][x | 3] + 127) / 255;
		}
}

// sl_code_pixel writes a pixel of 3 bands, or of 4 that are premultiplied.
static void sl_code_pixel(const int *v, int bands, uint8_t *out)
{
	enum { white = 255 << sl_fraction_bits, half = 1 << (sl_fraction_bits - 1) };
	int alpha = bands == 4 ? sl_clamp(v[3], 0, white) : white;
	if (bands == 4)
		out[3] = (alpha + half) >> sl_fraction_bits;
	for (int b = 0; b < 3; b++) // a premultiplied color is at most alpha
		out[b] = alpha < half ? 0 : sl_light.coded[(sl_clamp(v[b], 0, alpha) * white + alpha / 2) / alpha];
}

void sl_reduceh_linear(const sl_axis *s, const int16_t *columns, int bands, sl_output_rows to)
{
	for (int x = 0; x < to.width; x++) {
		int sums[sl_block_rows][4];
		sl_reduceh_pixel(s, x, columns, bands, sums);
		for (int r = 0; r < to.rows; r++)
			sl_code_pixel(sums[r], bands, to.out + ((size_t) r * to.width + x) * bands);
	}
}
