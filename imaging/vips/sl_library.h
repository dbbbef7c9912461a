// Settings of the library as a whole.
#ifndef SL_LIBRARY_H
#define SL_LIBRARY_H

#include "sl_types.h"

// sl_setup blocks the loaders that are not safe for untrusted files, except those of our own list, and turns off what
// libvips and libjxl write to stderr.
void sl_setup(void);

// sl_orc_guarded reports whether several threads may resize at once: the library Orc, which crashes then, is not
// loaded, or its functions are called through library_orc.c. If they may not, sl_setup makes libvips do without Orc,
// which costs 2 to 4 times the CPU.
int sl_orc_guarded(void);

// sl_version is the version of libvips that was loaded, such as "8.14.1".
const char *sl_version(void);
// sl_library_file is the file that libvips was loaded from, or "".
const char *sl_library_file(void);

// sl_error copies the error buffer, to be freed with sl_free, and clears it.
char *sl_error(void);
void sl_clear_error(void);
// sl_end_thread frees what libvips keeps for the calling thread.
void sl_end_thread(void);
// sl_can_start_threads reports whether the process can start n threads that run at the same time.
int sl_can_start_threads(int n);
// sl_open_files is how many files libvips has open.
int sl_open_files(void);
// sl_free and sl_free_list free what libvips or GLib allocated.
void sl_free(void *data);
void sl_free_list(char **list);

#endif
