#define _GNU_SOURCE
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include <vips/vips.h>
#include <vips/vector.h>

#include "sl_library.h"

static void sl_quiet(const gchar *domain, GLogLevelFlags level, const gchar *message, gpointer data) {}

#ifdef __GLIBC__
// sl_is_noise recognizes the log lines of libjxl, and of dav1d in libheif's plugin.
static int sl_is_noise(const char *line, size_t length)
{
	static const char dav1d[] = "Error parsing ";
	return memmem(line, length, "lib/jxl/", 8) || (length > sizeof dav1d && !memcmp(line, dav1d, sizeof dav1d - 1));
}

// sl_write_lines writes to stderr all lines that are not noise.
static ssize_t sl_write_lines(void *cookie, const char *text, size_t size)
{
	for (const char *at = text, *end = text + size; at < end;) {
		const char *newline = memchr(at, '\n', end - at);
		size_t length = (newline ? newline + 1 : end) - at;
		if (!sl_is_noise(at, length) && write(STDERR_FILENO, at, length) < 0)
			break;
		at += length;
	}
	return size;
}
#endif

// libjxl and dav1d of some distributions report every broken file on C's stderr, and this cannot be turned off. Go
// does not write through C's stderr.
static void sl_quiet_stderr(void)
{
#ifdef __GLIBC__
	FILE *lines = fopencookie(NULL, "w", (cookie_io_functions_t){.write = sl_write_lines});
	if (lines) {
		setvbuf(lines, NULL, _IOLBF, 0);
		stderr = lines;
	}
#endif
}

void sl_setup(void)
{
	vips_concurrency_set(1); // best under load; Limits.Threads sets more for one picture
	if (!sl_orc_guarded())
		vips_vector_set_enabled(FALSE);
	vips_block_untrusted_set(TRUE);
	// These are reached only through our own table of loaders, after checks of their own.
	vips_operation_block_set("VipsForeignLoadSvg", FALSE);
	vips_operation_block_set("VipsForeignLoadPdf", FALSE);
	vips_operation_block_set("VipsForeignLoadJxl", FALSE);
	vips_operation_block_set("VipsForeignLoadJp2k", FALSE);
	vips_operation_block_set("VipsForeignSaveJxl", FALSE);
	vips_operation_block_set("VipsForeignSaveJp2k", FALSE);
	g_log_set_handler("VIPS", G_LOG_LEVEL_WARNING, sl_quiet, NULL);
	sl_quiet_stderr();
}

const char *sl_version(void) { return vips_version_string(); }

const char *sl_library_file(void)
{
	Dl_info info;
	return dladdr((void *) dlsym(RTLD_DEFAULT, "vips_image_new"), &info) && info.dli_fname ? info.dli_fname : "";
}

char *sl_error(void) { return vips_error_buffer_copy(); }
void sl_clear_error(void) { vips_error_clear(); }
void sl_end_thread(void) { vips_thread_shutdown(); }
int sl_open_files(void) { return vips_tracked_get_files(); }
void sl_free(void *data) { g_free(data); }
void sl_free_list(char **list) { g_strfreev(list); }

static void *sl_wait(void *gate)
{
	pthread_mutex_lock(gate);
	pthread_mutex_unlock(gate);
	return NULL;
}

int sl_can_start_threads(int n)
{
	enum { most = 64, stack = 1 << 20 };
	pthread_t threads[most];
	pthread_mutex_t gate = PTHREAD_MUTEX_INITIALIZER;
	pthread_attr_t attr;
	int started = 0;
	n = n < most ? n : most;
	if (pthread_attr_init(&attr))
		return 0;
	pthread_attr_setstacksize(&attr, stack); // workers have larger ones, which count as memory
	pthread_mutex_lock(&gate); // until all of them have started
	while (started < n && !pthread_create(&threads[started], &attr, sl_wait, &gate))
		started++;
	pthread_mutex_unlock(&gate);
	for (int i = 0; i < started; i++)
		pthread_join(threads[i], NULL);
	pthread_attr_destroy(&attr);
	return started == n;
}
