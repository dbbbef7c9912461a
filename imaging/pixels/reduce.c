#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "reduce.h"

#if defined(__x86_64__) && defined(__GNUC__)
#include <immintrin.h>
#define SL_X86
#endif

#define SL_LOBES 3
#define SL_BITS 14 // of weights, whose sum is 1 << SL_BITS
#define SL_FRACTION 6 // bits between the passes: what Lanczos adds to 255 has room in 16
#define SL_PAD 32 // elements that may be read after a row

// A side of the result: which samples of the source each of its samples is made of.
typedef struct {
	int from, to;
	double span; // how many samples of the source the result shows; half ones where two pixels share a sample
	int taps;	// as many for each; those that are not needed weigh 0
	int *start;
	int16_t *weights;
} sl_side;

static double sl_lanczos(double x)
{
	if (x == 0)
		return 1;
	if (x <= -SL_LOBES || x >= SL_LOBES)
		return 0;
	double a = M_PI * x;
	return SL_LOBES * sin(a) * sin(a / SL_LOBES) / (a * a);
}

static int sl_within(int n, int low, int high) { return n < low ? low : n > high ? high : n; }

static int sl_box(const sl_side *s)
{
	int box = (int) (s->span / s->to / 2);
	return box > 1 ? box : 1;
}

// sl_weigh sets the weights of one sample. sums has room for all taps.
static void sl_weigh(sl_side *s, int at, double *sums)
{
	int box = sl_box(s);
	double scale = s->span / s->to / box, center = (at + 0.5) * scale - 0.5, total = 0;
	int first = (int) ceil(center - SL_LOBES * scale), last = (int) floor(center + SL_LOBES * scale);
	int start = sl_within(first * box, 0, s->from - 1), end = sl_within(last * box + box - 1, 0, s->from - 1);
	start = sl_within(start, 0, s->from > s->taps ? s->from - s->taps : 0);
	memset(sums, 0, sizeof(double) * s->taps);
	for (int n = first; n <= last; n++) {
		double w = sl_lanczos((n - center) / scale);
		total += w * box;
		for (int k = 0; k < box; k++) // the outermost samples stand for those beyond them
			sums[sl_within(n * box + k, start, end) - start] += w;
	}
	double sum = 0;
	int before = 0;
	for (int k = 0; k < s->taps; k++) { // what rounding leaves of one is the next one's
		sum += sums[k] / total;
		int now = (int) rint(sum * (1 << SL_BITS));
		s->weights[(size_t) at * s->taps + k] = now - before;
		before = now;
	}
	s->start[at] = start;
}

// sl_side_init makes the weights; the taps are a multiple of unit. -1 if there is not enough memory.
static int sl_side_init(sl_side *s, int from, double span, int to, int unit)
{
	s->from = from;
	s->to = to;
	s->span = span;
	int box = sl_box(s);
	s->taps = ((int) floor(2 * SL_LOBES * span / to / box) + 1) * box;
	s->taps = (s->taps + unit - 1) / unit * unit;
	s->start = malloc(sizeof(int) * to);
	s->weights = malloc(sizeof(int16_t) * s->taps * (size_t) to);
	double *sums = malloc(sizeof(double) * s->taps);
	if (!s->start || !s->weights || !sums) {
		free(sums);
		return -1;
	}
	for (int n = 0; n < to; n++)
		sl_weigh(s, n, sums);
	free(sums);
	return 0;
}

static void sl_side_free(sl_side *s)
{
	free(s->start);
	free(s->weights);
}

// sl_down makes n samples of a row between the passes, of taps rows.
static void sl_down_plain(const uint8_t *const *rows, const int16_t *weights, int taps, int16_t *out, int from, int n)
{
	for (int x = from; x < n; x++) {
		int sum = 1 << (SL_BITS - SL_FRACTION - 1);
		for (int k = 0; k < taps; k++)
			sum += weights[k] * rows[k][x];
		out[x] = sum >> (SL_BITS - SL_FRACTION);
	}
}

