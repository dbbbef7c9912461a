package timeseries

import (
	"bytes"
	"os"
	"strconv"
	"time"
)

// Hour contains the activity of a server in the last hour, or since an earlier result of Recorder.Last.
type Hour struct {
	Server   Server
	Interval int32     // seconds
	Cursor   string    // for Recorder.Last
	Samples  []*Sample // oldest first
}

// Server is the server that responds.
type Server struct {
	ID        string // of this run
	Name      string // host name of its machine or container
	StartedAt time.Time
}

// Sample contains the activity in an interval, and the gauges at its end.
type Sample struct {
	At                time.Time // end
	Seconds           float64   // length
	Answers, Images   int32
	ImageMilliseconds *float64 // mean time of an image request without sending; nil if there was no request
	Hits, Misses      int32
	Waiting, Running  int32
	MaxRunning        int32
	Workers           int32 // processes
	MemoryBytes       int64
	WorkerBytes       int64
	Stages            []*StageTime // in the order in which requests go through them
}

// StageTime is the time that image requests spent in a stage during an interval. Requests overlap, so the time can
// exceed the interval.
type StageTime struct {
	Stage   Stage
	Seconds float64
}

// between returns the sample of the time between two totals.
func between(a, b *totals) *Sample {
	s := &Sample{At: b.at.UTC(), Seconds: b.at.Sub(a.at).Seconds(), Answers: grown(a.Answers, b.Answers),
		Images: grown(a.Images, b.Images), Hits: grown(a.Hits, b.Hits), Misses: grown(a.Misses, b.Misses),
		Waiting: int32(b.gauges.Waiting), Running: int32(b.gauges.Running), MaxRunning: int32(b.gauges.MaxRunning),
		Workers: int32(b.processes.Running), MemoryBytes: b.memory, WorkerBytes: b.processes.Bytes}
	if n := b.Images - a.Images; n > 0 {
		mean := float64(b.Took-a.Took) / float64(n) / float64(time.Millisecond)
		s.ImageMilliseconds = &mean
	}
	for i, stage := range Stages {
		s.Stages = append(s.Stages, &StageTime{Stage: stage, Seconds: (b.Spent[i] - a.Spent[i]).Seconds()})
	}
	return s
}

func grown(a, b int64) int32 { return int32(min(max(0, b-a), 1<<31-1)) }

// resident returns the resident memory of this process in bytes; 0 if it is unknown.
func resident() int64 {
	text, err := os.ReadFile("/proc/self/statm")
	if err != nil {
		return 0
	}
	fields := bytes.Fields(text)
	if len(fields) < 2 {
		return 0
	}
	pages, err := strconv.ParseInt(string(fields[1]), 10, 64)
	if err != nil {
		return 0
	}
	return pages * int64(os.Getpagesize())
}
