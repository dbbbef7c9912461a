//go:build ignore

// The bare libvips limit: what a job costs without a server around it. Compiled by the benchmark
// when it runs. Arguments are name=value:
//
//	bare version
//	bare loop source= width= height= mode=fit|crop|meta save=.jpg[Q=80] frames=0|1 how= room= threads= seconds= out=
//	    runs the job in threads for that long, or with count that many times in each, from memory; prints one line of JSON. how is steps
//	    (what Safelight does, JPEGs decoded at room times the target or larger) or thumbnail
//	    (libvips' own vips_thumbnail). With out, does it once and writes the file instead.
//	bare reference source= width= height= mode= frames= gap= out=
//	    full decode, float, one resize; gap=0 is Lanczos alone, 2 is what vips_resize does.
//	bare pixels source= frames= out=
//	    decodes. The last two write "width height pages\n" and RGBA bytes.
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>
#include <vips/vips.h>

// The engine's own operations: image_alpha.c and library_orc.c of imaging/vips and decode_webp.c of imaging/pixels
// are compiled in.
#include "../pixels/decode_webp.h"
#include "sl_image.h"
#include "sl_library.h"

typedef struct {
	const char *source, *mode, *save, *how, *out;
	int width, height, frames, threads, count;
	double room, gap, seconds;
} Job;

static Job job = { "", "fit", ".png", "steps", "", 0, 0, 0, 1, 0, 1.49, 2, 1 };
static void *data;
static size_t size;

static void fail(const char *what)
{
	fprintf(stderr, "bare: %s: %s\n", what, vips_error_buffer());
	exit(1);
}

// plan computes the scaled size; crop covers the box; fit stays within it and does not enlarge.
static void plan(int w, int h, int *width, int *height)
{
	double x = (double) job.width / w, y = (double) job.height / h;
	double scale = strcmp(job.mode, "crop") == 0 ? VIPS_MAX(x, y) : VIPS_MIN(1, VIPS_MIN(x, y));
	*width = VIPS_MAX(1, (int) round(w * scale));
	*height = VIPS_MAX(1, (int) round(h * scale));
}

// step replaces the image with the result of an operation.
static int step(VipsImage **image, VipsImage *made, int err)
{
	if (err)
		return -1;
	g_object_unref(*image);
	*image = made;
	return 0;
}

#define RUN(call) do { VipsImage *next = NULL; int bad = (call); if (step(&image, next, bad)) { g_object_unref(image); return NULL; } } while (0)

static VipsImage *memory(VipsImage *image)
{
	RUN((next = vips_image_copy_memory(image)) ? 0 : -1);
	return image;
}

static VipsImage *scale(VipsImage *image, int width, int height, double gap)
{
	RUN(vips_resize(image, &next, (double) width / image->Xsize, "vscale", (double) height / image->Ysize, "gap", gap, NULL));
	return image;
}

// resize scales one frame with premultiplied alpha.
static VipsImage *resize(VipsImage *image, int width, int height)
{
	int alpha = vips_image_hasalpha(image);
	if (image->Xsize == width && image->Ysize == height)
		return image;
	if (alpha)
		RUN(sl_premultiply(image, &next));
	if (!(image = scale(image, width, height, 2)))
		return NULL;
	if (alpha)
		RUN(sl_unpremultiply(image, &next));
	return image;
}

// animate scales every frame, in one pass. libvips mixes pixels across the borders of frames, but a correct result
// would take just as long.
static VipsImage *animate(VipsImage *image, int page, int width, int height)
{
	int alpha = vips_image_hasalpha(image);
	if (alpha)
		RUN(sl_premultiply(image, &next));
	RUN(vips_resize(image, &next, (double) width / image->Xsize, "vscale", (double) height / page, NULL));
	vips_image_set_int(image, VIPS_META_PAGE_HEIGHT, height);
	if (alpha)
		RUN(sl_unpremultiply(image, &next));
	return image;
}

static int orientation(VipsImage *image)
{
	int n = 1;
	if (vips_image_get_typeof(image, VIPS_META_ORIENTATION))
		vips_image_get_int(image, VIPS_META_ORIENTATION, &n);
	return n;
}

