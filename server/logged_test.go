package server

import (
	"bytes"
	"context"
	"log/slog"
	"net/netip"
	"strings"
	"testing"
	"time"
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
		"long":          {func(l *logged) { l.took = 1000000 * time.Hour }, true},
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
		r.AddAttrs(slog.Any("", &l))
		if err := slog.NewJSONHandler(&want, nil).Handle(context.Background(), r); err != nil {
			t.Fatal(err)
		}
		got, plain := l.AppendJSON([]byte(`{"level":"INFO","msg":"request",`))
		if plain != c.plain || plain && string(got)+"}\n" != want.String() || !strings.Contains(want.String(), `,"method":"GET",`) {
			t.Errorf("%s: %s, plain: %v\nexpected %s", name, got, plain, want.String())
		}
	}
}
