package server

import (
	"errors"
	"io"
	"net"
	"os"
	"testing"
	"time"
)

// TestUnusedConnectionEndsSilently: an unused connection times out without a response, and one with a partial request gets
// one.
func TestUnusedConnectionEndsSilently(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	client, err := net.Dial("tcp", l.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer client.Close()
	conn, err := countingListener{Listener: l}.Accept()
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	expire := func() error {
		if err := conn.SetReadDeadline(time.Now().Add(-time.Second)); err != nil {
			t.Fatal(err)
		}
		_, err := conn.Read(make([]byte, 1))
		return err
	}
	if err := expire(); err != io.EOF {
		t.Errorf("nothing was asked: %v, expected the end", err)
	}
	if _, err := client.Write([]byte("G")); err != nil {
		t.Fatal(err)
	}
	if err := conn.SetReadDeadline(time.Time{}); err != nil {
		t.Fatal(err)
	}
	if n, err := conn.Read(make([]byte, 1)); n != 1 {
		t.Fatal(n, err)
	}
	if err := expire(); !errors.Is(err, os.ErrDeadlineExceeded) {
		t.Errorf("a request has begun: %v, expected its time to be over", err)
	}
}
