#include "library.h"

#ifdef __GLIBC__
#include <malloc.h>
#endif

static void sl_quiet(const gchar *domain, GLogLevelFlags level, const gchar *message, gpointer data) {}

void sl_setup(int concurrency)
{
#ifdef __GLIBC__
	// As many heaps as threads is glibc's way, and costs twice the memory.
	mallopt(M_ARENA_MAX, 2);
#endif
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

int sl_has_operation(const char *name)
{
	return vips_type_find("VipsOperation", name) != 0;
}
