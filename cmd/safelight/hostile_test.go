package main

import (
	"cmp"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/safelight/safelight/imaging/hostile"
)

// The variables of `make hostile`: that the whole corpus runs, not a sample of it, and which classes do (all when it
// is empty; parts of their names, with commas).
const (
	hostileWhole   = "SAFELIGHT_TEST_HOSTILE"
	hostileClasses = "SAFELIGHT_TEST_HOSTILE_CLASSES"
	hostileModes   = "SAFELIGHT_TEST_HOSTILE_MODES"
)

// maxHostileMemory is the memory-limit of the server in these tests: what it and its workers may take together,
// whatever is sent.
const maxHostileMemory = 700 << 20

// hostileSample is the time limit of the sample in `make test`; `make hostile` runs everything.
const hostileSample = 3 * time.Minute

// hostileTimeout is the server's process-timeout in these tests.
const hostileTimeout = 10 * time.Second

// hostileStatuses are those that a hostile file or path may get.
var hostileStatuses = []int{200, 400, 404, 413, 415, 422, 503, 504}

// TestHostile sends hostile files and paths to the program in a separate process, while other clients request ordinary
// pictures. The program must stay alive, respond with a documented status and stay within its memory, and the other
// clients must be served. Without isolation, none of this is promised, so failures are only logged.
func TestHostile(t *testing.T) {
	modes := []string{"all", "risky", "off"}
	if text := os.Getenv(hostileModes); text != "" {
		modes = strings.Split(text, ",")
	} else if os.Getenv(hostileWhole) == "" {
		modes = modes[:1]
	}
	known := slices.ContainsFunc(settingsTable, func(s Setting) bool { return s.Name == "isolation" })
	for _, mode := range modes {
		t.Run(mode, func(t *testing.T) {
			if !known && mode != "off" {
				t.Skip("this binary has no isolation")
			}
			s := &hostileSite{T: t, protected: mode != "off"}
			if known {
				s.flags = []string{"--isolation", mode}
			}
			s.round()
		})
	}
}

// hostileSite is a server under attack; it is started again when it dies.
type hostileSite struct {
	*testing.T
	*realServer
	flags     []string
	protected bool // what goes wrong is a failure
	token     string
	watch     *hostileWatch
	slow      []hostileRequest
	worst     int64 // most memory that was reported, in bytes
}

// hostileRequest is one request of the round and how it went.
type hostileRequest struct {
	what   string
	status int
	took   time.Duration
}

func (s *hostileSite) round() {
	s.launch()
	seeds := s.seeds()
	files, requests := hostile.Files(seeds), hostile.Requests("plain.jpg")
	if os.Getenv(hostileWhole) == "" {
		files, requests = hostile.Sample(files, 1), sampleRequests(requests, 2)
	}
	began, left := time.Now(), 0
	enough := func() bool { return os.Getenv(hostileWhole) == "" && time.Since(began) > hostileSample }
	for _, r := range requests {
		switch {
		case enough():
			left++
		case wanted(r.Class):
			s.request(r.Class+": "+r.Path, r.Path)
		}
	}
	for _, f := range files {
		switch {
		case enough():
			left++
		case wanted(f.Class):
			s.file(f)
		}
	}
	s.Logf("%d files, %d requests, %d of them left out for want of time", len(files), len(requests), left)
	s.end()
	slices.SortFunc(s.slow, func(a, b hostileRequest) int { return cmp.Compare(b.took, a.took) })
	for _, r := range s.slow[:min(len(s.slow), 25)] {
		s.Logf("slow: %6.2f s, %d, %.150s", r.took.Seconds(), r.status, r.what)
	}
}

func sampleRequests(list []hostile.Request, n int) []hostile.Request {
	taken := map[string]int{}
	return slices.DeleteFunc(list, func(r hostile.Request) bool {
		taken[r.Class]++
		return taken[r.Class] > n
	})
}

func wanted(class string) bool {
	text := os.Getenv(hostileClasses)
	return text == "" ||
		slices.ContainsFunc(strings.Split(text, ","), func(part string) bool { return strings.Contains(class, part) })
}

// wrong is a failure where something is promised, and a line of the log elsewhere.
func (s *hostileSite) wrong(format string, a ...any) {
	s.Helper()
	if s.protected {
		s.Errorf(format, a...)
	} else {
		s.Logf("unprotected: "+format, a...)
	}
}

func (s *hostileSite) launch() {
	s.Helper()
	s.realServer = launchReal(
		s.T,
		append([]string{"--process-timeout", hostileTimeout.String(), "--queue-timeout", "5s",
			"--memory-limit", strconv.Itoa(maxHostileMemory)}, s.flags...)...)
	s.token = ""
	s.photo("plain.jpg", 480, 320)
	s.photo("tiny.jpg", 48, 40)
	s.watch = watchHostile(s.realServer)
}

