package timeseries

import (
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// newRecorder returns a recorder whose clock the test moves.
func newRecorder() (*Recorder, *time.Time) {
	now := time.Date(2026, 3, 4, 5, 6, 7, 0, time.UTC)
	r := New(func() time.Time { return now })
	r.memory = func() int64 { return 100 }
	return r, &now
}

func TestSample(t *testing.T) {
	r, now := newRecorder()
	counters, gauges := Counters{Hits: 5, Misses: 5}, Gauges{}
	r.Read(Sources{
		Counters: func() Counters { return counters },
		Gauges:   func() Gauges { return gauges },
		Workers:  func() Processes { return Processes{Running: 2, Bytes: 30} },
	})
	if h := r.Last(""); len(h.Samples) != 0 {
		t.Errorf("before the first sample there are %d", len(h.Samples))
	}
	r.Sample()
	counters = Counters{Answers: 3, Images: 2, Took: 40 * time.Millisecond, Hits: 9, Misses: 6}
	counters.Spent[3] = 25 * time.Millisecond // Encode
	gauges = Gauges{Waiting: 3, Running: 1, MaxRunning: 4}
	*now = now.Add(Interval)
	r.Sample()
	*now = now.Add(Interval)
	r.Sample()
	h := r.Last("")
	if len(h.Samples) != 2 || h.Interval != 10 || h.Server.ID == "" || h.Server.Name == "" {
		t.Fatalf("%d samples of %+v", len(h.Samples), h.Server)
	}
	s := h.Samples[0]
	if s.Answers != 3 || s.Images != 2 || s.ImageMilliseconds == nil || *s.ImageMilliseconds != 20 || s.Hits != 4 ||
		s.Misses != 1 || s.Waiting != 3 ||
		s.Running != 1 || s.MaxRunning != 4 || s.Workers != 2 || s.MemoryBytes != 100 || s.WorkerBytes != 30 ||
		s.Seconds != 10 {
		t.Errorf("the first interval: %+v", s)
	}
	if len(s.Stages) != 5 || s.Stages[0].Stage != Queue || s.Stages[3].Seconds != 0.025 || s.Stages[4].Seconds != 0 {
		t.Errorf("its stages: %+v", s.Stages)
	}
	if s := h.Samples[1]; s.Answers != 0 || s.ImageMilliseconds != nil || s.Hits != 0 || s.Waiting != 3 {
		t.Errorf("the second interval, in which nothing happened: %+v", s)
	}
}

// TestHour: an hour is kept, in order, and no more.
func TestHour(t *testing.T) {
	r, now := newRecorder()
	answers := int64(0)
	r.Read(Sources{Counters: func() Counters { return Counters{Answers: answers} }})
	for i := range Kept + 50 {
		answers += int64(i)
		r.Sample()
		*now = now.Add(Interval)
	}
	h := r.Last("")
	if len(h.Samples) != Kept || h.Samples[0].Answers != 50 || h.Samples[Kept-1].Answers != Kept+49 {
		t.Errorf("%d samples from %d to %d answers, expected %d from 50 to %d", len(h.Samples), h.Samples[0].Answers,
			h.Samples[len(h.Samples)-1].Answers, Kept, Kept+49)
	}
	if !slices.IsSortedFunc(h.Samples, func(a, b *Sample) int { return a.At.Compare(b.At) }) {
		t.Error("the samples are out of order")
	}
}

func TestCursor(t *testing.T) {
	r, now := newRecorder()
	sample := func(n int) {
		for range n {
			r.Sample()
			*now = now.Add(Interval)
		}
	}
	sample(4)
	cursor := r.Last("").Cursor
	if h := r.Last(cursor); len(h.Samples) != 0 || h.Cursor != cursor {
		t.Errorf("nothing is new, and %d samples come", len(h.Samples))
	}
	sample(2)
	if h := r.Last(cursor); len(h.Samples) != 2 {
		t.Errorf("%d samples are new, expected 2", len(h.Samples))
	}
	other, _ := newRecorder()
	other.Sample()
	for _, c := range []string{other.Last("").Cursor, "x", r.id + ".", r.id + ".-1", r.id + ".99", r.id + ".1e1", r.id +
		".1 ", r.id + ".99999999999999999999", "\x00"} {
		if h := r.Last(c); len(h.Samples) != 5 {
			t.Errorf("with the cursor %q come %d samples, expected all 5", c, len(h.Samples))
		}
	}
	sample(Kept + 10)
	if h := r.Last(cursor); len(h.Samples) != Kept {
		t.Errorf("with an old cursor come %d samples, expected %d", len(h.Samples), Kept)
	}
}

// TestIdle: the memory of workers, which is not cheap to read, is read once a minute while nothing is processed.
func TestIdle(t *testing.T) {
	r, _ := newRecorder()
	reads, running := 0, 0
	r.Read(Sources{Gauges: func() Gauges { return Gauges{Running: running} },
		Workers: func() Processes { reads++; return Processes{Running: 7} }})
	for range 60 {
		r.Sample()
	}
	if reads != 10 {
		t.Errorf("ten idle minutes read the workers %d times, expected 10", reads)
	}
	if s := r.Last("").Samples; s[len(s)-1].Workers != 7 {
		t.Errorf("an idle sample has %d workers, expected those of the last look", s[len(s)-1].Workers)
	}
	running = 1
	for range 6 {
		r.Sample()
	}
	if reads != 16 {
		t.Errorf("a busy minute read the workers %d times, expected 6", reads-10)
	}
}

func TestAtOnce(t *testing.T) {
	r := New(nil)
	var images atomic.Int64
	r.Read(Sources{Counters: func() Counters { return Counters{Images: images.Load()} }})
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			for range 1000 {
				images.Add(1)
				r.Sample()
				r.Last("")
			}
		})
	}
	wg.Wait()
	if n := len(r.Last("").Samples); n != Kept {
		t.Errorf("%d samples are kept, expected %d", n, Kept)
	}
	if resident() <= 0 {
		t.Error("the memory of this process is not known")
	}
}