#ifdef SL_X86
__attribute__((target("avx2"))) static inline void sl_down_16(const uint8_t *const *rows, const int16_t *weights, int taps, int16_t *out, int x)
{
	__m256i low = _mm256_set1_epi32(1 << (SL_BITS - SL_FRACTION - 1)), high = low;
	for (int k = 0; k < taps; k += 2) {
		int pair;
		memcpy(&pair, weights + k, sizeof(pair));
		__m256i w = _mm256_set1_epi32(pair);
		__m128i a = _mm_loadu_si128((const __m128i *) (rows[k] + x)), b = _mm_loadu_si128((const __m128i *) (rows[k + 1] + x));
		low = _mm256_add_epi32(low, _mm256_madd_epi16(_mm256_cvtepu8_epi16(_mm_unpacklo_epi8(a, b)), w));
		high = _mm256_add_epi32(high, _mm256_madd_epi16(_mm256_cvtepu8_epi16(_mm_unpackhi_epi8(a, b)), w));
	}
	__m256i both = _mm256_packs_epi32(_mm256_srai_epi32(low, SL_BITS - SL_FRACTION), _mm256_srai_epi32(high, SL_BITS - SL_FRACTION));
	_mm256_storeu_si256((__m256i *) (out + x), _mm256_permute4x64_epi64(both, 0xD8));
}

__attribute__((target("avx2"))) static void sl_down_avx2(const uint8_t *const *rows, const int16_t *weights, int taps, int16_t *out, int n)
{
	int x = 0;
	for (; x + 16 <= n; x += 16)
		sl_down_16(rows, weights, taps, out, x);
	if (x < n && n >= 16)
		sl_down_16(rows, weights, taps, out, n - 16);
	else
		sl_down_plain(rows, weights, taps, out, x, n);
}
#endif

static void sl_down(const uint8_t *const *rows, const int16_t *weights, int taps, int16_t *out, int n)
{
#ifdef SL_X86
	if (__builtin_cpu_supports("avx2")) {
		sl_down_avx2(rows, weights, taps, out, n);
		return;
	}
#endif
	sl_down_plain(rows, weights, taps, out, 0, n);
}

// sl_across makes a row of the result of one between the passes. bands is a constant to the compiler.
static inline __attribute__((always_inline)) void sl_across(const sl_side *s, const int16_t *row, uint8_t *out, int bands)
{
	for (int x = 0; x < s->to; x++) {
		const int16_t *p = row + (size_t) s->start[x] * bands, *w = s->weights + (size_t) x * s->taps;
#ifdef SL_X86
		__m128i sum = _mm_set1_epi32(1 << (SL_BITS + SL_FRACTION - 1));
		for (int k = 0; k < s->taps; k += 2) {
			int pair;
			memcpy(&pair, w + k, sizeof(pair));
			__m128i a = _mm_loadl_epi64((const __m128i *) (p + k * bands)), b = _mm_loadl_epi64((const __m128i *) (p + (k + 1) * bands));
			sum = _mm_add_epi32(sum, _mm_madd_epi16(_mm_unpacklo_epi16(a, b), _mm_set1_epi32(pair)));
		}
		sum = _mm_srai_epi32(sum, SL_BITS + SL_FRACTION);
		sum = _mm_packs_epi32(sum, sum);
		int pixel = _mm_cvtsi128_si32(_mm_packus_epi16(sum, sum));
		memcpy(out + x * bands, &pixel, bands);
#else
		for (int b = 0; b < bands; b++) {
			int sum = 1 << (SL_BITS + SL_FRACTION - 1);
			for (int k = 0; k < s->taps; k++)
				sum += w[k] * p[k * bands + b];
			out[x * bands + b] = sl_within(sum >> (SL_BITS + SL_FRACTION), 0, 255);
		}
#endif
	}
}