static VipsImage *load(const char *options)
{
	VipsImage *image = vips_image_new_from_buffer(data, size, options, "access", VIPS_ACCESS_SEQUENTIAL, NULL);
	return image;
}

// shrunk decodes the file again at a reduced scale, but leaves the head-room that imaging/plan_load.go chooses.
static VipsImage *shrunk(VipsImage *image, const char *loader, int width, int height, double factor)
{
	int shrink = 1, never = 0;
	if (strstr(loader, "Webp") && !job.frames) {
		shrink = VIPS_MAX(1, (int) VIPS_MIN(image->Xsize / (2 * width), image->Ysize / (2 * height)));
		VipsImage *next = vips_image_new_memory();
		vips_image_init_fields(next, (image->Xsize + shrink / 2) / shrink, (image->Ysize + shrink / 2) / shrink, image->Bands, VIPS_FORMAT_UCHAR,
			VIPS_CODING_NONE, VIPS_INTERPRETATION_sRGB, 1, 1);
		int err = vips_image_write_prepare(next) ||
			sl_webp_decode(data, size, image->Xsize, image->Ysize, image->Bands, VIPS_IMAGE_ADDR(next, 0, 0), next->Xsize, next->Ysize, &never);
		g_object_unref(image);
		if (err)
			return NULL;
		image = next;
	} else if (strstr(loader, "Jpeg")) {
		for (shrink = 8; shrink > 1 && factor * shrink * job.room > 1; shrink /= 2)
			;
		if (shrink > 1) {
			char options[32];
			snprintf(options, sizeof(options), "shrink=%d", shrink);
			RUN((next = load(options)) ? 0 : -1);
		}
	}
	return image;
}

// steps is the pipeline of imaging/vips for a resize.
static VipsImage *steps(void)
{
	VipsImage *image = load(job.frames ? "n=-1" : "");
	int width, height;
	if (!image)
		return NULL;
	int turned = orientation(image) == 6, page = vips_image_get_page_height(image);
	plan(turned ? page : image->Xsize, turned ? image->Xsize : page, &width, &height);
	double factor = (double) width / (turned ? page : image->Xsize);
	const char *loader = vips_foreign_find_load_buffer(data, size);
	if (!(image = shrunk(image, loader ? loader : "", turned ? height : width, turned ? width : height, factor)))
		return NULL;
	if (turned) {
		if (!(image = memory(image)))
			return NULL;
		RUN(vips_rot90(image, &next, NULL));
	}
	if (page < image->Ysize && job.frames)
		return animate(image, page, width, height);
	if (!(image = resize(image, width, height)))
		return NULL;
	if (strcmp(job.mode, "crop") == 0)
		RUN(vips_extract_area(image, &next, (width - job.width) / 2, (height - job.height) / 2, job.width, job.height, NULL));
	return image;
}

static VipsImage *thumbnail(void)
{
	VipsImage *image;
	if (vips_thumbnail_buffer(data, size, &image, job.width, "height", job.height,
		"option_string", job.frames ? "n=-1" : "", "size", VIPS_SIZE_DOWN,
		"crop", strcmp(job.mode, "crop") == 0 ? VIPS_INTERESTING_CENTRE : VIPS_INTERESTING_NONE, NULL))
		return NULL;
	return image;
}

static int once(void **answer, size_t *length)
{
	*answer = NULL;
	*length = 0;
	VipsImage *image = strcmp(job.mode, "meta") == 0 ? load("") : strcmp(job.how, "thumbnail") == 0 ? thumbnail() : steps();
	if (!image)
		return -1;
	int err = 0;
	if (strcmp(job.mode, "meta") != 0) {
		// The encoders of WebP and AVIF read rows more than once.
		if (!strstr(job.save, ".jpg") && !strstr(job.save, ".png"))
			image = memory(image);
		err = !image || vips_image_write_to_buffer(image, job.save, answer, length, NULL);
	}
	if (image)
		g_object_unref(image);
	return err ? -1 : 0;
}

