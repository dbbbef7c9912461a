package main

import (
	"bytes"
	"image"
	"image/png"
	"net/http"
	"net/http/httptest"
	"strings"
	"syscall"
	"testing"
)

// TestStopsGracefully sends SIGTERM while a picture waits for its source: the server says that it is not ready and goes on serving,
// then takes no more connections, and ends once the picture was sent.
func TestStopsGracefully(t *testing.T) {
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
	host := strings.TrimPrefix(source.URL, "http://")
	s := startReal(t, "--shutdown-delay", "5s", "--load-timeout", "1m", "--shutdown-timeout", "1m", "--remote-sources", host, "--remote-networks", "127.0.0.0/8")
	running := make(chan reply, 1)
	go func() { running <- s.get(s.signed("8x8/" + source.URL + "/a.png")) }()
	<-asked
	if r := s.get("/readyz"); r.status != 200 {
		t.Errorf("/readyz is %d before the end", r.status)
	}
	if err := s.command.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	waitFor(t, func() bool { return s.get("/readyz").status == 503 }, func() string { return "/readyz does not turn red" })
	if r := s.get("/healthz"); r.status != 200 {
		t.Errorf("/healthz is %d during the delay", r.status)
	}
	if r := s.get(s.signed("9x9/color:red")); r.status != 200 {
		t.Errorf("a picture is %d during the delay: %v", r.status, r.err)
	}
	s.client.CloseIdleConnections()
	waitFor(t, func() bool { return s.get("/healthz").err != nil }, func() string { return "it takes connections after the delay" })
	select {
	case r := <-running:
		t.Fatalf("the running request ended too early: %d %v", r.status, r.err)
	case <-s.done:
		t.Fatal("the server ended before the running request")
	default:
	}
	close(gate)
	if r := <-running; r.err != nil || r.status != 200 || len(r.body) == 0 {
		t.Errorf("the running request: %d %v", r.status, r.err)
	}
	if err := s.stop(); err != nil {
		t.Error(err)
	}
}
