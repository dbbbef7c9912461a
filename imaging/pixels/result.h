// Results of functions that decode, scale or encode.
#ifndef SL_RESULT_H
#define SL_RESULT_H

enum {
	sl_ok = 0,
	sl_damaged = 1,      // for a JPEG, the pixels are complete, but partly filled in
	sl_unsupported = -1, // also what stopped
	sl_no_memory = -2
};

#endif
