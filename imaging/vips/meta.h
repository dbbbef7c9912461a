// What a header carries beside its pixels.
#ifndef SL_META_H
#define SL_META_H

#include "types.h"

// sl_fields returns the names of all fields, to be freed with sl_free_list.
char **sl_fields(VipsImage *in);
// sl_get_text returns the field's text, to be freed with sl_free; NULL when it has none.
char *sl_get_text(VipsImage *in, const char *name);
// sl_get_blob points at the field's bytes, which the image keeps; NULL when there are none.
const void *sl_get_blob(VipsImage *in, const char *name, size_t *size);
// sl_get_ints points at the field's numbers, which the image keeps; NULL when there are none.
const int *sl_get_ints(VipsImage *in, const char *name, int *n);

// sl_own_header makes a copy whose fields may be changed by the functions below.
int sl_own_header(VipsImage *in, VipsImage **out);
void sl_remove(VipsImage *in, const char *name);
void sl_set_ints(VipsImage *in, const char *name, const int *values, int n);
void sl_set_blob(VipsImage *in, const char *name, const void *data, size_t size);

#endif
