package main

import (
	"bytes"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"time"
)

// hostileWatch measures a server's memory and asks it for ordinary things, until it ends.
type hostileWatch struct {
	server *realServer
	stop   chan struct{}
	wg     sync.WaitGroup

	mu        sync.Mutex
	peak, now int64
	lines     []string // what ordinary requests got that was not right
}

func watchHostile(b *realServer) *hostileWatch {
	w := &hostileWatch{server: b, stop: make(chan struct{})}
	w.wg.Go(func() {
		w.every(100*time.Millisecond, func(int) {
			n := processTreePSS(b.command.Process.Pid)
			w.mu.Lock()
			w.peak, w.now = max(w.peak, n), max(w.now, n)
			w.mu.Unlock()
		})
	})
	w.wg.Go(func() {
		w.every(500*time.Millisecond, func(n int) {
			w.ask("/healthz")
			w.ask(b.signed(fmt.Sprintf("%dx%d/plain.jpg", 20+n%200, 20+n/200%200))) // a new one each time
		})
	})
	return w
}

func (w *hostileWatch) every(d time.Duration, do func(n int)) {
	tick := time.NewTicker(d)
	defer tick.Stop()
	for n := 0; ; n++ {
		select {
		case <-w.stop:
			return
		case <-w.server.done:
			return
		case <-tick.C:
			do(n)
		}
	}
}

// ask sends an ordinary request; an error is the server's end, which is seen elsewhere.
func (w *hostileWatch) ask(path string) {
	r := w.server.get(path)
	if r.err == nil && r.status != http.StatusOK {
		w.mu.Lock()
		w.lines = append(w.lines, fmt.Sprintf("%s: %d after %v: %.200s", path, r.status, r.took, r.body))
		w.mu.Unlock()
	}
}

// note records the memory once more, to catch short peaks.
func (w *hostileWatch) note() {
	n := processTreePSS(w.server.command.Process.Pid)
	w.mu.Lock()
	w.peak, w.now = max(w.peak, n), max(w.now, n)
	w.mu.Unlock()
}

// since is the most memory since it was last asked for.
func (w *hostileWatch) since() int64 {
	w.mu.Lock()
	defer w.mu.Unlock()
	n := w.now
	w.now = 0
	return n
}

// end stops watching and returns the most memory, in bytes, and what went wrong for others.
func (w *hostileWatch) end() (peak int64, lines []string) {
	close(w.stop)
	w.wg.Wait()
	return w.peak, w.lines
}

var pssLine = regexp.MustCompile(`(?m)^Pss:\s+(\d+) kB`)

// processTree is a process and all below it.
func processTree(root int) map[int]bool {
	parents := map[int]int{}
	stats, _ := filepath.Glob("/proc/[0-9]*/stat")
	for _, name := range stats {
		b, err := os.ReadFile(name)
		if err != nil {
			continue // it has ended meanwhile
		}
		fields := strings.Fields(string(b[bytes.LastIndexByte(b, ')')+1:]))
		pid, _ := strconv.Atoi(strings.Split(name, "/")[2])
		parents[pid], _ = strconv.Atoi(fields[1])
	}
	tree := map[int]bool{}
	for pid := range parents {
		at := pid
		for at > 1 && at != root {
			at = parents[at]
		}
		if at == root {
			tree[pid] = true
		}
	}
	return tree
}

// processTreePSS is the memory of a process and all below it, in bytes: what they share counts once.
func processTreePSS(root int) (sum int64) {
	for pid := range processTree(root) {
		b, _ := os.ReadFile(fmt.Sprintf("/proc/%d/smaps_rollup", pid)) // empty for who has ended
		if m := pssLine.FindSubmatch(b); m != nil {
			kib, _ := strconv.ParseInt(string(m[1]), 10, 64)
			sum += kib << 10
		}
	}
	return sum
}

// uploadAs sends a file by the multipart form of GraphQL, as the admin.
func (s *hostileSite) uploadAs(path string, data []byte) reply {
	s.Helper()
	if s.token == "" {
		s.token = s.login()
	}
	return s.realServer.upload(s.token, path, data)
}