// sl_premultiply weighs the colors of a row by their alpha.
static void sl_premultiply(const uint8_t *restrict p, uint8_t *restrict q, int width)
{
	int x = 0;
#ifdef SL_X86
	const __m128i zero = _mm_setzero_si128(), half = _mm_set1_epi16(128), alphas = _mm_set1_epi32((int) 0xFF000000);
	for (; x + 4 <= width; x += 4) {
		__m128i v = _mm_loadu_si128((const __m128i *) (p + 4 * x)), part[2] = { _mm_unpacklo_epi8(v, zero), _mm_unpackhi_epi8(v, zero) };
		for (int k = 0; k < 2; k++) {
			__m128i alpha = _mm_shufflehi_epi16(_mm_shufflelo_epi16(part[k], 0xFF), 0xFF);
			__m128i t = _mm_add_epi16(_mm_mullo_epi16(part[k], alpha), half);
			part[k] = _mm_srli_epi16(_mm_add_epi16(t, _mm_srli_epi16(t, 8)), 8); // v * alpha / 255, rounded
		}
		__m128i mixed = _mm_packus_epi16(part[0], part[1]);
		_mm_storeu_si128((__m128i *) (q + 4 * x), _mm_or_si128(_mm_andnot_si128(alphas, mixed), _mm_and_si128(alphas, v)));
	}
#endif
	for (; x < width; x++) {
		unsigned int alpha = p[4 * x + 3];
		for (int b = 0; b < 3; b++) {
			unsigned int t = p[4 * x + b] * alpha + 128;
			q[4 * x + b] = (t + (t >> 8)) >> 8;
		}
		q[4 * x + 3] = alpha;
	}
}

static void sl_unpremultiply(uint8_t *q, int width, const unsigned int *inverse)
{
	for (uint8_t *end = q + 4 * (size_t) width; q < end; q += 4)
		for (int b = 0; b < 3; b++) {
			unsigned int v = (q[b] * inverse[q[3]] + 0x8000) >> 16;
			q[b] = v > 255 ? 255 : v;
		}
}

// A reduction under way.
typedef struct {
	const uint8_t *in;
	int width, bands;
	sl_side across, down;
	const uint8_t **rows; // those of the sample under way
	uint8_t *ring;		// of premultiplied rows; NULL: rows are read where they are
	int ready;			  // how many rows were premultiplied
	int16_t *between;
	unsigned int inverse[256];
} sl_reduction;

// sl_rows sets which rows the row y is made of.
static void sl_rows(sl_reduction *r, int y)
{
	int taps = r->down.taps, start = r->down.start[y];
	size_t row = (size_t) r->width * r->bands;
	for (int k = 0; k < taps; k++) {
		int n = sl_within(start + k, 0, r->down.from - 1);
		if (!r->ring) {
			r->rows[k] = r->in + n * row;
			continue;
		}
		for (; r->ready <= n; r->ready++)
			if (r->ready >= start)
				sl_premultiply(r->in + r->ready * row, r->ring + r->ready % taps * row, r->width);
		r->rows[k] = r->ring + n % taps * row;
	}
}

static int sl_reduction_init(sl_reduction *r, int height, int to_width, int to_height)
{
	size_t row = (size_t) r->width * r->bands;
	if (sl_side_init(&r->across, r->width, r->width, to_width, 2) || sl_side_init(&r->down, height, height, to_height, 2))
		return -1;
	r->rows = malloc(sizeof(*r->rows) * r->down.taps);
	r->between = calloc(row + (size_t) r->bands * r->across.taps + SL_PAD, sizeof(int16_t));
	if (r->bands == 4) {
		if (!(r->ring = malloc(row * r->down.taps)))
			return -1;
		for (int alpha = 1; alpha < 256; alpha++)
			r->inverse[alpha] = (255u * 65536 + alpha / 2) / alpha;
	}
	return r->rows && r->between ? 0 : -1;
}

static void sl_reduction_free(sl_reduction *r)
{
	sl_side_free(&r->across);
	sl_side_free(&r->down);
	free(r->rows);
	free(r->ring);
	free(r->between);
}

int sl_reduce(const uint8_t *in, int width, int height, int bands, uint8_t *out, int to_width, int to_height, const int32_t *stop)
{
	sl_reduction r = { .in = in, .width = width, .bands = bands };
	int err = sl_reduction_init(&r, height, to_width, to_height);
	for (int y = 0; y < to_height && !err; y++, out += (size_t) to_width * bands) {
		sl_rows(&r, y);
		sl_down(r.rows, r.down.weights + (size_t) y * r.down.taps, r.down.taps, r.between, width * bands);
		if (bands == 4) {
			sl_across(&r.across, r.between, out, 4);
			sl_unpremultiply(out, to_width, r.inverse);
		} else
			sl_across(&r.across, r.between, out, 3);
		err = __atomic_load_n(stop, __ATOMIC_RELAXED) ? -1 : 0;
	}
	sl_reduction_free(&r);
	return err;
}

