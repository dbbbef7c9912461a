// Settings of the library as a whole, and what this build of it can do.
#ifndef SL_LIBRARY_H
#define SL_LIBRARY_H

#include <vips/vips.h>

// sl_setup blocks the loaders that are not safe with strangers' files, but for those of our own
// list, and silences libvips' warnings on stderr.
void sl_setup(int concurrency);
int sl_has_operation(const char *name);

#endif
