// Reading and writing: sources, loaders, savers.
#ifndef SL_LOAD_H
#define SL_LOAD_H

#include "types.h"

VipsSource *sl_source_memory(const void *data, size_t size);
// sl_source_stoppable is sl_source_memory, but reading ends with an error once *stop is not 0. stop and data must outlive the source.
VipsSource *sl_source_stoppable(const void *data, size_t size, int *stop);
// sl_source_reader makes a source that asks the Go reader of that handle.
VipsSource *sl_source_reader(uintptr_t handle);
void sl_source_unref(VipsSource *source);

// sl_load runs the loader of that name; options are libvips' own "name=value,name=value".
int sl_load(const char *loader, VipsSource *source, const char *options, VipsImage **out);
// sl_from_bytes copies width x height x bands bytes of sRGB.
int sl_from_bytes(const void *data, int width, int height, int bands, VipsImage **out);
// sl_save runs the saver of that name; the caller unrefs the blob. A bare file has neither
// metadata nor profile.
int sl_save(VipsImage *in, const char *saver, const char *options, int bare, VipsBlob **out);
// sl_save_watched is sl_save for a saver into a target, which ends with an error soon after *stop is not 0: an
// encoder that takes long over the rows it was given notices when it writes what it has made of them.
int sl_save_watched(VipsImage *in, const char *saver, const char *options, int bare, int *stop, VipsBlob **out);
const void *sl_blob_data(VipsBlob *blob, size_t *size);
void sl_blob_unref(VipsBlob *blob);

#endif
