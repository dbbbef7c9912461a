// What happens to pixels right before an encoder gets them.
#ifndef SL_SAVE_H
#define SL_SAVE_H

#include "types.h"

// sl_one_band keeps the second of three bands, green, and the alpha.
int sl_one_band(VipsImage *in, VipsImage **out);
// sl_spread gives every wholly transparent pixel the color of the nearest visible ones. The image has 4 bands of 8 bits
// and is in memory.
int sl_spread(VipsImage *in, VipsImage **out);

#endif
