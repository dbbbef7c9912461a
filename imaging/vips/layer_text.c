#include <vips/vips.h>

#include "sl_layer.h"

// Pango sorts fonts in threads of its own. When the resolution of a font map changes, Pango frees the map's tables,
// while such a thread may still be reading them: the process ends with SIGFPE or SIGSEGV
// (docs/contributing/decisions/0003). libvips sets the resolution of the thread's font map before each text. It is
// always the same here, and only the font size determines the size of the text.
enum { sl_dpi = 72 };

int sl_text(
	VipsImage **out, const char *markup, const char *font, int width, int align, int justify, int wrap, int spacing)
{
	// libvips 8.14 rejects a width of 0, which means no limit.
	if (width == 0)
		return vips_text(out, markup, "font", font, "align", align, "justify", justify,
			"spacing", spacing, "dpi", sl_dpi, NULL);
	return vips_text(out, markup, "font", font, "width", width, "align", align, "justify", justify,
		"wrap", wrap, "spacing", spacing, "dpi", sl_dpi, NULL);
}

int sl_load_font(const char *path)
{
	VipsImage *out;
	if (vips_text(&out, "a", "font", "sans 8", "fontfile", path, "dpi", sl_dpi, NULL))
		return -1;
	g_object_unref(out);
	return 0;
}
