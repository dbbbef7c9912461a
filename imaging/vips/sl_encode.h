// Savers, and what happens to pixels right before an encoder gets them.
#ifndef SL_ENCODE_H
#define SL_ENCODE_H

#include "sl_types.h"

// sl_one_band keeps the second of three bands, green, and the alpha.
int sl_one_band(VipsImage *in, VipsImage **out);
// sl_spread gives every wholly transparent pixel the color of the nearest visible ones. The image has 4 bands of 8 bits
// and is in memory.
int sl_spread(VipsImage *in, VipsImage **out);

// sl_save runs the saver of that name; the caller unrefs the blob. A bare file has neither
// metadata nor profile.
int sl_save(VipsImage *in, const char *saver, const char *options, int bare, VipsBlob **out);
// sl_save_watched is sl_save for a saver into a target, which ends with an error soon after *stop is not 0: an
// encoder that takes long over the rows it was given notices when it writes what it has made of them.
int sl_save_watched(VipsImage *in, const char *saver, const char *options, int bare, int *stop, VipsBlob **out);
const void *sl_blob_data(VipsBlob *blob, size_t *size);
void sl_blob_unref(VipsBlob *blob);

#endif
