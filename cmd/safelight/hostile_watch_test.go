package main

import (
	"bytes"
	"fmt"
	"net/http"
	"os"
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
	tree      *processTree
	peak, now int64
	lines     []string // what ordinary requests got that was not right
}

func watchHostile(b *realServer) *hostileWatch {
	w := &hostileWatch{server: b, stop: make(chan struct{}), tree: treeOf(b.command.Process.Pid)}
	w.wg.Go(func() {
		w.every(100*time.Millisecond, func(int) { w.note() })
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

// note records the memory after each request, in addition to the periodic samples, to catch short peaks.
func (w *hostileWatch) note() {
	w.mu.Lock()
	defer w.mu.Unlock()
	n := w.tree.memory()
	w.peak, w.now = max(w.peak, n), max(w.now, n)
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
type processTree struct {
	root    string
	parents map[string]string // of the processes that the last look found, whatever tree they are of
}

func treeOf(root int) *processTree { return &processTree{root: strconv.Itoa(root)} }

// look returns the ids of the processes. It asks for the parents of new processes only, because a watch looks ten times
// a second.
func (p *processTree) look() []string {
	folder, err := os.Open("/proc")
	if err != nil {
		return nil
	}
	defer folder.Close()
	names, _ := folder.Readdirnames(-1)
	seen := map[string]string{}
	for _, name := range names {
		if name[0] < '0' || name[0] > '9' {
			continue
		}
		parent := p.parents[name]
		if parent == "" {
			b, err := os.ReadFile("/proc/" + name + "/stat")
			if err != nil {
				continue // it has ended meanwhile
			}
			parent = strings.Fields(string(b[bytes.LastIndexByte(b, ')')+1:]))[1]
		}
		seen[name] = parent
	}
	p.parents = seen
	var tree []string
	for pid := range seen {
		at := pid
		for at != "" && at != p.root {
			at = seen[at]
		}
		if at != "" {
			tree = append(tree, pid)
		}
	}
	return tree
}

// memory returns the memory of the processes in bytes. Up to maxHostileMemory it counts pages that they share for each
// of them, which takes a hundredth of the time of counting them once.
func (p *processTree) memory() (sum int64) {
	tree := p.look()
	for _, pid := range tree {
		b, _ := os.ReadFile("/proc/" + pid + "/statm") // empty for who has ended
		if fields := strings.Fields(string(b)); len(fields) > 1 {
			pages, _ := strconv.ParseInt(fields[1], 10, 64)
			sum += pages * int64(os.Getpagesize())
		}
	}
	if sum <= maxHostileMemory {
		return sum
	}
	sum = 0
	for _, pid := range tree {
		b, _ := os.ReadFile("/proc/" + pid + "/smaps_rollup")
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