static double now(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec + t.tv_nsec / 1e9;
}

static double cpu(void)
{
	struct rusage r;
	getrusage(RUSAGE_SELF, &r);
	return r.ru_utime.tv_sec + r.ru_stime.tv_sec + (r.ru_utime.tv_usec + r.ru_stime.tv_usec) / 1e6;
}

// peak returns the peak memory of this process; getrusage would count the parent's before exec.
static long peak(void)
{
	char line[128];
	long kib = 0;
	FILE *f = fopen("/proc/self/status", "r");
	while (f && fgets(line, sizeof(line), f))
		sscanf(line, "VmHWM: %ld", &kib);
	if (f)
		fclose(f);
	return kib * 1024;
}

typedef struct {
	pthread_t thread;
	double *took;
	int n, room;
	size_t bytes;
} Worker;

static pthread_barrier_t ready, go;
static double end;

static void *work(void *arg)
{
	Worker *w = arg;
	void *answer;
	if (once(&answer, &w->bytes)) // warm-up
		fail(job.source);
	g_free(answer);
	pthread_barrier_wait(&ready);
	pthread_barrier_wait(&go);
	for (double began = now(); job.count > 0 ? w->n < job.count : began < end; ) {
		if (once(&answer, &w->bytes))
			fail(job.source);
		g_free(answer);
		double t = now();
		if (w->n == w->room)
			w->took = realloc(w->took, (w->room = w->room * 2 + 64) * sizeof(double));
		w->took[w->n++] = t - began;
		began = t;
	}
	vips_thread_shutdown();
	return NULL;
}

static void loop(void)
{
	Worker *workers = calloc(job.threads, sizeof(Worker));
	int n = 0;
	pthread_barrier_init(&ready, NULL, job.threads + 1);
	pthread_barrier_init(&go, NULL, job.threads + 1);
	for (int i = 0; i < job.threads; i++)
		pthread_create(&workers[i].thread, NULL, work, &workers[i]);
	pthread_barrier_wait(&ready);
	double began = now(), used = cpu();
	end = began + job.seconds;
	pthread_barrier_wait(&go);
	for (int i = 0; i < job.threads; i++)
		pthread_join(workers[i].thread, NULL);
	double seconds = now() - began;
	used = cpu() - used;
	for (int i = 0; i < job.threads; i++)
		n += workers[i].n;
	printf("{\"requests\":%d,\"seconds\":%.6f,\"cpu\":%.6f,\"rss\":%ld,\"bytes\":%zu,\"took\":[",
		n, seconds, used, peak(), workers[0].bytes);
	const char *comma = "";
	for (int i = 0; i < job.threads; i++)
		for (int k = 0; k < workers[i].n; k++, comma = ",")
			printf("%s%.0f", comma, workers[i].took[k] * 1e6);
	printf("]}\n");
}

// reference makes the picture with which results are compared.
static VipsImage *reference(void)
{
	VipsImage *image = vips_image_new_from_buffer(data, size, job.frames ? "n=-1" : "", NULL);
	int width, height, page;
	if (!image)
		return NULL;
	page = vips_image_get_page_height(image);
	if (!job.frames || page == image->Ysize) {
		RUN(vips_autorot(image, &next, NULL));
		page = image->Ysize;
	}
	plan(image->Xsize, page, &width, &height);
	VipsImage *frames[256];
	int n = VIPS_MIN(image->Ysize / page, 256), alpha = vips_image_hasalpha(image);
	VipsImage *all = image;
	for (int i = 0; i < n; i++) {
		if (vips_extract_area(all, &image, 0, i * page, all->Xsize, page, NULL))
			return NULL;
		if (alpha)
			RUN(vips_premultiply(image, &next, NULL));
		else
			RUN(vips_cast_float(image, &next, NULL));
		if (!(image = scale(image, width, height, job.gap)))
			return NULL;
		if (alpha)
			RUN(vips_unpremultiply(image, &next, NULL));
		RUN(vips_rint(image, &next, NULL));
		RUN(vips_cast_uchar(image, &next, NULL));
		if (strcmp(job.mode, "crop") == 0)
			RUN(vips_extract_area(image, &next, (width - job.width) / 2, (height - job.height) / 2, job.width, job.height, NULL));
		frames[i] = image;
	}
	page = frames[0]->Ysize;
	if (vips_arrayjoin(frames, &image, n, "across", 1, NULL))
		return NULL;
	RUN(vips_copy(image, &next, NULL));
	vips_image_set_int(image, VIPS_META_PAGE_HEIGHT, page);
	return image;
}