// A plane of a picture under way: one band, and rows of the result with SL_FRACTION bits more.
typedef struct {
	sl_reduction r;
	int16_t *row;
} sl_plane;

// sl_across_plane is sl_across for one band.
static void sl_across_plane(const sl_side *s, const int16_t *row, int16_t *out)
{
	for (int x = 0; x < s->to; x++) {
		const int16_t *p = row + s->start[x], *w = s->weights + (size_t) x * s->taps;
		int sum = 1 << (SL_BITS - 1);
#ifdef SL_X86
		__m128i sums = _mm_setzero_si128();
		for (int k = 0; k < s->taps; k += 8)
			sums = _mm_add_epi32(sums, _mm_madd_epi16(_mm_loadu_si128((const __m128i *) (p + k)), _mm_loadu_si128((const __m128i *) (w + k))));
		sums = _mm_add_epi32(sums, _mm_shuffle_epi32(sums, 0x4E));
		sum += _mm_cvtsi128_si32(_mm_add_epi32(sums, _mm_shuffle_epi32(sums, 0xB1)));
#else
		for (int k = 0; k < s->taps; k++)
			sum += w[k] * p[k];
#endif
		out[x] = sl_within(sum >> SL_BITS, INT16_MIN, INT16_MAX);
	}
}

static int sl_plane_init(sl_plane *p, const uint8_t *in, int width, int height, int halves, int to_width, int to_height)
{
	int from_width = halves ? (width + 1) / 2 : width, from_height = halves ? (height + 1) / 2 : height;
	double part = halves ? 0.5 : 1;
	p->r = (sl_reduction){ .in = in, .width = from_width, .bands = 1 };
	if (sl_side_init(&p->r.across, from_width, width * part, to_width, 8) || sl_side_init(&p->r.down, from_height, height * part, to_height, 2))
		return -1;
	p->r.rows = malloc(sizeof(*p->r.rows) * p->r.down.taps);
	p->r.between = calloc((size_t) from_width + p->r.across.taps + SL_PAD, sizeof(int16_t));
	p->row = malloc(sizeof(int16_t) * to_width);
	return p->r.rows && p->r.between && p->row ? 0 : -1;
}

static void sl_plane_row(sl_plane *p, int y)
{
	sl_rows(&p->r, y);
	sl_down(p->r.rows, p->r.down.weights + (size_t) y * p->r.down.taps, p->r.down.taps, p->r.between, p->r.width);
	sl_across_plane(&p->r.across, p->r.between, p->row);
}

// sl_rgb converts a row of BT.601 with 16 to 235, as libwebp does.
static void sl_rgb(const int16_t *restrict luma, const int16_t *restrict u, const int16_t *restrict v, uint8_t *restrict rgb, int width)
{
	enum { bits = 14 + SL_FRACTION, middle = 128 << SL_FRACTION, black = 16 << SL_FRACTION };
	for (int x = 0; x < width; x++) {
		int y = 19077 * (luma[x] - black) + (1 << (bits - 1)), cb = u[x] - middle, cr = v[x] - middle;
		rgb[3 * x] = sl_within((y + 26149 * cr) >> bits, 0, 255);
		rgb[3 * x + 1] = sl_within((y - 6419 * cb - 13320 * cr) >> bits, 0, 255);
		rgb[3 * x + 2] = sl_within((y + 33050 * cb) >> bits, 0, 255);
	}
}

int sl_reduce_planes(const uint8_t *const planes[3], int width, int height, uint8_t *rgb, int to_width, int to_height, const int32_t *stop)
{
	sl_plane p[3] = { 0 };
	int err = 0;
	for (int n = 0; n < 3 && !err; n++)
		err = sl_plane_init(&p[n], planes[n], width, height, n > 0, to_width, to_height);
	for (int y = 0; y < to_height && !err; y++, rgb += (size_t) to_width * 3) {
		for (int n = 0; n < 3; n++)
			sl_plane_row(&p[n], y);
		sl_rgb(p[0].row, p[1].row, p[2].row, rgb, to_width);
		err = __atomic_load_n(stop, __ATOMIC_RELAXED) ? -1 : 0;
	}
	for (int n = 0; n < 3; n++) {
		sl_reduction_free(&p[n].r);
		free(p[n].row);
	}
	return err;
}
