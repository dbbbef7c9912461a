package vips

/*
#include <stdlib.h>
#include <string.h>
#ifdef __GLIBC__
#include <malloc.h>
#endif

// sl_tuned reports whether GLIBC_TUNABLES says something about a setting of glibc's malloc.
static int sl_tuned(const char *what)
{
	const char *tunables = getenv("GLIBC_TUNABLES");
	return tunables && strstr(tunables, what);
}

// glibc gives threads up to eight arenas for each core. Pixels are freed on other threads than they
// came from and arenas give little back: two of them halve the memory of a busy server (650 to 320
// MB over 420 mixed pictures) and cost no time. It has to be said before the first thread starts,
// so it is said before main. The environment wins.
__attribute__((constructor)) static void sl_limit_arenas(void)
{
#ifdef M_ARENA_MAX
	if (!getenv("MALLOC_ARENA_MAX") && !sl_tuned("arena_max"))
		mallopt(M_ARENA_MAX, 2);
#endif
}

// These are the most that glibc's own thresholds come to, 32 and 64 MiB, which follow the largest pictures that were
// freed. Until then it gives back the pixels of each picture, and the kernel clears those of the next. An idle server
// gives back all.
__attribute__((constructor)) static void sl_keep_pixels(void)
{
#if defined(M_MMAP_THRESHOLD) && defined(M_TRIM_THRESHOLD)
	if (!getenv("MALLOC_MMAP_THRESHOLD_") && !getenv("MALLOC_TRIM_THRESHOLD_") && !sl_tuned("_threshold")) {
		mallopt(M_MMAP_THRESHOLD, 32 << 20);
		mallopt(M_TRIM_THRESHOLD, 64 << 20);
	}
#endif
}

// sl_trim_memory gives back to the system what glibc holds free.
static void sl_trim_memory(void)
{
#ifdef __GLIBC__
	malloc_trim(0);
#endif
}
*/
import "C"

import "runtime/debug"

// ReleaseMemory gives back to the system what C and Go hold free, in about 10 ms for each 100 MB. glibc keeps what
// many threads freed: worth it once a burst of work is over, and not before.
func (e *Engine) ReleaseMemory() {
	C.sl_trim_memory()
	debug.FreeOSMemory()
}
