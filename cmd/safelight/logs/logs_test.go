package logs_test

import (
	"bytes"
	"context"
	"errors"
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

// TestLines: a line of members is the one of a record with them; only a handler of JSON without attributes or groups
// around takes it.
func TestLines(t *testing.T) {
	var got buffer
	w := logs.NewWriter(&got)
	h := logs.NewHandler(w, true, nil)
	r := slog.NewRecord(time.Date(2026, 11, 22, 20, 59, 1, 123456789, time.FixedZone("", 3600)), slog.LevelInfo,
		logs.Request, 0)
	r.AddAttrs(slog.String("a", "b"), slog.Int("c", 1))
	if err := errors.Join(h.Handle(context.Background(), r), h.(lineWriter).WriteRequest(r.Time,
		[]byte(`"a":"b","c":1`)), w.Flush()); err != nil {
		t.Fatal(err)
	}
	if lines := strings.Split(got.String(), "\n"); len(lines) != 3 || lines[0] != lines[1] || lines[2] != "" ||
		!strings.Contains(lines[0], `"c":1`) {
		t.Errorf("%q", lines)
	}
	for name, other := range map[string]slog.Handler{"text": logs.NewHandler(w, false, nil),
		"attributes": h.WithAttrs([]slog.Attr{slog.Int("d", 2)}), "a group": h.WithGroup("g")} {
		if _, takes := other.(lineWriter); takes {
			t.Errorf("%s: takes lines", name)
		}
	}
}

// lineWriter is what takes lines of requests.
type lineWriter interface {
	WriteRequest(at time.Time, members []byte) error
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

// TestShorten: a record holds at most 2 KiB of a text or of an error, and a whole stack.
func TestShorten(t *testing.T) {
	long := strings.Repeat("x", 32<<10)
	for key, value := range map[string]any{"path": long, "error": errors.New(long), "stack": long, "short": "x",
		"number": 3} {
		var out bytes.Buffer
		log := slog.New(slog.NewJSONHandler(&out, &slog.HandlerOptions{ReplaceAttr: logs.Shorten}))
		log.Warn("failure", key, value)
		if limit, n := 2200, out.Len(); n > limit != (key == "stack") {
			t.Errorf("%s: the line has %d bytes", key, n)
		}
		if !strings.Contains(out.String(), `"`+key+`":`) {
			t.Errorf("%s is missing: %.100s", key, out.String())
		}
	}
}
