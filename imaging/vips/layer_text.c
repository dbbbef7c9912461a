#include <pango/pangocairo.h>
#include <vips/vips.h>

#include "layer.h"

// Pango sorts fonts in threads of its own. When the resolution of a font map changes, Pango frees the map's tables,
// while such a thread may still be reading them: the process ends with SIGFPE or SIGSEGV
// (docs/contributing/decisions/0003). libvips sets the resolution of the thread's default font map before each text,
// and for each size that it tries for a label. So each text and each size gets its own font map here, which already has
// the resolution that libvips sets. Threads that outlive the text keep the map alive.
static PangoFontMap *sl_font_map(int dpi)
{
	PangoFontMap *map = pango_cairo_font_map_new();
	pango_cairo_font_map_set_resolution(PANGO_CAIRO_FONT_MAP(map), dpi);
	return map;
}

char **sl_font_families(void)
{
	PangoFontMap *map = pango_cairo_font_map_new();
	PangoFontFamily **families = NULL;
	int count = 0;
	pango_font_map_list_families(map, &families, &count);

	char **names = g_new0(char *, count + 1);
	for (int i = 0; i < count; i++)
		names[i] = g_strdup(pango_font_family_get_name(families[i]));

	g_free(families);
	g_object_unref(map);
	return names;
}

static int sl_draw_text(VipsImage **out, const char *markup, const char *font, int width, int align, int justify,
	int wrap, int spacing, int dpi)
{
	// libvips 8.14 refuses a width of 0, which stands for none
	if (width == 0)
		return vips_text(out, markup, "font", font, "align", align, "justify", justify,
			"spacing", spacing, "dpi", dpi, NULL);
	return vips_text(out, markup, "font", font, "width", width, "align", align, "justify", justify,
		"wrap", wrap, "spacing", spacing, "dpi", dpi, NULL);
}

int sl_text(VipsImage **out, const char *markup, const char *font, int width, int align, int justify, int wrap, int spacing, int dpi)
{
	PangoFontMap *map = sl_font_map(dpi);
	pango_cairo_font_map_set_default(PANGO_CAIRO_FONT_MAP(map));
	int err = sl_draw_text(out, markup, font, width, align, justify, wrap, spacing, dpi);
	pango_cairo_font_map_set_default(NULL);
	g_object_unref(map);
	return err;
}

// sl_fits reports whether the ink of the text fits into width x height at that resolution.
static int sl_fits(const char *markup, const char *font, int width, int height, int dpi)
{
	PangoFontMap *map = sl_font_map(dpi);
	PangoContext *context = pango_font_map_create_context(map);
	PangoLayout *layout = pango_layout_new(context);
	PangoFontDescription *description = pango_font_description_from_string(font);
	PangoRectangle ink;

	pango_layout_set_markup(layout, markup, -1);
	pango_layout_set_font_description(layout, description);
	pango_layout_get_pixel_extents(layout, &ink, NULL);

	pango_font_description_free(description);
	g_object_unref(layout);
	g_object_unref(context);
	g_object_unref(map);
	return ink.width <= width && ink.height <= height;
}

enum { sl_least_dpi = 2, sl_most_dpi = 18432 };

int sl_label(VipsImage **out, const char *markup, const char *font, int width, int height)
{
	int dpi = 72, first = sl_fits(markup, font, width, height, dpi), fits = first, low = dpi, high = dpi;
	while (fits == first) {
		int next = first ? 2 * dpi : dpi / 2;
		if (next < sl_least_dpi || next > sl_most_dpi)
			return sl_text(out, markup, font, 0, 0, 0, 0, 0, dpi);
		low = first ? dpi : next;
		high = first ? next : dpi;
		dpi = next;
		fits = sl_fits(markup, font, width, height, dpi);
	}

	while (high - low > 1) {
		int middle = (low + high) / 2;
		if (sl_fits(markup, font, width, height, middle))
			low = middle;
		else
			high = middle;
	}
	return sl_text(out, markup, font, 0, 0, 0, 0, 0, low);
}