static VipsImage *pixels(void)
{
	VipsImage *image = vips_image_new_from_buffer(data, size, job.frames ? "n=-1" : "", NULL);
	if (!image)
		return NULL;
	if (vips_image_get_page_height(image) == image->Ysize)
		RUN(vips_autorot(image, &next, NULL));
	return image;
}

static VipsImage *rgba(VipsImage *image)
{
	int page = vips_image_get_page_height(image);
	RUN(vips_colourspace(image, &next, VIPS_INTERPRETATION_sRGB, NULL));
	if (!vips_image_hasalpha(image))
		RUN(vips_addalpha(image, &next, NULL));
	RUN(vips_cast_uchar(image, &next, NULL));
	RUN(vips_copy(image, &next, NULL));
	vips_image_set_int(image, VIPS_META_PAGE_HEIGHT, page);
	return image;
}

static void dump(VipsImage *image)
{
	size_t length;
	if (!image || !(image = rgba(image)))
		fail(job.source);
	void *bytes = vips_image_write_to_memory(image, &length);
	FILE *f = fopen(job.out, "wb");
	if (!bytes || !f)
		fail(job.out);
	fprintf(f, "%d %d %d\n", image->Xsize, vips_image_get_page_height(image), image->Ysize / vips_image_get_page_height(image));
	fwrite(bytes, 1, length, f);
	fclose(f);
}

static void argument(const char *text)
{
	char name[16];
	const char *value = strchr(text, '=');
	if (!value || value - text >= (long) sizeof(name))
		fail(text);
	memcpy(name, text, value - text);
	name[value++ - text] = 0;
	struct { const char *name, **text; int *number; double *real; } table[] = {
		{ "source", &job.source }, { "mode", &job.mode }, { "save", &job.save }, { "how", &job.how }, { "out", &job.out },
		{ "width", NULL, &job.width }, { "height", NULL, &job.height }, { "frames", NULL, &job.frames },
		{ "threads", NULL, &job.threads }, { "count", NULL, &job.count }, { "room", NULL, NULL, &job.room }, { "gap", NULL, NULL, &job.gap },
		{ "seconds", NULL, NULL, &job.seconds },
	};
	for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++) {
		if (strcmp(table[i].name, name) != 0)
			continue;
		if (table[i].text)
			*table[i].text = value;
		else if (table[i].number)
			*table[i].number = atoi(value);
		else
			*table[i].real = atof(value);
		return;
	}
	fail(text);
}

int main(int argc, char **argv)
{
	if (VIPS_INIT(argv[0]))
		fail("start");
	vips_concurrency_set(1);
	vips_cache_set_max(0);
	// Without the lock of library_orc.c, threads that resize at once corrupt the heap now and then.
	if (!sl_orc_guarded())
		fail("Orc has no lock");
	if (argc < 2 || strcmp(argv[1], "version") == 0) {
		printf("%s\n", vips_version_string());
		return 0;
	}
	for (int i = 2; i < argc; i++)
		argument(argv[i]);
	if (!g_file_get_contents(job.source, (char **) &data, &size, NULL))
		fail(job.source);
	if (strcmp(argv[1], "reference") == 0)
		dump(reference());
	else if (strcmp(argv[1], "pixels") == 0)
		dump(pixels());
	else if (*job.out) {
		void *answer;
		size_t length;
		if (once(&answer, &length))
			fail(job.source);
		if (!g_file_set_contents(job.out, answer, length, NULL))
			fail(job.out);
	} else
		loop();
	return 0;
}
