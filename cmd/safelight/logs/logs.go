// Package logs buffers the log lines of requests, because a write for each line would take longer than a cached
// response.
package logs

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"sync"
	"time"
)

// Limits of the buffer. Lines wait for at most maxDelay. Beyond maxBytes, one of the requests writes them while the
// others continue. Beyond maxWaiting, all requests wait for that write.
const (
	maxBytes   = 32 << 10
	maxWaiting = 1 << 20
	maxDelay   = 100 * time.Millisecond
)

// Writer collects lines until they are flushed, for at most 100 ms. Its methods are safe for concurrent use. Create it
// with NewWriter.
type Writer struct {
	to      io.Writer
	writing sync.Mutex // held during a write; taken before mu
	mu      sync.Mutex
	lines   []byte
	spare   []byte // buffer of the previous write, for reuse
	timer   *time.Timer
}

// NewWriter returns a writer to w.
func NewWriter(w io.Writer) *Writer {
	l := &Writer{to: w}
	l.timer = time.AfterFunc(time.Hour, func() { _ = l.Flush() })
	l.timer.Stop()
	return l
}

// Write adds a line. If the line causes a flush, Write returns its error.
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

// Flush writes the buffered lines.
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

// handler is a handler that writes to a Writer. It flushes after each record, except for those of requests at level
// info.
type handler struct {
	slog.Handler
	w *Writer
}

// requestHandler is a JSON handler without attributes and groups, which can also write requests without a slog.Record.
type requestHandler struct{ handler }

// maxText is the max length of an attribute in bytes. Error messages may contain a path, whose length the client
// chooses.
const maxText = 2 << 10

// Shorten is for slog.HandlerOptions.ReplaceAttr. It limits texts and error messages to 2 KiB, but not stacks.
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

// NewHandler returns a handler that writes JSON or text to w as slog's handlers do. Only records of level info with
// the message Request are buffered in w.
func NewHandler(w *Writer, json bool, o *slog.HandlerOptions) slog.Handler {
	if !json {
		return handler{slog.NewTextHandler(w, o), w}
	}
	return requestHandler{handler{slog.NewJSONHandler(w, o), w}}
}

// Request is the message of records that may be buffered.
const Request = "request"

// Handle implements slog.Handler.
func (h handler) Handle(ctx context.Context, r slog.Record) error {
	if r.Level != slog.LevelInfo || r.Message != Request {
		return errors.Join(h.Handler.Handle(ctx, r), h.w.Flush())
	}
	return h.Handler.Handle(ctx, r)
}

// WriteRequest writes what Handle would write for a record of level info with the message Request, whose attributes
// are members, encoded as members of a JSON object. It takes a quarter of the time.
func (h requestHandler) WriteRequest(at time.Time, members []byte) error {
	return h.w.add(func(b []byte) []byte {
		b = append(at.AppendFormat(append(b, `{"time":"`...), time.RFC3339Nano), `","level":"INFO","msg":"request",`...)
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
