package accesslog

import (
	"bytes"
	"context"
	"log/slog"
	"net/netip"
	"strconv"
	"strings"
	"testing"
	"time"
)

// TestLoggedLine checks that the line of a request is the one that slog writes, or left to it.
func TestLoggedLine(t *testing.T) {
	usual := Request{ID: "ABCDEFGH", Method: "GET", Path: "/unsafe/300x200/a.jpg", Status: 200, Bytes: 15785,
		Took:    1234567 * time.Nanosecond,
		Address: netip.MustParseAddr("192.0.2.1")}
	for name, c := range map[string]struct {
		change func(*Request)
		plain  bool
	}{
		"usual":         {func(*Request) {}, true},
		"all":           {func(l *Request) { l.User, l.Code = "9c0b", "INVALID_ARGUMENT" }, true},
		"no time":       {func(l *Request) { l.Took = 0 }, true},
		"whole":         {func(l *Request) { l.Took = 12 * time.Millisecond }, true},
		"tenths":        {func(l *Request) { l.Took = 12300 * time.Microsecond }, true},
		"little":        {func(l *Request) { l.Took = 10 * time.Microsecond }, true},
		"back":          {func(l *Request) { l.Took = -1500 * time.Microsecond }, true},
		"long":          {func(l *Request) { l.Took = 1000000 * time.Hour }, true},
		"IPv6":          {func(l *Request) { l.Address = netip.MustParseAddr("2001:db8::1") }, true},
		"mapped":        {func(l *Request) { l.Address = netip.MustParseAddr("::ffff:192.0.2.1") }, true},
		"no address":    {func(l *Request) { l.Address = netip.Addr{} }, true},
		"zone":          {func(l *Request) { l.Address = netip.MustParseAddr("fe80::1%eth0") }, true},
		"odd zone":      {func(l *Request) { l.Address = netip.MustParseAddr("fe80::1").WithZone("\"\n") }, false},
		"quotes":        {func(l *Request) { l.Path = `/a"b\c` }, false},
		"controls":      {func(l *Request) { l.Path = "/a\nb\x7f\x00" }, false},
		"other letters": {func(l *Request) { l.Path = "/\u00e9\u2028" }, false},
		"not UTF-8":     {func(l *Request) { l.Path = "/\xff" }, false},
		"HTML":          {func(l *Request) { l.Path = "/<a&b>" }, true},
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
		if plain != c.plain || plain && string(got)+"}\n" != want.String() ||
			!strings.Contains(want.String(), `,"method":"GET",`) {
			t.Errorf("%s: %s, plain: %v\nexpected %s", name, got, plain, want.String())
		}
	}
}

// TestMilliseconds checks that the digits are those of the number divided by a thousand.
func TestMilliseconds(t *testing.T) {
	for _, us := range []int64{0, 1, 9, 10, 100, 999, 1000, 1001, 1010, 1100, 123456, 999999999999, 1000000000000,
		1000000000001, -1, -1000, 1<<53 + 1} {
		if got, want := string(appendMilliseconds(nil, us)), strconv.FormatFloat(float64(us)/1000, 'f', -1,
			64); got != want {
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

// TestLines: a request that did not fail is a line without a record, if the handler takes lines and no text needs
// escapes.
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
		var handler slog.Handler = to
		if !c.takes {
			handler = to.Handler
		}
		New(slog.New(handler)).Write(&Request{ID: "ABCDEFGH", Method: "GET", Path: c.path, Status: c.status,
			Address: netip.MustParseAddr("fe80::1%a")}, time.Now())
		if (len(to.lines) == 1) != c.line || (text.Len() > 0) != c.written || c.written &&
			!strings.Contains(text.String(), `"requestId":"ABCDEFGH","method":"GET","path":"/`) {
			t.Errorf("%s: lines %q, records %s", name, to.lines, text.String())
		}
	}
}

// TestStopping: a server that is shutting down is not ready, which is expected and logs no warning.
func TestStopping(t *testing.T) {
	for stopping, level := range map[bool]string{false: "WARN", true: "INFO"} {
		var text bytes.Buffer
		New(slog.New(slog.NewJSONHandler(&text, nil))).Write(
			&Request{Path: "/readyz", Status: 503, Stopping: stopping}, time.Now())
		if !strings.Contains(text.String(), `"level":"`+level+`"`) {
			t.Errorf("stopping %v: %s", stopping, text.String())
		}
	}
}

// TestShortenPath: a line holds at most MaxPath bytes of a path, escapes included, and short paths whole.
func TestShortenPath(t *testing.T) {
	for name, c := range map[string]struct {
		path string
		want int // length of the result
	}{
		"short":            {"/a.jpg", 6},
		"the longest":      {"/" + strings.Repeat("a", MaxPath-1), MaxPath},
		"a byte more":      {"/" + strings.Repeat("a", MaxPath), MaxPath},
		"a header's limit": {"/" + strings.Repeat("a", 32<<10), MaxPath},
		"escapes":          {strings.Repeat("\xff", 32<<10), (MaxPath-3)/6 + 3},
		"quotes":           {strings.Repeat(`"`, 341), 341},
		"none":             {"", 0},
	} {
		got := ShortenPath(c.path)
		if len(got) != c.want || got != c.path && !strings.HasPrefix(c.path, strings.TrimSuffix(got, "...")) {
			t.Errorf("%s: %d bytes, expected %d: %.40q", name, len(got), c.want, got)
		}
		var line bytes.Buffer
		slog.New(slog.NewJSONHandler(&line, nil)).Info("request", "path", got)
		if n := len(line.String()) - len(`{"time":"","level":"INFO","msg":"request","path":""}`); n > MaxPath+40 {
			t.Errorf("%s: the line has %d bytes", name, n)
		}
	}
}
