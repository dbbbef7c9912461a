package server

import (
	"context"
	"log/slog"
	"net/netip"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/gofiber/fiber/v2"
	"github.com/valyala/fasthttp"
)

// logged is what the log tells of a request.
type logged struct {
	id, method, path, user, code string
	plainPath                    bool // the path is known to be the same in JSON

	took          time.Duration
	status, bytes int
	address       netip.Addr
}

// logRequest logs a request with the status and the body's length of its answer.
func logRequest(s *Server, c *fasthttp.RequestCtx, l *logged, at time.Time) {
	level, ctx := slog.LevelInfo, context.Background()
	l.status = c.Response.StatusCode()
	if l.status >= fiber.StatusInternalServerError {
		level = slog.LevelWarn
	}
	if !s.Log.Enabled(ctx, level) {
		return
	}
	l.bytes, l.address = bodyBytes(&c.Response), s.config.address(c)
	if level == slog.LevelInfo && s.lines.write(l, at) {
		return
	}
	r := slog.NewRecord(at, level, "request", 0) // without the caller, which LogAttrs would look up
	r.AddAttrs(slog.Any("", l.copied(s.config.address(c))))
	_ = s.Log.Handler().Handle(ctx, r) // as LogAttrs does
}

// copied returns l with an address of its own. Nothing in it points to what l does, so that the texts of a request need no memory of the heap.
func (l *logged) copied(address netip.Addr) logged {
	return logged{id: strings.Clone(l.id), method: strings.Clone(l.method), path: strings.Clone(l.path), user: strings.Clone(l.user), code: strings.Clone(l.code),
		took: l.took, status: l.status, bytes: l.bytes, address: address}
}

// lines writes lines of requests to a handler that takes them as JSON.
type lines struct {
	to      lineWriter // nil: the handler takes records only
	members sync.Pool  // of *[]byte
}

// lineWriter is a handler of JSON that adds a record "request" with these members of its object without making it.
type lineWriter interface {
	WriteRequest(at time.Time, members []byte) error
}

// write logs a request in a fourth of the time that a record takes; false if it needs one.
func (w *lines) write(l *logged, at time.Time) bool {
	if w.to == nil {
		return false
	}
	b, ok := w.members.Get().(*[]byte)
	if !ok {
		b = new([]byte)
	}
	defer w.members.Put(b)
	if *b, ok = l.appendJSON((*b)[:0]); ok {
		_ = w.to.WriteRequest(at, *b) // as LogAttrs does
	}
	return ok
}

// LogValue implements slog.LogValuer.
func (l logged) LogValue() slog.Value {
	return slog.GroupValue(slog.String("requestId", l.id), slog.String("method", l.method), slog.String("path", l.path),
		slog.Int("status", l.status), slog.Int("bytes", l.bytes), slog.Float64("ms", float64(l.took.Microseconds())/1000),
		slog.String("address", l.address.String()), slog.String("user", l.user), slog.String("code", l.code))
}

// appendJSON appends LogValue as members of a JSON object, in a tenth of the time. ok is false, and the bytes are of no use, if a text needs escapes.
func (l *logged) appendJSON(b []byte) (_ []byte, ok bool) {
	if !l.plainPath && !isPlainJSON(l.path) || !isPlainJSON(l.id) || !isPlainJSON(l.method) || !isPlainJSON(l.user) || !isPlainJSON(l.code) || !isPlainJSON(l.address.Zone()) {
		return b, false
	}
	b = append(append(b, `"requestId":"`...), l.id...)
	b = append(append(b, `","method":"`...), l.method...)
	b = append(append(b, `","path":"`...), l.path...)
	b = strconv.AppendInt(append(b, `","status":`...), int64(l.status), 10)
	b = strconv.AppendInt(append(b, `,"bytes":`...), int64(l.bytes), 10)
	b = appendMilliseconds(append(b, `,"ms":`...), l.took.Microseconds())
	b = append(b, `,"address":"`...)
	if l.address.IsValid() {
		b = l.address.AppendTo(b)
	} else {
		b = append(b, l.address.String()...)
	}
	b = append(append(b, `","user":"`...), l.user...)
	b = append(append(b, `","code":"`...), l.code...)
	return append(b, '"'), true
}

// appendMilliseconds appends microseconds as milliseconds, as few digits as that takes.
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

// isPlainJSON reports whether a text is the same in JSON.
func isPlainJSON(s string) bool {
	for i := range len(s) {
		if s[i] < ' ' || s[i] > '~' || s[i] == '"' || s[i] == '\\' {
			return false
		}
	}
	return true
}

// bodyBytes returns the length of the response body; 0 for a stream of unknown length, which it does not read.
func bodyBytes(r *fasthttp.Response) int {
	if r.IsBodyStream() {
		return max(0, r.Header.ContentLength())
	}
	return len(r.Body())
}
