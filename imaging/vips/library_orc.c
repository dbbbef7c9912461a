#define _GNU_SOURCE
#include <dlfcn.h>
#include <vips/vips.h>

#include "sl_library.h"

// Until 8.14, and later if it is built that way, libvips compiles the loops of each operation with Orc. Orc 0.4.33
// locks its list of code memory for allocation, but not when it frees: two threads that resize at once corrupt it, and
// crash somewhere else (docs/contributing/decisions/0003). The dynamic linker prefers symbols of the program, so
// libvips calls these two, which let one thread at a time into Orc.

typedef struct _OrcProgram OrcProgram;

#ifdef __ELF__

static GMutex sl_orc_lock;

int orc_program_compile(OrcProgram *program)
{
	static int (*compile)(OrcProgram *);
	g_mutex_lock(&sl_orc_lock);
	if (!compile)
		compile = (int (*)(OrcProgram *)) dlsym(RTLD_NEXT, "orc_program_compile");
	int result = compile(program);
	g_mutex_unlock(&sl_orc_lock);
	return result;
}

void orc_program_free(OrcProgram *program)
{
	static void (*release)(OrcProgram *);
	g_mutex_lock(&sl_orc_lock);
	if (!release)
		release = (void (*)(OrcProgram *)) dlsym(RTLD_NEXT, "orc_program_free");
	release(program);
	g_mutex_unlock(&sl_orc_lock);
}

#endif

static int sl_is_ours(const char *name, void *ours)
{
	void *found = dlsym(RTLD_DEFAULT, name);
	return !found || found == ours;
}

int sl_orc_guarded(void)
{
#ifdef __ELF__
	return sl_is_ours("orc_program_compile", orc_program_compile) && sl_is_ours("orc_program_free", orc_program_free);
#else
	return sl_is_ours("orc_program_compile", NULL);
#endif
}
