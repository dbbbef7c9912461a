// Package logs writes the lines of requests some at a time: a write for each would take longer than the answer from a cache.
package logs

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"sync"
	"time"
)

// The limits of waiting lines: lines of requests are written at most maxDelay late. From maxBytes on, one of the requests writes while others go
// on; from maxWaiting on, all wait for it.
const (
	maxBytes   = 32 << 10
	maxWaiting = 1 << 20
	maxDelay   = 100 * time.Millisecond
)

// Writer collects lines until they are flushed, at most for 100 ms. Its methods are safe for concurrent use. Make it with NewWriter.
type Writer struct {
	to      io.Writer
	writing sync.Mutex // held during a write; taken before mu
	mu      sync.Mutex
	lines   []byte
	spare   []byte // the buffer of the write before
	timer   *time.Timer
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
	w.mu.Lock()
	if len(w.lines) == 0 {
		w.timer.Reset(maxDelay)
	}
	w.lines = append(w.lines, line...)
	waiting := len(w.lines)
	w.mu.Unlock()
	switch {
	case waiting >= maxWaiting:
		return len(line), w.Flush()
	case waiting >= maxBytes && w.writing.TryLock():
		defer w.writing.Unlock()
		return len(line), w.flush()
	}
	return len(line), nil
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

// handler is a handler that writes to a Writer, which it flushes after each record but those of requests that did not fail.
type handler struct {
	slog.Handler
	w     *Writer
	lines *sync.Pool // of *[]byte, for lines of JSON without attributes or groups around; nil: Handler makes them
}

// NewHandler returns a handler that writes to w as slog's do, JSON or text. Only info records with the message Request wait in w.
func NewHandler(w *Writer, json bool, o *slog.HandlerOptions) slog.Handler {
	if !json {
		return handler{Handler: slog.NewTextHandler(w, o), w: w}
	}
	return handler{slog.NewJSONHandler(w, o), w, &sync.Pool{New: func() any { return new([]byte) }}}
}

// Request is the message of the records that may wait.
const Request = "request"

// Handle implements slog.Handler.
func (h handler) Handle(ctx context.Context, r slog.Record) error {
	if r.Level != slog.LevelInfo || r.Message != Request {
		return errors.Join(h.Handler.Handle(ctx, r), h.w.Flush())
	}
	if h.lines != nil {
		line := h.lines.Get().(*[]byte)
		defer h.lines.Put(line)
		var ok bool
		if *line, ok = appendRequest((*line)[:0], r); ok {
			_, err := h.w.Write(*line)
			return err
		}
	}
	return h.Handler.Handle(ctx, r)
}

// members is a value that appends itself to a JSON object as slog would with its LogValue; ok is false if it cannot.
type members interface {
	AppendJSON([]byte) (_ []byte, ok bool)
}

// appendRequest appends what slog's JSON handler would write. ok is false if the record is not one value that knows its members.
func appendRequest(b []byte, r slog.Record) (_ []byte, ok bool) {
	if r.NumAttrs() != 1 {
		return b, false
	}
	var value members
	r.Attrs(func(a slog.Attr) bool {
		if a.Key == "" {
			value, _ = a.Value.Any().(members)
		}
		return true
	})
	if value == nil {
		return b, false
	}
	b = append(b, `{"time":"`...)
	b = append(r.Time.AppendFormat(b, time.RFC3339Nano), `","level":"INFO","msg":"request",`...)
	if b, ok = value.AppendJSON(b); !ok {
		return b, false
	}
	return append(b, '}', '\n'), true
}

// WithAttrs implements slog.Handler.
func (h handler) WithAttrs(attrs []slog.Attr) slog.Handler {
	return handler{Handler: h.Handler.WithAttrs(attrs), w: h.w}
}

// WithGroup implements slog.Handler.
func (h handler) WithGroup(name string) slog.Handler {
	return handler{Handler: h.Handler.WithGroup(name), w: h.w}
}
