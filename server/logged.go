package server

import (
	"context"
	"log/slog"
	"net/netip"
	"strconv"
	"time"

	"github.com/gofiber/fiber/v2"
	"github.com/valyala/fasthttp"
)

// logged is what the log tells of a request.
type logged struct {
	id, method, path, user, code string

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
	r := slog.NewRecord(at, level, "request", 0) // without the caller, which LogAttrs would look up
	r.AddAttrs(slog.Any("", l))
	_ = s.Log.Handler().Handle(ctx, r) // as LogAttrs does
}

// LogValue implements slog.LogValuer.
func (l *logged) LogValue() slog.Value {
	return slog.GroupValue(slog.String("requestId", l.id), slog.String("method", l.method), slog.String("path", l.path),
		slog.Int("status", l.status), slog.Int("bytes", l.bytes), slog.Float64("ms", float64(l.took.Microseconds())/1000),
		slog.String("address", l.address.String()), slog.String("user", l.user), slog.String("code", l.code))
}

// AppendJSON appends LogValue as members of a JSON object, in a tenth of the time. ok is false, and the bytes are of no use, if a text needs escapes.
func (l *logged) AppendJSON(b []byte) (_ []byte, ok bool) {
	for _, text := range []string{l.id, l.method, l.path, l.user, l.code, l.address.Zone()} {
		if !isPlainJSON(text) {
			return b, false
		}
	}
	b = append(append(b, `"requestId":"`...), l.id...)
	b = append(append(b, `","method":"`...), l.method...)
	b = append(append(b, `","path":"`...), l.path...)
	b = strconv.AppendInt(append(b, `","status":`...), int64(l.status), 10)
	b = strconv.AppendInt(append(b, `,"bytes":`...), int64(l.bytes), 10)
	b = strconv.AppendFloat(append(b, `,"ms":`...), float64(l.took.Microseconds())/1000, 'f', -1, 64)
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
