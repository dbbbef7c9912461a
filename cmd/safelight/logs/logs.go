// Package logs writes the lines of requests some at a time: a write for each would take longer than the answer from a
// cache.
package logs

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"sync"
	"time"
)

// The limits of waiting lines: lines of requests are written at most maxDelay late. From maxBytes on, one of the
// requests writes while others go on; from maxWaiting on, all wait for it.
const (
	maxBytes   = 32 << 10
	maxWaiting = 1 << 20
	maxDelay   = 100 * time.Millisecond
)

// Writer collects lines until they are flushed, at most for 100 ms. Its methods are safe for concurrent use. Make it
// with NewWriter.
type Writer struct {
	to      io.Writer
	writing sync.Mutex // held during a write; taken before mu
	mu      sync.Mutex
	lines   []byte
	spare   []byte // the buffer of the write before
	timer   *time.Timer
	clock   clock
}

// NewWriter returns a writer to w.
func NewWriter(w io.Writer) *Writer {
	l := &Writer{to: w}
	l.timer = time.AfterFunc(time.Hour, func() { _ = l.Flush() })
	l.timer.Stop()
	return l
}

// Write adds a line. It returns the error of a flush that the line causes.
func (w *Writer) Write(line []byte) (int, error) {
	return len(line), w.add(func(b []byte) []byte { return append(b, line...) })
}

// add lets line append a line.
func (w *Writer) add(line func([]byte) []byte) error {
	w.mu.Lock()
	if len(w.lines) == 0 {
		w.timer.Reset(maxDelay)
	}
	w.lines = line(w.lines)
	waiting := len(w.lines)
	w.mu.Unlock()
	switch {
	case waiting >= maxWaiting:
		return w.Flush()
	case waiting >= maxBytes && w.writing.TryLock():
		defer w.writing.Unlock()
		return w.flush()
	}
	return nil
}

// Flush writes what waits.
func (w *Writer) Flush() error {
	w.writing.Lock()
	defer w.writing.Unlock()
	return w.flush()
}

func (w *Writer) flush() error {
	w.mu.Lock()
	lines := w.lines
	w.lines = w.spare[:0]
	w.mu.Unlock()
	if len(lines) == 0 {
		w.spare = lines
		return nil
	}
	_, err := w.to.Write(lines)
	w.spare = lines
	if cap(lines) > 2*maxBytes {
		w.spare = nil
	}
	return err
}

// handler is a handler that writes to a Writer, which it flushes after each record but those of requests that did not
// fail.
type handler struct {
	slog.Handler
	w *Writer
}

// lines is a handler of JSON without attributes or groups around, which takes lines of requests without records, too.
type lines struct{ handler }

// maxText is the max length of an attribute in bytes. Messages of errors may hold a path, and a client chooses its
// length.
const maxText = 2 << 10

// Shorten limits texts and messages of errors to 2 KiB, for slog.HandlerOptions. Stacks stay whole.
func Shorten(_ []string, a slog.Attr) slog.Attr {
	if err, ok := a.Value.Any().(error); ok {
		a.Value = slog.StringValue(err.Error())
	}
	if a.Value.Kind() != slog.KindString || a.Key == "stack" {
		return a
	}
	if text := a.Value.String(); len(text) > maxText {
		a.Value = slog.StringValue(text[:maxText-len(ellipsis)] + ellipsis)
	}
	return a
}

const ellipsis = "..."

// NewHandler returns a handler that writes to w as slog's do, JSON or text. Only info records with the message
// Request wait in w.
func NewHandler(w *Writer, json bool, o *slog.HandlerOptions) slog.Handler {
	if !json {
		return handler{slog.NewTextHandler(w, o), w}
	}
	return lines{handler{slog.NewJSONHandler(w, o), w}}
}

// Request is the message of the records that may wait.
const Request = "request"

// Handle implements slog.Handler.
func (h handler) Handle(ctx context.Context, r slog.Record) error {
	if r.Level != slog.LevelInfo || r.Message != Request {
		return errors.Join(h.Handler.Handle(ctx, r), h.w.Flush())
	}
	return h.Handler.Handle(ctx, r)
}

// WriteRequest adds what Handle would for an info record with the message Request and attributes that are these
// members of a JSON object. It takes a fourth of the time.
func (h lines) WriteRequest(at time.Time, members []byte) error {
	return h.w.add(func(b []byte) []byte {
		b = append(h.w.clock.append(append(b, `{"time":"`...), at), `","level":"INFO","msg":"request",`...)
		return append(append(b, members...), '}', '\n')
	})
}

// WithAttrs implements slog.Handler.
func (h handler) WithAttrs(attrs []slog.Attr) slog.Handler {
	return handler{h.Handler.WithAttrs(attrs), h.w}
}

// WithGroup implements slog.Handler.
func (h handler) WithGroup(name string) slog.Handler {
	return handler{h.Handler.WithGroup(name), h.w}
}
