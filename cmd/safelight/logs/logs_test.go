package logs_test

import (
	"bytes"
	"context"
	"io"
	"log/slog"
	"math"
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

// TestSameLines: a request's line is the one that slog writes.
func TestSameLines(t *testing.T) {
	at := time.Date(2026, 11, 22, 20, 59, 1, 123456789, time.FixedZone("", 3600))
	for name, attrs := range map[string][]slog.Attr{
		"none":            nil,
		"all":             {slog.String("requestId", "ABC"), slog.Int("status", 200), slog.Float64("ms", 0.012), slog.String("user", "")},
		"quotes":          {slog.String("path", `/a"b\c`)},
		"controls":        {slog.String("path", "/a\nb\x7f\x00")},
		"other letters":   {slog.String("path", "/é\u2028")},
		"not UTF-8":       {slog.String("path", "/\xff")},
		"HTML":            {slog.String("path", "/<a&b>")},
		"numbers":         {slog.Float64("a", 0), slog.Float64("b", 1e-7), slog.Float64("c", 1e21), slog.Float64("d", 123456.789), slog.Float64("e", math.NaN()), slog.Int("f", -1)},
		"other kinds":     {slog.Bool("a", true), slog.Duration("b", time.Second), slog.Any("c", io.EOF), slog.Group("d", slog.Int("e", 1))},
		"a key to quote":  {slog.String(`a"b`, "")},
		"one of a number": {slog.Int(`a"b`, 1)},
		"one of a float":  {slog.Float64("a\n", 1)},
	} {
		var want bytes.Buffer
		var got buffer
		w := logs.NewWriter(&got)
		for _, h := range []slog.Handler{slog.NewJSONHandler(&want, nil), logs.NewHandler(w, true, nil)} {
			r := slog.NewRecord(at, slog.LevelInfo, logs.Request, 0)
			r.AddAttrs(attrs...)
			if err := h.Handle(context.Background(), r); err != nil {
				t.Fatal(err)
			}
		}
		if err := w.Flush(); err != nil {
			t.Fatal(err)
		}
		if got.String() != want.String() {
			t.Errorf("%s: %s\nexpected %s", name, got.String(), want.String())
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
