// Counts what is allocated, for TestMeasureAllocations: preloaded, it stands in front of the C library. The file that
// SAFELIGHT_ALLOCATIONS names is shared with the test; it holds two numbers, the bytes that are allocated now and their peak.
#include <errno.h>
#include <fcntl.h>
#include <malloc.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>

extern void *__libc_malloc(size_t);
extern void *__libc_calloc(size_t, size_t);
extern void *__libc_realloc(void *, size_t);
extern void *__libc_memalign(size_t, size_t);
extern void __libc_free(void *);

static int64_t early[2];
static int64_t *count = early;

__attribute__((constructor)) static void share(void)
{
	const char *name = getenv("SAFELIGHT_ALLOCATIONS");
	int fd = name ? open(name, O_RDWR) : -1;
	if (fd < 0)
		return;
	int64_t *shared = mmap(NULL, sizeof(early), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (shared != MAP_FAILED)
		count = shared;
}

static void *added(void *p)
{
	if (!p)
		return p;
	int64_t now = __atomic_add_fetch(&count[0], (int64_t) malloc_usable_size(p), __ATOMIC_RELAXED);
	int64_t peak = __atomic_load_n(&count[1], __ATOMIC_RELAXED);
	while (now > peak && !__atomic_compare_exchange_n(&count[1], &peak, now, 0, __ATOMIC_RELAXED, __ATOMIC_RELAXED))
		;
	return p;
}

static void removed(size_t size) { __atomic_sub_fetch(&count[0], (int64_t) size, __ATOMIC_RELAXED); }

void *malloc(size_t size) { return added(__libc_malloc(size)); }
void *calloc(size_t n, size_t size) { return added(__libc_calloc(n, size)); }
void *memalign(size_t alignment, size_t size) { return added(__libc_memalign(alignment, size)); }
void *aligned_alloc(size_t alignment, size_t size) { return added(__libc_memalign(alignment, size)); }

int posix_memalign(void **out, size_t alignment, size_t size)
{
	void *p = added(__libc_memalign(alignment, size));
	if (p)
		*out = p;
	return p ? 0 : ENOMEM;
}

void *realloc(void *p, size_t size)
{
	size_t before = p ? malloc_usable_size(p) : 0;
	void *moved = __libc_realloc(p, size);
	if (!moved && size)
		return NULL;
	removed(before);
	return added(moved);
}

void *reallocarray(void *p, size_t n, size_t size)
{
	size_t all;
	if (__builtin_mul_overflow(n, size, &all)) {
		errno = ENOMEM;
		return NULL;
	}
	return realloc(p, all);
}

void free(void *p)
{
	if (!p)
		return;
	removed(malloc_usable_size(p));
	__libc_free(p);
}
