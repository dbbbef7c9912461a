package main

import (
	"fmt"
	"net"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"
)

// TestManyBodies: 2,803 connections that each send 990 KB of a login of 1 MB and wait, and as many that each send 30
// KiB of a header, stop neither the server, in a cgroup of 1 GiB, nor the requests of others. Afterwards the memory
// goes back.
func TestManyBodies(t *testing.T) {
	if testing.Short() {
		t.Skip("sends gigabytes")
	}
	s, err := launchProgram(t, newMemoryGroup(t, 1<<30).program(t), t.TempDir(), nil, "--supervise=false")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.stop() })
	before := s.process("VmRSS")
	peak := before
	ordinary := &http.Client{Timeout: time.Minute, Transport: &http.Transport{DisableKeepAlives: true}}
	for name, request := range map[string]string{
		"bodies": "POST /api/auth/login HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: " +
			"1000000\r\n\r\n" +
			`{"username":"` + strings.Repeat("x", 990_000),
		"headers": "GET /healthz HTTP/1.1\r\nHost: x\r\nX: " + strings.Repeat("x", 30<<10),
	} {
		done := make(chan struct{})
		var held []net.Conn
		go func() {
			defer close(done)
			held = attack(strings.TrimPrefix(s.url, "http://"), request, 2803)
		}()
		for n, attacked := 0, true; attacked || n < 20; n++ {
			select {
			case <-done:
				attacked = false
			default:
			}
			response, err := ordinary.Get(s.url + "/healthz")
			if err != nil {
				t.Fatalf("%s: request %d: %v", name, n, err)
			}
			_ = response.Body.Close()
			if response.StatusCode != http.StatusOK {
				t.Fatalf("%s: request %d: %d", name, n, response.StatusCode)
			}
			peak = max(peak, s.process("VmRSS"))
		}
		for _, c := range held {
			_ = c.Close()
		}
	}
	t.Logf("resident: %d MiB before, at most %d MiB", before>>20, peak>>20)
	if peak > 512<<20 {
		t.Errorf("the server took %d MiB", peak>>20)
	}
	most := before + 64<<20
	waitFor(t, func() bool { return s.process("VmRSS") < most }, func() string {
		return fmt.Sprintf("%d MiB are still resident, %d MiB before", s.process("VmRSS")>>20, before>>20)
	})
}

// attack opens connections that send a part of a request each, and returns those that are open.
func attack(address, request string, n int) (held []net.Conn) {
	var mu sync.Mutex
	var wg sync.WaitGroup
	turns := make(chan struct{}, 200)
	for range n {
		turns <- struct{}{}
		wg.Go(func() {
			defer func() { <-turns }()
			c, err := net.Dial("tcp", address)
			if err != nil {
				return
			}
			_ = c.SetWriteDeadline(time.Now().Add(10 * time.Second))
			_, _ = c.Write([]byte(request)) // the server may have closed it
			mu.Lock()
			held = append(held, c)
			mu.Unlock()
		})
	}
	wg.Wait()
	return held
}
