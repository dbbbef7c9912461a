package server_test

import (
	"fmt"
	"io"
	"net"
	"strings"
	"testing"
	"time"

	"github.com/safelight/safelight/gallery/gallerytest"
	"github.com/safelight/safelight/server"
)

// TestStopWaitsForBodies checks that a server which stops sends bodies to their ends, which it writes after handlers
// have returned.
func TestStopWaitsForBodies(t *testing.T) {
	const size = 32 << 20
	s := newStageWith(t, func(c *server.Config, r *gallerytest.Config) {
		c.Unsafe, c.ShutdownTimeout, r.Uploads.MaxFileBytes = true, time.Minute, 2*size
	}, func(d *server.Deps) { d.Engine = largeEngine{d.Engine.(*fakeEngine)} })
	s.store("big.png", png+strings.Repeat("x", size))
	client, err := net.Dial("tcp", strings.TrimPrefix(s.url, "http://"))
	s.must(err)
	defer client.Close()
	_, err = fmt.Fprint(client, "GET /unsafe/10x10/big.png HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")
	s.must(err)
	_, err = io.ReadFull(client, make([]byte, 1000))
	s.must(err)
	s.stop()
	select {
	case <-s.stopped:
		t.Fatal("the server stopped while it sent a response")
	case <-time.After(2500 * time.Millisecond): // it looks for a second whether nothing is in progress
	}
	n, err := io.Copy(io.Discard, client)
	if err != nil || n < size-1000 {
		t.Errorf("%d bytes of a response and %v, expected all of %d", n+1000, err, size)
	}
}
