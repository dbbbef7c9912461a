#include <vips/vips.h>

#include "library.h"

static void sl_quiet(const gchar *domain, GLogLevelFlags level, const gchar *message, gpointer data) {}

void sl_setup(int concurrency)
{
	vips_concurrency_set(concurrency);
	vips_block_untrusted_set(TRUE);
	// These are reached only through our own table of loaders, after checks of their own.
	vips_operation_block_set("VipsForeignLoadSvg", FALSE);
	vips_operation_block_set("VipsForeignLoadPdf", FALSE);
	vips_operation_block_set("VipsForeignLoadJxl", FALSE);
	vips_operation_block_set("VipsForeignLoadJp2k", FALSE);
	vips_operation_block_set("VipsForeignSaveJxl", FALSE);
	vips_operation_block_set("VipsForeignSaveJp2k", FALSE);
	g_log_set_handler("VIPS", G_LOG_LEVEL_WARNING, sl_quiet, NULL);
}

char *sl_error(void) { return vips_error_buffer_copy(); }
void sl_clear_error(void) { vips_error_clear(); }
void sl_end_thread(void) { vips_thread_shutdown(); }
int sl_open_files(void) { return vips_tracked_get_files(); }
void sl_free(void *data) { g_free(data); }
void sl_free_list(char **list) { g_strfreev(list); }
