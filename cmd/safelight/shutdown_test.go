package main

import (
	"bytes"
	"image"
	"image/png"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
)

// TestStopsGracefully sends SIGTERM while a picture waits for its source: the server says that it is not ready and goes
// on serving, then takes no more connections, and ends once the picture was sent.
func TestStopsGracefully(t *testing.T) {
	for delay := 5 * time.Second; !stopsGracefully(t, delay); delay *= 4 {
		t.Logf("this machine does not answer within %v", delay)
	}
}

// stopsGracefully is TestStopsGracefully with that time between the signal and the end of connections; false if it
// passed before the test had asked what it asks meanwhile.
func stopsGracefully(t *testing.T, delay time.Duration) (inTime bool) {
	var picture bytes.Buffer
	if err := png.Encode(&picture, image.NewGray(image.Rect(0, 0, 16, 16))); err != nil {
		t.Fatal(err)
	}
	asked, gate := make(chan struct{}), make(chan struct{})
	source := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		close(asked)
		<-gate
		w.Header().Set("Content-Type", "image/png")
		_, _ = w.Write(picture.Bytes())
	}))
	defer source.Close()
	send := sync.OnceFunc(func() { close(gate) })
	defer send()
	host := strings.TrimPrefix(source.URL, "http://")
	s := startReal(
		t, "--shutdown-delay", delay.String(), "--load-timeout", "1m", "--shutdown-timeout", "1m",
		"--remote-sources", host, "--remote-networks", "127.0.0.0/8",
	)
	running := make(chan reply, 1)
	go func() { running <- s.get(s.signed("8x8/" + source.URL + "/a.png")) }()
	<-asked
	if r := s.get("/readyz"); r.status != 200 {
		t.Errorf("/readyz is %d before the end", r.status)
	}
	signaled := time.Now()
	if err := s.command.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	var r reply
	waitFor(
		t, func() bool { r = s.get("/readyz"); return r.status != 200 },
		func() string { return "/readyz does not turn red" },
	)
	for _, during := range []struct {
		what   string
		r      reply
		status int
	}{{"/readyz", r, 503}, {"/healthz", s.get("/healthz"), 200}, {"a picture", s.get(s.signed("9x9/color:red")), 200}} {
		if during.r.err != nil && time.Since(signaled) >= delay {
			return false
		}
		if during.r.status != during.status {
			t.Errorf("%s is %d during the delay: %v", during.what, during.r.status, during.r.err)
		}
	}
	s.client.CloseIdleConnections()
	waitFor(
		t, func() bool { return s.get("/healthz").err != nil },
		func() string { return "it takes connections after the delay" },
	)
	select {
	case r := <-running:
		t.Fatalf("the running request ended too early: %d %v", r.status, r.err)
	case <-s.done:
		t.Fatal("the server ended before the running request")
	default:
	}
	send()
	if r := <-running; r.err != nil || r.status != 200 || len(r.body) == 0 {
		t.Errorf("the running request: %d %v", r.status, r.err)
	}
	if err := s.stop(); err != nil {
		t.Error(err)
	}
	return true
}
