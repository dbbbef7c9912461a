// Reading: sources and loaders.
#ifndef SL_DECODE_H
#define SL_DECODE_H

#include "sl_types.h"

VipsSource *sl_source_memory(const void *data, size_t size);
// sl_source_stoppable is sl_source_memory, but reading ends with an error once *stop is not 0. stop and data must
// outlive the source.
VipsSource *sl_source_stoppable(const void *data, size_t size, int *stop);
// sl_source_reader makes a source that reads from the Go reader of that handle.
VipsSource *sl_source_reader(uintptr_t handle);
void sl_source_unref(VipsSource *source);

// sl_run sets the options and runs the operation, whose reference it takes over. It returns the finished operation;
// NULL if it fails.
VipsOperation *sl_run(VipsOperation *operation, const char *options);

// sl_load runs the loader of that name; options are libvips' own "name=value,name=value".
int sl_load(const char *loader, VipsSource *source, const char *options, VipsImage **out);

#endif
