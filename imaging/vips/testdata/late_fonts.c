// Widens the window in which Pango's threads may read a table of a font map while it is freed, and aborts if one
// does. The text tests preload it.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdlib.h>
#include <unistd.h>

static __thread int sorts; // this thread is one of Pango's that sort fonts
static void *read_table;

void *FcFontSetSort(void *config, void **sets, int n, void *pattern, int trim, void **chars, int *result)
{
	static void *(*next)(void *, void **, int, void *, int, void **, int *);
	if (!next)
		next = (void *(*)(void *, void **, int, void *, int, void **, int *)) dlsym(RTLD_NEXT, "FcFontSetSort");
	sorts = 1;
	usleep(5000);
	return next(config, sets, n, pattern, trim, chars, result);
}

void *g_hash_table_lookup(void *table, const void *key)
{
	static void *(*next)(void *, const void *);
	if (!next)
		next = (void *(*)(void *, const void *)) dlsym(RTLD_NEXT, "g_hash_table_lookup");
	if (sorts) {
		__atomic_store_n(&read_table, table, __ATOMIC_SEQ_CST);
		usleep(5000);
		__atomic_store_n(&read_table, NULL, __ATOMIC_SEQ_CST);
	}
	return next(table, key);
}

void g_hash_table_destroy(void *table)
{
	static void (*next)(void *);
	if (!next)
		next = (void (*)(void *)) dlsym(RTLD_NEXT, "g_hash_table_destroy");
	if (__atomic_load_n(&read_table, __ATOMIC_SEQ_CST) == table)
		abort();
	next(table);
}
