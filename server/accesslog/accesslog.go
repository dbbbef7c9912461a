// Package accesslog writes one log line for each request.
package accesslog

import (
	"context"
	"log/slog"
	"net/http"
	"net/netip"
	"strconv"
	"strings"
	"sync"
	"time"
)

// Request holds what the access log records about a request.
type Request struct {
	ID, Method, Path string
	User             string // id of the account; empty: anonymous
	Code             string // of the error; empty: none
	Stopping         bool   // the server is shutting down, so being not ready is expected

	Took          time.Duration
	Status, Bytes int
	Address       netip.Addr
}

// Log writes requests to a log. Its methods are safe for concurrent use. Create it with New.
type Log struct {
	log     *slog.Logger
	lines   lineWriter // nil: the handler does not implement it, so requests are logged as slog records
	members sync.Pool  // reusable *[]byte buffers
}

// lineWriter is a JSON handler that can write a request without a slog.Record. members are the encoded members of the
// JSON object after time, level and message.
type lineWriter interface {
	WriteRequest(at time.Time, members []byte) error
}

// New returns an access log that writes to log.
func New(log *slog.Logger) *Log {
	l := &Log{log: log}
	l.lines, _ = log.Handler().(lineWriter)
	return l
}

// Write logs a request that ended at the given time. Its level is warning if the server failed, else info.
func (l *Log) Write(r *Request, at time.Time) {
	level, ctx := slog.LevelInfo, context.Background()
	if r.Status >= http.StatusInternalServerError && !r.Stopping {
		level = slog.LevelWarn
	}
	if !l.log.Enabled(ctx, level) || level == slog.LevelInfo && l.writeLine(r, at) {
		return
	}
	record := slog.NewRecord(at, level, "request", 0) // without the caller's position, which LogAttrs would look up
	record.AddAttrs(slog.Any("", r.copied()))
	_ = l.log.Handler().Handle(ctx, record) // as LogAttrs does
}

// writeLine logs a request in a quarter of the time that a slog.Record takes. It returns false if the caller has to
// use a record.
func (l *Log) writeLine(r *Request, at time.Time) bool {
	if l.lines == nil {
		return false
	}
	b, ok := l.members.Get().(*[]byte)
	if !ok {
		b = new([]byte)
	}
	defer l.members.Put(b)
	if *b, ok = r.appendJSON((*b)[:0]); ok {
		_ = l.lines.WriteRequest(at, *b) // as LogAttrs does
	}
	return ok
}

// copied returns a deep copy. Without it, the compiler would allocate the strings of every request on the heap.
func (r *Request) copied() Request {
	address, _ := netip.ParseAddr(r.Address.String())
	return Request{ID: strings.Clone(r.ID), Method: strings.Clone(r.Method), Path: strings.Clone(r.Path),
		User: strings.Clone(r.User), Code: strings.Clone(r.Code), Stopping: r.Stopping,
		Took: r.Took, Status: r.Status, Bytes: r.Bytes, Address: address}
}

// LogValue implements slog.LogValuer.
func (r Request) LogValue() slog.Value {
	return slog.GroupValue(slog.String("requestId", r.ID), slog.String("method", r.Method), slog.String("path", r.Path),
		slog.Int("status", r.Status), slog.Int("bytes", r.Bytes),
		slog.Float64("ms", float64(r.Took.Microseconds())/1000),
		slog.String("address", r.Address.String()), slog.String("user", r.User), slog.String("code", r.Code))
}

// appendJSON appends LogValue as members of a JSON object, in a tenth of slog's time. ok is false if a string needs
// escapes; the result must then not be used.
func (r *Request) appendJSON(b []byte) (_ []byte, ok bool) {
	if !isPlain(r.Path) || !isPlain(r.ID) || !isPlain(r.Method) || !isPlain(r.User) ||
		!isPlain(r.Code) || !isPlain(r.Address.Zone()) {
		return b, false
	}
	b = append(append(b, `"requestId":"`...), r.ID...)
	b = append(append(b, `","method":"`...), r.Method...)
	b = append(append(b, `","path":"`...), r.Path...)
	b = strconv.AppendInt(append(b, `","status":`...), int64(r.Status), 10)
	b = strconv.AppendInt(append(b, `,"bytes":`...), int64(r.Bytes), 10)
	b = appendMilliseconds(append(b, `,"ms":`...), r.Took.Microseconds())
	b = append(b, `,"address":"`...)
	if r.Address.IsValid() {
		b = r.Address.AppendTo(b)
	} else {
		b = append(b, r.Address.String()...)
	}
	b = append(append(b, `","user":"`...), r.User...)
	b = append(append(b, `","code":"`...), r.Code...)
	return append(b, '"'), true
}

// appendMilliseconds appends microseconds as milliseconds, with as few digits as possible.
func appendMilliseconds(b []byte, us int64) []byte {
	if us < 0 || us >= 1e12 {
		return strconv.AppendFloat(b, float64(us)/1000, 'f', -1, 64)
	}
	b = strconv.AppendInt(b, us/1000, 10)
	us %= 1000
	if us == 0 {
		return b
	}
	b = append(b, '.', '0'+byte(us/100), '0'+byte(us/10%10), '0'+byte(us%10))
	for b[len(b)-1] == '0' {
		b = b[:len(b)-1]
	}
	return b
}

// isPlain reports whether a string needs no escapes in JSON.
func isPlain(s string) bool {
	for i := range len(s) {
		if !plain[s[i]] {
			return false
		}
	}
	return true
}

// plain says for each byte whether JSON allows it without an escape.
var plain = func() (t [256]bool) {
	for b := ' '; b <= '~'; b++ {
		t[b] = b != '"' && b != '\\'
	}
	return t
}()

// MaxPath is the max length of a path in a line, in bytes and including the escapes of JSON.
const MaxPath = 2 << 10

// ShortenPath shortens a path that is longer than MaxPath.
func ShortenPath(path string) string {
	const ellipsis, longestEscape = "...", 6
	written, end := 0, 0
	for i := range len(path) {
		if written++; !isPlain(path[i : i+1]) {
			written += longestEscape - 1
		}
		if written <= MaxPath-len(ellipsis) {
			end = i + 1
		}
		if written > MaxPath {
			return path[:end] + ellipsis
		}
	}
	return path
}
