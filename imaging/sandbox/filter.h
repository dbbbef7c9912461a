#ifndef SL_FILTER_H
#define SL_FILTER_H

// sl_filter refuses all system calls but those that decoding needs: 1, or -errno.
int sl_filter(void);

#endif
