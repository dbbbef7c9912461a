#include <vips/vips.h>

#include "load_pixels.h"
#include "meta.h"

char **sl_fields(VipsImage *in) { return vips_image_get_fields(in); }

char *sl_get_text(VipsImage *in, const char *name)
{
	char *text = NULL;
	if (!vips_image_get_typeof(in, name) || vips_image_get_as_string(in, name, &text))
		return NULL;
	return text;
}

const void *sl_get_blob(VipsImage *in, const char *name, size_t *size)
{
	const void *data = NULL;
	if (!vips_image_get_typeof(in, name) || vips_image_get_blob(in, name, &data, size))
		return NULL;
	return data;
}

const int *sl_get_ints(VipsImage *in, const char *name, int *n)
{
	int *values = NULL;
	if (!vips_image_get_typeof(in, name) || vips_image_get_array_int(in, name, &values, n))
		return NULL;
	return values;
}

int sl_own_header(VipsImage *in, VipsImage **out) { return sl_alias(in, out); }

void sl_remove(VipsImage *in, const char *name) { vips_image_remove(in, name); }

void sl_set_ints(VipsImage *in, const char *name, const int *values, int n)
{
	vips_image_set_array_int(in, name, values, n);
}

void sl_set_blob(VipsImage *in, const char *name, const void *data, size_t size)
{
	vips_image_set_blob_copy(in, name, data, size);
}
