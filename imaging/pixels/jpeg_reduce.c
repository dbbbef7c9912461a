#include <pthread.h>
#include <signal.h>

#include "jpeg_reduce.h"
#include "jpeg_rows.h"
#include "reduce.h"

enum {
	sl_piece_rows = 32, // rows that the threads hand over at once
	sl_ahead_rows = 3 * sl_piece_rows,
	sl_stack = 1 << 18,
};

// sl_decoding is a JPEG under way. The decoder is the other thread's while there is one; mutex guards what follows it.
typedef struct {
	sl_stream stream;
	const sl_jpeg_scaling *as;
	const int32_t *stop;
	sl_jpeg_rows rows;
	int decoded; // rows

	int threads;
	pthread_t decoder;
	int seen, told; // ready and first, as the thread that scales last saw and set them
	pthread_mutex_t mutex;
	pthread_cond_t more, room;
	int ready, first; // rows that are there; rows before first may be written over
	int failed, left; // the decoder has failed; the rows are no longer wanted
} sl_decoding;

// sl_decode_rows decodes rows up to end.
static int sl_decode_rows(sl_decoding *d, int end)
{
	for (; d->decoded < end; d->decoded++)
		if (__atomic_load_n(d->stop, __ATOMIC_RELAXED) || sl_jpeg_rows_next(&d->rows, d->stream.rows + (size_t) (d->decoded % d->stream.held) * d->as->width * 3))
			return -1;
	return 0;
}

// sl_room_for waits until the rows up to end may be written. 0 if they are no longer wanted.
static int sl_room_for(sl_decoding *d, int end)
{
	pthread_mutex_lock(&d->mutex);
	while (!d->left && end - d->first > d->stream.held)
		pthread_cond_wait(&d->room, &d->mutex);
	int wanted = !d->left;
	pthread_mutex_unlock(&d->mutex);
	return wanted;
}

static void sl_hand_over(sl_decoding *d, int failed)
{
	pthread_mutex_lock(&d->mutex);
	d->ready = d->decoded;
	d->failed = failed;
	pthread_cond_signal(&d->more);
	pthread_mutex_unlock(&d->mutex);
}

static void *sl_decoder(void *decoding)
{
	sl_decoding *d = decoding;
	int failed = 0;
	while (!failed && d->decoded < d->as->height) {
		int end = d->decoded + sl_piece_rows < d->as->height ? d->decoded + sl_piece_rows : d->as->height;
		if (!sl_room_for(d, end))
			return NULL;
		failed = sl_decode_rows(d, end);
		sl_hand_over(d, failed);
	}
	if (!failed)
		sl_jpeg_rows_finish(&d->rows);
	return NULL;
}

// sl_reach_decoder waits for rows of the other thread.
static int sl_reach_decoder(sl_stream *s, int first, int end)
{
	sl_decoding *d = (sl_decoding *) s;
	if (end <= d->seen && first - d->told < sl_piece_rows)
		return 0;
	pthread_mutex_lock(&d->mutex);
	d->told = d->first = first;
	pthread_cond_signal(&d->room);
	while (!d->failed && d->ready < end)
		pthread_cond_wait(&d->more, &d->mutex);
	d->seen = d->ready;
	int failed = d->failed;
	pthread_mutex_unlock(&d->mutex);
	return failed;
}

static int sl_reach(sl_stream *s, int first, int end) { return sl_decode_rows((sl_decoding *) s, end); }

// sl_start_decoder starts the other thread, which gets no signals; -1 if it cannot.
static int sl_start_decoder(sl_decoding *d)
{
	pthread_attr_t attributes;
	sigset_t all, before;
	sigfillset(&all);
	pthread_attr_init(&attributes);
	pthread_attr_setstacksize(&attributes, sl_stack);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	int err = pthread_create(&d->decoder, &attributes, sl_decoder, d);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	pthread_attr_destroy(&attributes);
	return err ? -1 : 0;
}

static void sl_begin(sl_stream *s)
{
	sl_decoding *d = (sl_decoding *) s;
	d->threads = d->threads && !sl_start_decoder(d);
	s->reach = d->threads ? sl_reach_decoder : sl_reach;
}

static int sl_end(sl_stream *s, int err)
{
	sl_decoding *d = (sl_decoding *) s;
	if (!d->threads) {
		if (err || sl_decode_rows(d, d->as->height))
			return -1;
		sl_jpeg_rows_finish(&d->rows);
		return 0;
	}
	pthread_mutex_lock(&d->mutex);
	d->left = err;
	d->first = d->as->height; // the rest is only looked at
	pthread_cond_signal(&d->room);
	pthread_mutex_unlock(&d->mutex);
	pthread_join(d->decoder, NULL);
	return err || d->failed;
}

static int sl_reduce_once(const uint8_t *file, size_t size, const sl_jpeg_scaling *as, uint8_t *out, int *libjpeg, const int32_t *stop)
{
	sl_decoding d = { .stream = { .ahead = as->threads ? sl_ahead_rows : 1, .begin = sl_begin, .end = sl_end }, .as = as, .stop = stop, .threads = as->threads };
	pthread_mutex_init(&d.mutex, NULL);
	pthread_cond_init(&d.more, NULL);
	pthread_cond_init(&d.room, NULL);
	int err = sl_jpeg_rows_open(&d.rows, file, size, 3, as->shrink, as->width, as->height, libjpeg) ||
		sl_reduce_stream(&d.stream, as->width, as->height, out, as->part, as->to_width, as->to_height, stop, as->instructions);
	int damaged = sl_jpeg_rows_damaged(&d.rows);
	sl_jpeg_rows_close(&d.rows);
	pthread_cond_destroy(&d.room);
	pthread_cond_destroy(&d.more);
	pthread_mutex_destroy(&d.mutex);
	return err ? -1 : damaged;
}

int sl_jpeg_reduce(const uint8_t *file, size_t size, const sl_jpeg_scaling *as, uint8_t *out, int *libjpeg, const int32_t *stop)
{
	int before = *libjpeg, err = sl_reduce_once(file, size, as, out, libjpeg, stop);
	return *libjpeg == before ? err : sl_reduce_once(file, size, as, out, libjpeg, stop);
}
