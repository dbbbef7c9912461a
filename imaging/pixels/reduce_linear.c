#include <math.h>
#include <pthread.h>
#include <string.h>

#include "reduce_block.h"

// sl_light holds the transfer curve of sRGB (IEC 61966-2-1) and its inverse. Linear light has sl_fraction_bits.
static struct {
	int16_t linear[256];
	uint8_t coded[sl_white + 1];
} sl_light;

static void sl_light_init(void)
{
	for (int n = 0; n < 256; n++) {
		double v = n / 255.0;
		v = v <= 0.04045 ? v / 12.92 : pow((v + 0.055) / 1.055, 2.4);
		sl_light.linear[n] = rint(v * sl_white);
	}
	for (int n = 0; n <= sl_white; n++) {
		double v = (double) n / sl_white;
		v = v <= 0.0031308 ? v * 12.92 : 1.055 * pow(v, 1 / 2.4) - 0.055;
		sl_light.coded[n] = rint(v * 255);
	}
}

// sl_premultiply_linear returns a color in linear light, multiplied by alpha.
static inline int16_t sl_premultiply_linear(uint8_t v, int alpha)
{
	return alpha == 255 ? sl_light.linear[v] : (sl_light.linear[v] * alpha + 127) / 255;
}

void sl_interleave_linear(const uint8_t *a, const uint8_t *b, int16_t *out, int n, int bands)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;
	pthread_once(&once, sl_light_init);
	if (bands == 3) {
		for (int x = 0; x < n; x++) {
			int16_t pair[2] = { sl_light.linear[a[x]], sl_light.linear[b[x]] };
			memcpy(out + 2 * x, pair, sizeof(pair)); // one store, by which the loop is bound
		}
		return;
	}
	for (int x = 0; x < n; x += 4, a += 4, b += 4, out += 8) {
		for (int i = 0; i < 3; i++) {
			out[2 * i] = sl_premultiply_linear(a[i], a[3]);
			out[2 * i + 1] = sl_premultiply_linear(b[i], b[3]);
		}
		out[6] = a[3] << sl_fraction_bits;
		out[7] = b[3] << sl_fraction_bits;
	}
}

// sl_code_premultiplied writes a pixel of 4 bands.
static void sl_code_premultiplied(const int v[4], uint8_t *out)
{
	enum { half = 1 << (sl_fraction_bits - 1) };
	int alpha = v[3];
	out[3] = (alpha + half) >> sl_fraction_bits;
	for (int b = 0; b < 3; b++) {
		int color = v[b] < alpha ? v[b] : alpha; // a premultiplied color is at most alpha
		if (alpha < half)
			color = 0;
		else if (alpha < sl_white) // a division takes longer than all else
			color = (color * sl_white + alpha / 2) / alpha;
		out[b] = sl_light.coded[color];
	}
}

void sl_reduceh_linear(const sl_axis *s, const int16_t *columns, int bands, sl_output_rows to, int instructions)
{
	for (int x = 0; x < to.width; x++) {
		int sums[4][sl_block_rows];
		sl_reduceh_sums(s, x, columns, bands, sums, instructions);
		for (int r = 0; r < to.rows; r++) {
			uint8_t *out = to.out + ((size_t) r * to.width + x) * bands;
			if (bands == 4) {
				const int v[4] = { sums[0][r], sums[1][r], sums[2][r], sums[3][r] };
				sl_code_premultiplied(v, out);
				continue;
			}
			for (int b = 0; b < 3; b++)
				out[b] = sl_light.coded[sums[b][r]];
		}
	}
}
