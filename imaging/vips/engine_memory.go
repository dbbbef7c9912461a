package vips

/*
#include <stdlib.h>
#include <string.h>
#ifdef __GLIBC__
#include <malloc.h>
#endif

// sl_tuned reports whether GLIBC_TUNABLES contains a setting of glibc's malloc.
static int sl_tuned(const char *what)
{
	const char *tunables = getenv("GLIBC_TUNABLES");
	return tunables && strstr(tunables, what);
}

// glibc gives threads up to eight arenas for each core. Pixels are freed by other threads than those that allocated
// them, and arenas return little memory. With two arenas, a busy server uses half the memory (320 instead of 650 MB
// after 420 mixed pictures) at no cost in time. The limit must be set before the first thread starts, so it is set
// before main. The environment takes precedence.
__attribute__((constructor)) static void sl_limit_arenas(void)
{
#ifdef M_ARENA_MAX
	if (!getenv("MALLOC_ARENA_MAX") && !sl_tuned("arena_max"))
		mallopt(M_ARENA_MAX, 2);
#endif
}

// These are the max values of glibc's dynamic thresholds, 32 and 64 MiB, which grow with the largest freed pictures.
// Until they have grown, glibc returns the pixels of each picture, and the kernel clears the memory for the next one.
// An idle server returns all free memory.
__attribute__((constructor)) static void sl_keep_pixels(void)
{
#if defined(M_MMAP_THRESHOLD) && defined(M_TRIM_THRESHOLD)
	if (!getenv("MALLOC_MMAP_THRESHOLD_") && !getenv("MALLOC_TRIM_THRESHOLD_") && !sl_tuned("_threshold")) {
		mallopt(M_MMAP_THRESHOLD, 32 << 20);
		mallopt(M_TRIM_THRESHOLD, 64 << 20);
	}
#endif
}

// sl_trim_memory returns the memory that glibc holds free to the system.
static void sl_trim_memory(void)
{
#ifdef __GLIBC__
	malloc_trim(0);
#endif
}
*/
import "C"

import "runtime/debug"

// ReleaseMemory returns the free memory of C and Go to the system, which takes about 10 ms per 100 MB. glibc keeps
// memory that many threads have freed. Call it only after a burst of work.
func (e *Engine) ReleaseMemory() {
	C.sl_trim_memory()
	debug.FreeOSMemory()
}
