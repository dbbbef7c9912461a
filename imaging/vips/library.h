// Settings of the library as a whole.
#ifndef SL_LIBRARY_H
#define SL_LIBRARY_H

#include <vips/vips.h>

// sl_setup blocks the loaders that are not safe with strangers' files, but for those of our own
// list, and silences libvips' warnings on stderr.
void sl_setup(int concurrency);

#endif
