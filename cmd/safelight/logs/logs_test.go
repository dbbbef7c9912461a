package logs_test

import (
	"bytes"
	"context"
	"log/slog"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/safelight/safelight/cmd/safelight/logs"
)

// buffer is a bytes.Buffer for several goroutines.
type buffer struct {
	mu     sync.Mutex
	text   bytes.Buffer
	writes int
}

func (b *buffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.writes++
	return b.text.Write(p)
}

func (b *buffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.text.String()
}

// known is a value that appends itself, unless it is empty.
type known string

func (k known) LogValue() slog.Value { return slog.GroupValue(slog.String("a", "slog "+string(k))) }

func (k known) AppendJSON(b []byte) ([]byte, bool) {
	return append(b, `"a":"itself `+string(k)+`"`...), k != ""
}

// TestLines: a record of one value that appends itself is written so, any other by slog.
func TestLines(t *testing.T) {
	at := time.Date(2026, 11, 22, 20, 59, 1, 123456789, time.FixedZone("", 3600))
	const begin = `{"time":"2026-11-22T20:59:01.123456789+01:00","level":"INFO","msg":"request"`
	for _, c := range []struct {
		attrs []slog.Attr
		want  string
	}{
		{nil, ""},
		{[]slog.Attr{slog.Any("", known("x"))}, `,"a":"itself x"`},
		{[]slog.Attr{slog.Any("", known(""))}, `,"a":"slog "`},
		{[]slog.Attr{slog.Any("b", known("x"))}, `,"b":{"a":"slog x"}`},
		{[]slog.Attr{slog.Any("", known("x")), slog.Int("c", 1)}, `,"a":"slog x","c":1`},
		{[]slog.Attr{slog.Int("c", 1)}, `,"c":1`},
	} {
		var got buffer
		w := logs.NewWriter(&got)
		r := slog.NewRecord(at, slog.LevelInfo, logs.Request, 0)
		r.AddAttrs(c.attrs...)
		if err := logs.NewHandler(w, true, nil).Handle(context.Background(), r); err != nil {
			t.Fatal(err)
		}
		if err := w.Flush(); err != nil {
			t.Fatal(err)
		}
		if want := begin + c.want + "}\n"; got.String() != want {
			t.Errorf("%v: %s\nexpected %s", c.attrs, got.String(), want)
		}
	}
}

// TestFlush: lines of requests wait; any other line brings them along, in order.
func TestFlush(t *testing.T) {
	for _, json := range []bool{true, false} {
		var out buffer
		w := logs.NewWriter(&out)
		log := slog.New(logs.NewHandler(w, json, nil))
		log.Info(logs.Request, "n", "first")
		log.With("a", 1).WithGroup("g").Info(logs.Request, "n", "second")
		log.Info("other")
		log.Info(logs.Request, "n", "third")
		log.Warn(logs.Request, "n", "fourth")
		text := out.String()
		var last int
		for _, part := range []string{"first", "second", "other", "third", "fourth"} {
			i := strings.Index(text[last:], part)
			if i < 0 {
				t.Fatalf("%s is missing after %d: %s", part, last, text)
			}
			last += i
		}
		if n := strings.Count(text, "\n"); n != 5 {
			t.Errorf("%d lines", n)
		}
		log.Info(logs.Request, "n", "fifth")
		for !strings.Contains(out.String(), "fifth") { // by the timer
			time.Sleep(time.Millisecond)
		}
	}
}

// TestManyLines: many goroutines lose no line, and few writes take them all.
func TestManyLines(t *testing.T) {
	const goroutines, each = 8, 3000
	var out buffer
	w := logs.NewWriter(&out)
	log := slog.New(logs.NewHandler(w, true, nil))
	var wait sync.WaitGroup
	for range goroutines {
		wait.Go(func() {
			for range each {
				log.Info(logs.Request, "path", strings.Repeat("x", 100))
			}
		})
	}
	wait.Wait()
	if err := w.Flush(); err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSuffix(out.String(), "\n"), "\n")
	if len(lines) != goroutines*each || out.writes > len(lines)/10 {
		t.Errorf("%d lines in %d writes, expected %d in a tenth", len(lines), out.writes, goroutines*each)
	}
	for _, l := range lines {
		if !strings.HasPrefix(l, `{"time"`) || !strings.HasSuffix(l, `x"}`) {
			t.Fatalf("a line is torn: %s", l)
		}
	}
}
