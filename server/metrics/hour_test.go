package metrics

import (
	"testing"
	"time"

	"github.com/safelight/safelight/server/admission"
	"github.com/safelight/safelight/timeseries"
)

// TestHour: answers that go through the routes, and those from the response cache, are in the figures of the last hour.
func TestHour(t *testing.T) {
	hour := timeseries.New(nil)
	m := New(Sources{Work: admission.New(admission.Config{Slots: 3}), Workers: 3, Hour: hour,
		Requests: func() int64 { return 0 }, SourceMemory: func() int64 { return 0 }})
	hour.Sample()
	m.Request("graphql", 200, time.Millisecond)
	m.Request(Image, 200, 30*time.Millisecond)
	m.Cached(200, 10*time.Millisecond)
	m.Stage(Encode, time.Second)
	m.Stage(Write, 2*time.Second)
	hour.Sample()
	s := hour.Last("").Samples[0]
	if s.Answers != 3 || s.Images != 2 || s.ImageMilliseconds == nil || *s.ImageMilliseconds != 20 ||
		s.MaxRunning != 3 {
		t.Errorf("the figures are %+v, expected 3 answers and 2 images of 20 ms", s)
	}
	spent := map[timeseries.Stage]float64{}
	for _, one := range s.Stages {
		spent[one.Stage] = one.Seconds
	}
	if spent[timeseries.Load] != 0.01 || spent[timeseries.Encode] != 1 || spent[timeseries.Send] != 2 ||
		spent[timeseries.Queue] != 0 {
		t.Errorf("the stages took %v", spent)
	}
}
