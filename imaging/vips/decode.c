#include <stdio.h>
#include <string.h>
#include <vips/vips.h>

#include "sl_decode.h"
#include "_cgo_export.h"

VipsSource *sl_source_memory(const void *data, size_t size)
{
	return vips_source_new_from_memory(data, size);
}

static gint64 sl_on_read(VipsSourceCustom *source, void *buffer, gint64 length, gpointer handle)
{
	return slSourceRead((uintptr_t) handle, buffer, length);
}

static gint64 sl_on_seek(VipsSourceCustom *source, gint64 offset, int whence, gpointer handle)
{
	return slSourceSeek((uintptr_t) handle, offset, whence);
}

VipsSource *sl_source_reader(uintptr_t handle)
{
	VipsSourceCustom *source = vips_source_custom_new();
	g_signal_connect(source, "read", G_CALLBACK(sl_on_read), (gpointer) handle);
	g_signal_connect(source, "seek", G_CALLBACK(sl_on_seek), (gpointer) handle);
	return VIPS_SOURCE(source);
}

// sl_held is a file in memory, and the current position.
typedef struct {
	const char *data;
	gint64 size, at;
	int *stop;
} sl_held;

static gint64 sl_on_held_read(VipsSourceCustom *source, void *buffer, gint64 length, sl_held *held)
{
	if (__atomic_load_n(held->stop, __ATOMIC_RELAXED))
		return -1;
	gint64 n = VIPS_CLIP(0, held->size - held->at, length);
	memcpy(buffer, held->data + held->at, n);
	held->at += n;
	return n;
}

static gint64 sl_on_held_seek(VipsSourceCustom *source, gint64 offset, int whence, sl_held *held)
{
	gint64 at = offset + (whence == SEEK_CUR ? held->at : whence == SEEK_END ? held->size : 0);
	if (at < 0 || at > held->size)
		return -1;
	return held->at = at;
}

VipsSource *sl_source_stoppable(const void *data, size_t size, int *stop)
{
	VipsSourceCustom *source = vips_source_custom_new();
	sl_held *held = g_new(sl_held, 1);
	*held = (sl_held){ data, size, 0, stop };
	g_object_set_data_full(G_OBJECT(source), "held", held, g_free);
	g_signal_connect(source, "read", G_CALLBACK(sl_on_held_read), held);
	g_signal_connect(source, "seek", G_CALLBACK(sl_on_held_seek), held);
	return VIPS_SOURCE(source);
}

void sl_source_unref(VipsSource *source) { g_object_unref(source); }

VipsOperation *sl_run(VipsOperation *operation, const char *options)
{
	if (*options && vips_object_set_from_string(VIPS_OBJECT(operation), options)) {
		g_object_unref(operation);
		return NULL;
	}
	if (vips_cache_operation_buildp(&operation)) {
		vips_object_unref_outputs(VIPS_OBJECT(operation));
		g_object_unref(operation);
		return NULL;
	}
	return operation;
}

int sl_load(const char *loader, VipsSource *source, const char *options, VipsImage **out)
{
	VipsOperation *operation = vips_operation_new(loader);
	if (!operation)
		return -1;
	g_object_set(operation, "source", source, NULL);
	if (!(operation = sl_run(operation, options)))
		return -1;
	g_object_get(operation, "out", out, NULL);
	vips_object_unref_outputs(VIPS_OBJECT(operation));
	g_object_unref(operation);
	return 0;
}
