// Decodes, scales and encodes hostile pictures for some seconds, in a build with AddressSanitizer and
// UndefinedBehaviorSanitizer: `make sanitize`. Every picture is generated from a number, which is printed if the
// program ends early. `fuzz 0 NUMBER` generates it again.
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <jpeglib.h>
#include <webp/encode.h>

#include "../decode_jpeg.h"
#include "../decode_jpeg_reduce.h"
#include "../decode_png.h"
#include "../decode_webp.h"
#include "../decode_webp_reduce.h"
#include "../encode_jpeg.h"
#include "../encode_png.h"
#include "../encode_webp.h"
#include "../reduce.h"
#include "../reduce_block.h"

static uint64_t number, state;

// pick returns a number from 0 to n-1 (SplitMix64).
static unsigned pick(unsigned n)
{
	uint64_t z = state += 0x9e3779b97f4a7c15;
	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
	z = (z ^ z >> 27) * 0x94d049bb133111eb;
	return (z ^ z >> 31) % n;
}

typedef struct {
	uint8_t *data;
	size_t size;
} bytes;

// made allocates a separate block of n bytes, so that accesses beyond it are detected.
static uint8_t *made(size_t n)
{
	uint8_t *data = malloc(n ? n : 1);
	if (!data)
		abort();
	return data;
}

// painted returns pixels: a gradient, stripes or noise.
static uint8_t *painted(size_t width, size_t height, int bands)
{
	uint8_t *pixels = made(width * height * bands);
	int kind = pick(3);
	for (size_t n = 0; n < width * height * bands; n++)
		pixels[n] = kind == 0 ? n / bands : kind == 1 ? (n / 7 & 1) * 255 : pick(256);
	return pixels;
}

// written returns a JPEG with random sampling factors, restart interval and quality.
static bytes written(int width, int height, int bands)
{
	struct jpeg_compress_struct info;
	struct jpeg_error_mgr errors;
	unsigned char *out = NULL;
	unsigned long size = 0;
	uint8_t *pixels = painted(width, height, bands);
	info.err = jpeg_std_error(&errors);
	jpeg_create_compress(&info);
	jpeg_mem_dest(&info, &out, &size);
	info.image_width = width;
	info.image_height = height;
	info.input_components = bands;
	info.in_color_space = bands == 1 ? JCS_GRAYSCALE : JCS_RGB;
	jpeg_set_defaults(&info);
	jpeg_set_quality(&info, 1 + pick(100), TRUE);
	info.optimize_coding = pick(2);
	info.restart_interval = pick(3) ? 0 : 1 + pick(9);
	static const int factors[][2] = { { 1, 1 }, { 2, 1 }, { 2, 2 }, { 1, 2 }, { 4, 1 }, { 4, 2 }, { 1, 4 } };
	const int *first = factors[pick(sizeof factors / sizeof *factors)];
	info.comp_info[0].h_samp_factor = first[0];
	info.comp_info[0].v_samp_factor = first[1];
	if (pick(8) == 0)
		jpeg_simple_progression(&info);
	jpeg_start_compress(&info, TRUE);
	for (JSAMPROW row; info.next_scanline < info.image_height;) {
		row = pixels + (size_t) info.next_scanline * width * bands;
		jpeg_write_scanlines(&info, &row, 1);
	}
	jpeg_finish_compress(&info);
	jpeg_destroy_compress(&info);
	free(pixels);
	bytes file = { made(size), size };
	memcpy(file.data, out, size);
	free(out);
	return file;
}

// damage changes a file in up to four places, and returns it in a block of exactly its size.
static bytes damage(bytes file)
{
	for (unsigned n = pick(5); n > 0 && file.size > 1; n--) {
		size_t at = pick(2) ? pick(file.size) : file.size - 1 - pick(file.size < 40 ? file.size : 40);
		switch (pick(5)) {
		case 0:
			file.data[at] ^= 1 << pick(8);
			break;
		case 1:
			file.data[at] = pick(256);
			break;
		case 2:
			file.size = at + 1;
			break;
		case 3:
			file.data[at] = 0xff;
			if (at + 1 < file.size)
				file.data[at + 1] = 0xc0 + pick(64);
			break;
		case 4:
			memmove(file.data + at, file.data + at + 1, file.size - at - 1);
			file.size--;
		}
	}
	bytes out = { made(file.size), file.size };
	memcpy(out.data, file.data, file.size);
	free(file.data);
	return out;
}