// end stops the server and checks what the other clients got in the meantime.
func (s *hostileSite) end() {
	s.Helper()
	peak, lines := s.watch.end()
	if s.dead() {
		return
	}
	for _, line := range lines {
		s.wrong("a request beside: %s", line)
	}
	if peak > maxHostileMemory {
		s.wrong("the server and its workers took %d MB, expected at most %d", peak>>20, maxHostileMemory>>20)
	}
	s.Logf("most memory of all processes: at most %d MB", peak>>20)
	if err := s.stop(); err != nil {
		s.wrong("the end: %.500v", err)
	}
}

func (s *hostileSite) dead() bool {
	select {
	case <-s.done:
		return true
	default:
		return false
	}
}

// seeds asks the server for a small picture in each format.
func (s *hostileSite) seeds() hostile.Seeds {
	s.Helper()
	seeds := hostile.Seeds{}
	for ext, format := range map[string]string{"jpg": "jpeg", "png": "png", "gif": "gif", "webp": "webp",
		"avif": "avif", "heic": "heif", "tiff": "tiff", "jxl": "jxl", "jp2": "jp2"} {
		if r := s.get(s.signed("filters:format(" + format + ")/tiny.jpg")); r.status == 200 {
			seeds[ext] = r.body
		} else if r.status != 400 { // which means that this build does not write it
			s.Fatalf("no picture of format %s: %d %v %s", format, r.status, r.err, r.body)
		}
	}
	return seeds
}

// file uploads a file, which indexes it, and writes it to the folder too, because files that an upload rejects are
// served from there; then it asks for its metadata, a thumbnail and more.
func (s *hostileSite) file(f hostile.File) {
	s.Helper()
	data := f.Data()
	s.upload(f.Name, data)
	place := filepath.Join(s.files, f.Name)
	if err := os.WriteFile(place, data, 0o600); err != nil {
		s.Fatal(err)
	}
	for _, path := range []string{"meta/", "100x100/", "fit-in/300x200/filters:blur(3):format(webp)/",
		"1x100/filters:page(2):strip_icc()/"} {
		s.request(f.Class+": "+path+f.Name, path+f.Name)
	}
	_ = os.Remove(place) // with a new folder after a crash it is gone
}

func (s *hostileSite) upload(name string, data []byte) {
	s.Helper()
	began := time.Now()
	r := s.uploadAs("up/"+name, data)
	s.judge("upload "+name, r.status, time.Since(began), r.err)
}

// request asks for a signed path.
func (s *hostileSite) request(what, path string) {
	s.Helper()
	if len(path) > 30_000 {
		return // a URL has no room for it
	}
	r := s.get(s.signed(path))
	s.judge(what, r.status, r.took, r.err)
}

// judge checks the outcome of one request, and restarts the server if the request has killed it.
func (s *hostileSite) judge(what string, status int, took time.Duration, err error) {
	s.Helper()
	s.watch.note()
	if took > 2*time.Second {
		s.slow = append(s.slow, hostileRequest{what, status, took})
	}
	if peak := s.watch.since(); peak > max(maxHostileMemory, s.worst*5/4) { // what stays is not said again
		s.worst = peak
		s.wrong("%.200s: the server and its workers took %d MB", what, peak>>20)
	}
	if err != nil {
		for range 100 { // the end of a process comes after that of its connections
			if s.dead() {
				break
			}
			time.Sleep(20 * time.Millisecond)
		}
	}
	switch {
	case s.dead():
		s.wrong("%.200s killed the server: %v\n%s", what, s.err, lastLines(s.stderr.String()))
		_, _ = s.watch.end()
		s.launch()
	case err != nil:
		s.wrong("%.200s: no answer after %v: %v", what, took, err)
	case !slices.Contains(hostileStatuses, status):
		s.wrong("%.200s: %d", what, status)
	case took > hostileTimeout+15*time.Second: // the queue and the load have their own timeouts
		fresh := fmt.Sprintf("%dx40/plain.jpg", 48+time.Now().UnixNano()%400) // not in the cache
		if plain := s.get(s.signed(fresh)); took > 100*plain.took {           // else the machine is as slow
			s.wrong("%.200s: %d after %v, an ordinary picture after %v", what, status, took, plain.took)
		}
	}
}

// lastLines are the lines that say why a process died.
func lastLines(log string) string {
	var kept []string
	for line := range strings.Lines(log) {
		if strings.HasPrefix(line, "SIG") || strings.Contains(line, "panicked") ||
			strings.Contains(line, "fatal error") ||
			strings.Contains(line, "assert") ||
			strings.Contains(line, "ERROR:") ||
			strings.Contains(line, "signal arrived") ||
			strings.Contains(line, "overflow") {
			kept = append(kept, fmt.Sprintf("%.200s", line))
		}
	}
	return strings.Join(kept[:min(len(kept), 6)], "")
}
