// Savers, and what happens to pixels right before an encoder gets them.
#ifndef SL_ENCODE_H
#define SL_ENCODE_H

#include "sl_types.h"

// sl_one_band makes a gray image of an RGB image whose bands are equal: it keeps one of them, and the alpha.
int sl_one_band(VipsImage *in, VipsImage **out);
// sl_spread gives fully transparent pixels the colors of the visible pixels around them. The image has 4 bands of 8
// bits.
int sl_spread(VipsImage *in, VipsImage **out);

// sl_save runs the saver of that name; the caller unrefs the blob. A bare file has neither
// metadata nor profile.
int sl_save(VipsImage *in, const char *saver, const char *options, int bare, VipsBlob **out);
// sl_save_watched is sl_save for a saver that writes into a target. It fails soon after *stop is not 0: the target,
// too, looks at it, because an encoder may work for long after it has read the last row.
int sl_save_watched(VipsImage *in, const char *saver, const char *options, int bare, int *stop, VipsBlob **out);
const void *sl_blob_data(VipsBlob *blob, size_t *size);
void sl_blob_unref(VipsBlob *blob);

#endif