static void jpeg(void)
{
	int width = 1 + pick(90), height = 1 + pick(90), bands = pick(5) ? 3 : 1;
	bytes file = damage(written(width, height, bands));
	int32_t stop = 0;
	sl_jpeg_scale scales[4];
	int n = 0;
	for (int shrink = 1; shrink <= 8; shrink *= 2) {
		int w = width / shrink, h = height / shrink;
		if (!w || !h)
			continue;
		int by_libjpeg = pick(2);
		scales[n] = (sl_jpeg_scale){ shrink, w, h, made((size_t) w * h * bands) };
		sl_jpeg_decode(file.data, file.size, bands, &scales[n++], 1, &by_libjpeg, &stop);
		if (bands != 3)
			continue;
		int to_width = 1 + pick(w), to_height = 1 + pick(h);
		uint8_t *small = made((size_t) to_width * to_height * 3);
		sl_jpeg_scaling rows = { file.data, file.size, 3, shrink, w, h, &stop };
		sl_jpeg_reduction as = { rows, { 0, 0, w, h }, to_width, to_height, pick(2) ? sl_avx2 : sl_plain };
		by_libjpeg = pick(2);
		sl_jpeg_reduce(&as, small, &by_libjpeg);
		free(small);
	}
	int by_libjpeg = pick(2);
	if (n > 0)
		sl_jpeg_decode(file.data, file.size, bands, scales, n, &by_libjpeg, &stop);
	while (n > 0)
		free(scales[--n].out);
	free(file.data);
}

static void jpeg_encoder(void)
{
	int width = 1 + pick(90), height = 1 + pick(90), bands = pick(2) ? 3 : 1;
	uint8_t *pixels = painted(width, height, bands);
	int32_t stop = 0;
	size_t size;
	free(sl_jpeg_encode(pixels, width, height, bands, 1 + pick(100), &size, &stop));
	free(pixels);
}

static void png(void)
{
	int pixel = 1 + pick(4);
	size_t row = (1 + pick(60)) * pixel, height = 1 + pick(60), size = 0;
	int32_t stop = 0;
	uint8_t *pixels = painted(row / pixel, height, pixel);
	uint8_t *file = sl_png_deflate(pixels, row, height, pixel, pick(2), pick(13), &size, &stop);
	free(pixels);
	if (!file)
		return;
	bytes data = damage((bytes){ file, size });
	uint8_t *rows = made((row + 1) * height);
	if (!sl_png_inflate(data.data, data.size, rows, (row + 1) * height)) {
		for (size_t y = 0; y < height && pick(2); y++)
			rows[y * (row + 1)] = pick(6);
		sl_png_unfilter(rows, row, height, pixel, pick(2));
	}
	free(rows);
	free(data.data);
}

static void webp(void)
{
	int width = 2 + pick(90), height = 2 + pick(90), bands = 3 + pick(2);
	uint8_t *pixels = painted(width, height, bands);
	sl_webp_encoder as = { pick(101), pick(3), pick(4) == 0, pick(2) };
	int32_t stop = 0;
	size_t size = 0;
	uint8_t *file = sl_webp_encode(pixels, width, height, bands, &as, &size, &stop);
	free(pixels);
	if (!file)
		return;
	bytes copy = { made(size), size };
	memcpy(copy.data, file, size);
	WebPFree(file);
	copy = damage(copy);
	int to_width = 1 + pick(width / 2), to_height = 1 + pick(height / 2);
	uint8_t *out = made((size_t) to_width * to_height * 3);
	sl_webp_reduce(copy.data, copy.size, width, height, out, to_width, to_height, &stop, pick(2) ? sl_avx2 : sl_plain);
	free(out);
	out = made((size_t) to_width * to_height * bands);
	sl_webp_decode(copy.data, copy.size, width, height, bands, out, to_width, to_height, &stop);
	free(out);
	free(copy.data);
}

static void scaler(void)
{
	int width = 1 + pick(300), height = 1 + pick(300), bands = 3 + pick(2);
	int to_width = 1 + pick(width), to_height = 1 + pick(height);
	uint8_t *pixels = painted(width, height, bands), *out = made((size_t) to_width * to_height * bands);
	sl_region part = { (int) pick(3) - 1, (int) pick(3) - 1, width, height, pick(2) };
	int32_t stop = 0;
	sl_reduce(pixels, width, height, bands, out, part, to_width, to_height, &stop, pick(2) ? sl_avx2 : sl_plain);
	free(out);
	free(pixels);
}

// report prints the number of the current picture, because sanitizers end the program with abort.
static void report(int signal)
{
	char text[64];
	int n = snprintf(text, sizeof text, "picture %llu\n", (unsigned long long) number);
	if (write(2, text, n) < 0) {} // nothing can be done about an error
	_exit(1);
}

int main(int argc, char **argv)
{
	static void (*const targets[])(void) = { jpeg, jpeg, jpeg, jpeg_encoder, png, webp, scaler };
	double seconds = argc > 1 ? atof(argv[1]) : 10;
	number = argc > 2 ? strtoull(argv[2], NULL, 10) : 0;
	uint64_t first = number;
	time_t began = time(NULL);
	signal(SIGABRT, report);
	do {
		state = number;
		targets[number % (sizeof targets / sizeof *targets)]();
		number++;
	} while (difftime(time(NULL), began) < seconds);
	printf("%llu pictures\n", (unsigned long long) (number - first));
	return 0;
}
