package storage

import (
	"errors"
	"net/http/httptest"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/safelight/safelight/fault"
)

// TestS3Down asks a server that is not there: the first call tries maxTries times, the next does not.
func TestS3Down(t *testing.T) {
	server := httptest.NewServer(nil)
	server.Close()
	var dials atomic.Int64
	s, err := OpenS3(
		t.Context(),
		S3Config{Bucket: "bucket", Endpoint: server.URL, PathStyle: true, AccessKeyID: "id", SecretAccessKey: "secret",
			Control: func(string, string, syscall.RawConn) error { dials.Add(1); return nil }},
	)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	now := time.Now() // the pause of the breaker does not end on a busy machine
	s.(*bucket).o.(*s3Bucket).breaker.now = func() time.Time { return now }
	for call := range 3 {
		_, err := s.Stat(t.Context(), "file")
		if fault.CodeOf(err) != fault.Unavailable || fault.Of(err).RetryAfter <= 0 {
			t.Errorf("call %d: %v, expected UNAVAILABLE with a time to try again", call, err)
		}
	}
	if n := dials.Load(); n != maxTries {
		t.Errorf("three calls make %d connections, expected %d", n, maxTries)
	}
}

func TestBreaker(t *testing.T) {
	now := time.Now()
	b := &breaker{now: func() time.Time { return now }}
	down := errors.New("down")
	open := func(want bool, when string) {
		t.Helper()
		if err := b.check(); (err != nil) != want {
			t.Errorf("%s: %v, expected open %v", when, err, want)
		}
	}
	for range breakerFailures {
		open(false, "before the last failure")
		b.record(down)
	}
	open(true, "after it")
	now = now.Add(breakerPause)
	open(false, "after the pause")
	open(true, "for everybody else")
	b.record(down)
	open(true, "after the trial failed")
	now = now.Add(breakerPause)
	open(false, "after another pause")
	b.record(nil)
	open(false, "after an answer")
	b.record(sourceError{down})
	b.record(sourceError{down})
	b.record(sourceError{down})
	open(false, "after errors of what was to be sent")
}
