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
