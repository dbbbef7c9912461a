//go:build linux

#define _GNU_SOURCE
#include "idle.h"

#include <link.h>
#include <malloc.h>
#include <stdint.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <unistd.h>

// sl_relocates reports whether the dynamic loader writes addresses into segments without PF_W.
static int sl_relocates(const struct dl_phdr_info *info)
{
	for (int i = 0; i < info->dlpi_phnum; i++)
		if (info->dlpi_phdr[i].p_type == PT_DYNAMIC)
			for (const ElfW(Dyn) *d = (const void *) (info->dlpi_addr + info->dlpi_phdr[i].p_vaddr); d->d_tag != DT_NULL; d++)
				if (d->d_tag == DT_TEXTREL || (d->d_tag == DT_FLAGS && d->d_un.d_val & DF_TEXTREL))
					return 1;
	return 0;
}

// sl_drop drops the pages of a library that are identical to its file: those of segments that are never written.
static int sl_drop(struct dl_phdr_info *info, size_t size, void *page)
{
	uintptr_t mask = *(uintptr_t *) page - 1;
	if (sl_relocates(info))
		return 0;
	for (int i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *p = info->dlpi_phdr + i;
		uintptr_t from = info->dlpi_addr + p->p_vaddr, to = (from + p->p_memsz) & ~mask;
		from = (from + mask) & ~mask;
		if (p->p_type == PT_LOAD && !(p->p_flags & PF_W) && from < to)
			madvise((void *) from, to - from, MADV_DONTNEED); // a failure does no harm
	}
	return 0;
}

void sl_give_back(void)
{
	uintptr_t page = sysconf(_SC_PAGESIZE);
	malloc_trim(0);
	dl_iterate_phdr(sl_drop, &page);
}

// sl_timer_slack is how many nanoseconds late timers may fire; the default is 50,000. While C code runs, Go's runtime
// checks every 20 microseconds whether to hand off a processor. That alone took 4 % of the CPU time of a page.
enum { sl_timer_slack = 1000000 };

// sl_slacken runs before Go's runtime starts, because threads inherit the slack.
__attribute__((constructor)) static void sl_slacken(void)
{
	if (prctl(PR_GET_TIMERSLACK) < sl_timer_slack)
		prctl(PR_SET_TIMERSLACK, sl_timer_slack); // a failure does no harm
}
