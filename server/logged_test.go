package server

import (
	"bytes"
	"context"
	"log/slog"
	"net/netip"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/valyala/fasthttp"
)

// TestLoggedLine holds that the line of a request is the one that slog writes, or left to it.
func TestLoggedLine(t *testing.T) {
	usual := logged{id: "ABCDEFGH", method: "GET", path: "/unsafe/300x200/a.jpg", status: 200, bytes: 15785, took: 1234567 * time.Nanosecond,
		address: netip.MustParseAddr("192.0.2.1")}
	for name, c := range map[string]struct {
		change func(*logged)
		plain  bool
	}{
		"usual":         {func(*logged) {}, true},
		"all":           {func(l *logged) { l.user, l.code = "9c0b", "INVALID_ARGUMENT" }, true},
		"no time":       {func(l *logged) { l.took = 0 }, true},
		"whole":         {func(l *logged) { l.took = 12 * time.Millisecond }, true},
		"tenths":        {func(l *logged) { l.took = 12300 * time.Microsecond }, true},
		"little":        {func(l *logged) { l.took = 10 * time.Microsecond }, true},
		"back":          {func(l *logged) { l.took = -1500 * time.Microsecond }, true},
		"long":          {func(l *logged) { l.took = 1000000 * time.Hour }, true},
		"known path":    {func(l *logged) { l.plainPath = true }, true},
		"IPv6":          {func(l *logged) { l.address = netip.MustParseAddr("2001:db8::1") }, true},
		"mapped":        {func(l *logged) { l.address = netip.MustParseAddr("::ffff:192.0.2.1") }, true},
		"no address":    {func(l *logged) { l.address = netip.Addr{} }, true},
		"zone":          {func(l *logged) { l.address = netip.MustParseAddr("fe80::1%eth0") }, true},
		"odd zone":      {func(l *logged) { l.address = netip.MustParseAddr("fe80::1").WithZone("\"\n") }, false},
		"quotes":        {func(l *logged) { l.path = `/a"b\c` }, false},
		"controls":      {func(l *logged) { l.path = "/a\nb\x7f\x00" }, false},
		"other letters": {func(l *logged) { l.path = "/\u00e9\u2028" }, false},
		"not UTF-8":     {func(l *logged) { l.path = "/\xff" }, false},
		"HTML":          {func(l *logged) { l.path = "/<a&b>" }, true},
	} {
		l := usual
		c.change(&l)
		var want bytes.Buffer
		r := slog.NewRecord(time.Time{}, slog.LevelInfo, "request", 0)
		r.AddAttrs(slog.Any("", l))
		if err := slog.NewJSONHandler(&want, nil).Handle(context.Background(), r); err != nil {
			t.Fatal(err)
		}
		got, plain := l.appendJSON([]byte(`{"level":"INFO","msg":"request",`))
		if plain != c.plain || plain && string(got)+"}\n" != want.String() || !strings.Contains(want.String(), `,"method":"GET",`) {
			t.Errorf("%s: %s, plain: %v\nexpected %s", name, got, plain, want.String())
		}
	}
}

// TestMilliseconds holds that the digits are those of the number divided by a thousand.
func TestMilliseconds(t *testing.T) {
	for _, us := range []int64{0, 1, 9, 10, 100, 999, 1000, 1001, 1010, 1100, 123456, 999999999999, 1000000000000, 1000000000001, -1, -1000, 1<<53 + 1} {
		if got, want := string(appendMilliseconds(nil, us)), strconv.FormatFloat(float64(us)/1000, 'f', -1, 64); got != want {
			t.Errorf("%d: %s, expected %s", us, got, want)
		}
	}
}

// recorder is a handler that takes lines, as that of the program does.
type recorder struct {
	slog.Handler
	lines []string
}

func (r *recorder) WriteRequest(_ time.Time, members []byte) error {
	r.lines = append(r.lines, string(members))
	return nil
}

// TestLines: a request that did not fail is a line without a record, if the handler takes lines and no text needs escapes.
func TestLines(t *testing.T) {
	for name, c := range map[string]struct {
		status  int
		path    string
		level   slog.Level
		takes   bool
		line    bool
		written bool
	}{
		"usual":            {200, "/a", slog.LevelInfo, true, true, false},
		"not found":        {404, "/a", slog.LevelInfo, true, true, false},
		"failed":           {500, "/a", slog.LevelInfo, true, false, true},
		"escapes":          {200, "/\"", slog.LevelInfo, true, false, true},
		"no lines":         {200, "/a", slog.LevelInfo, false, false, true},
		"warnings":         {200, "/a", slog.LevelWarn, true, false, false},
		"failed, warnings": {503, "/a", slog.LevelWarn, true, false, true},
	} {
		var text bytes.Buffer
		to := &recorder{Handler: slog.NewJSONHandler(&text, &slog.HandlerOptions{Level: c.level})}
		s := &Server{Deps: Deps{Log: slog.New(to)}}
		if c.takes {
			s.lines.to = to
		}
		var r fasthttp.RequestCtx
		r.Response.SetStatusCode(c.status)
		logRequest(s, &r, &logged{id: "ABCDEFGH", method: "GET", path: c.path}, time.Now())
		if (len(to.lines) == 1) != c.line || (text.Len() > 0) != c.written || c.written && !strings.Contains(text.String(), `"requestId":"ABCDEFGH"`) {
			t.Errorf("%s: lines %q, records %s", name, to.lines, text.String())
		}
	}
}
