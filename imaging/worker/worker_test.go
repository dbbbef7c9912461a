//go:build linux

package worker

import (
	"bytes"
	"context"
	"errors"
	"image"
	"image/png"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/safelight/safelight/fault"
	"github.com/safelight/safelight/imaging"
)

func open(t *testing.T, change ...func(*Config)) *Pool {
	t.Helper()
	local, err := openVips(EngineConfig{}, slog.Default())
	if err != nil {
		t.Fatal(err)
	}
	c := Config{Mode: imaging.IsolateAll, Workers: 2, Log: slog.New(slog.NewTextHandler(t.Output(), nil)),
		Engine: EngineConfig{PreviewBytes: 64 << 20}}
	for _, f := range change {
		f(&c)
	}
	p, err := New(c, local)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := p.Close(); err != nil {
			t.Error(err)
		}
		if err := local.Close(); err != nil {
			t.Error(err)
		}
	})
	return p
}

func picture(t *testing.T, width, height int) []byte {
	t.Helper()
	m := image.NewRGBA(image.Rect(0, 0, width, height))
	for i := range m.Pix {
		m.Pix[i] = byte(i * 7)
	}
	var b bytes.Buffer
	if err := png.Encode(&b, m); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func source(name string, data []byte) imaging.Source {
	return imaging.Source{Name: name, Size: int64(len(data)), Reader: bytes.NewReader(data), Version: name + " 1"}
}

func operations(t *testing.T, path string) imaging.Operations {
	t.Helper()
	r, err := imaging.Parse("unsafe/" + path + "/x")
	if err != nil || r.Image != "x" {
		t.Fatalf("%q leaves %q: %v", path, r.Image, err)
	}
	return r.Operations
}

func (p *Pool) ask(t *testing.T, name, path string) (*imaging.Result, error) {
	t.Helper()
	limits := imaging.DefaultLimits()
	limits.Timeout = 0
	return p.Process(t.Context(), source(name, picture(t, 120, 80)), operations(t, path), limits)
}

// count returns how many workers were lost for that reason.
func (p *Pool) count(reason Reason) uint64 { return p.Workers().Lost[string(reason)] }

// TestSandbox holds what a worker may do: nothing but read fonts, profiles and libraries.
func TestSandbox(t *testing.T) {
	p := open(t)
	folder := t.TempDir()
	if err := os.WriteFile(folder+"/own", []byte("x"), 0o666); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(folder, 0o777); err != nil {
		t.Fatal(err)
	}
	t.Setenv("SAFELIGHT_TOKEN_SECRET", "not for workers")
	denied := []string{
		"read /etc/passwd",
		"read /etc/shadow",
		"read /etc/hostname",
		"read " + folder + "/own",
		"list /",
		"list /home",
		"list " + folder,
		"read /proc/1/environ",
		"write " + folder + "/new",
		"write " + folder + "/own",
		"write /tmp/new",
		"remove " + folder + "/own",
		"chmod " + folder + "/own",
		"dial 127.0.0.1:1",
		"socket",
		"exec /bin/true",
		"execve /bin/true",
		"ptrace",
		"kill",
		"mount",
		"unshare",
		"uring",
		"core",
	}
	for _, what := range denied {
		r, err := p.ask(t, "probe "+what, "")
		if err != nil {
			t.Fatalf("%s: %v", what, err)
		}
		if s := string(r.Data); !strings.Contains(s, "permission denied") && !strings.Contains(s, "not permitted") {
			t.Errorf("%s: %s", what, s)
		}
	}
	for _, what := range []string{"list /usr/share/fonts", "list /etc/fonts", "read /dev/null",
		"read /proc/self/maps"} {
		if r, err := p.ask(t, "probe "+what, ""); err != nil || string(r.Data) != "done" {
			t.Errorf("%s: %s %v", what, r.Data, err)
		}
	}
	if r, err := p.ask(t, "probe env", ""); err != nil || strings.Contains(string(r.Data), "SECRET") ||
		strings.Contains(string(r.Data), "SAFELIGHT") {
		t.Errorf("the environment is %s %v", r.Data, err)
	}
	for c := range p.live {
		if len(c.hello.Missing) > 0 {
			t.Errorf("the kernel lacks %v", c.hello.Missing)
		}
	}
}

func TestLostWorkers(t *testing.T) {
	for _, c := range []struct {
		name   string
		code   fault.Code
		reason Reason
	}{
		{"crash", fault.CorruptImage, ReasonCrash},
		{"hang", fault.Timeout, ReasonTimeout},
		{"bomb", fault.TooLarge, ReasonMemory},
		{"threads", fault.Unavailable, ReasonThreads},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := open(t, func(c *Config) { c.MemoryLimit, c.Grace = 300<<20, 100*time.Millisecond })
			if _, err := p.ask(t, "fine", "10x10"); err != nil { // from here on a worker is ready
				t.Error(err)
			}
			limits := imaging.DefaultLimits()
			limits.Timeout = 0
			if c.name == "hang" {
				limits.Timeout = 300 * time.Millisecond
			}
			src := source(c.name, picture(t, 20, 20))
			if _, err := p.Process(t.Context(), src, imaging.Operations{}, limits); fault.CodeOf(err) != c.code {
				t.Errorf("%s: %v, expected %s", c.name, err, c.code)
			}
			if n := p.count(c.reason); n != 1 {
				t.Errorf("%v workers were lost, expected one by %s", p.Workers().Lost, c.reason)
			}
			if _, err := p.ask(t, "fine", "10x10"); err != nil {
				t.Errorf("the next picture: %v", err)
			}
		})
	}
}

// TestMemoryByEstimate has a worker killed that takes much more memory than its job is estimated to, though less than
// workers may.
func TestMemoryByEstimate(t *testing.T) {
	limits := imaging.DefaultLimits()
	limits.Timeout = 0 // pages take their time on a busy machine
	for name, c := range map[string]struct {
		code fault.Code
		lost uint64
	}{"take 400 400": {"", 0}, "take 0 400": {fault.TooLarge, 1}, "take 40 400": {fault.TooLarge, 1}} {
		p := open(t) // a worker that has had memory may have it again
		if _, err := p.Process(t.Context(), source(name, picture(t, 20, 20)), imaging.Operations{},
			limits); fault.CodeOf(err) != c.code {
			t.Errorf("%s: %v, expected %q", name, err, c.code)
		}
		if n := p.count(ReasonMemory); n != c.lost {
			t.Errorf("%s: %v workers were lost, expected %d by memory", name, p.Workers().Lost, c.lost)
		}
	}
}

// TestCancel has a worker that listens stopped without losing it, and one that does not lost.
func TestCancel(t *testing.T) {
	for _, c := range []struct {
		name string
		lost uint64
	}{{"wait", 0}, {"hang", 1}} {
		t.Run(c.name, func(t *testing.T) {
			ctx, cancel := context.WithCancel(t.Context())
			p := open(t, func(config *Config) {
				config.Grace, config.sent = 200*time.Millisecond, cancel
				if c.lost == 0 {
					config.Grace = time.Minute
				}
			})
			_, err := p.Process(ctx, source(c.name, picture(t, 20, 20)), imaging.Operations{}, imaging.DefaultLimits())
			if fault.CodeOf(err) != fault.Canceled {
				t.Errorf("%v, expected CANCELED", err)
			}
			if n := p.count(ReasonCanceled); n != c.lost {
				t.Errorf("%v were lost, expected %d", p.Workers().Lost, c.lost)
			}
			if _, err := p.ask(t, "fine", "10x10"); err != nil {
				t.Error(err)
			}
		})
	}
}

// TestRefusal holds who is refused: the same source with the same operations after two crashes, the source alone only
// when a plain decode broke two workers as well.
func TestRefusal(t *testing.T) {
	crash := func(p *Pool, name, path string) (refused bool) {
		t.Helper()
		before := p.Workers().Refused
		_, err := p.ask(t, name, path)
		if fault.CodeOf(err) != fault.CorruptImage {
			t.Errorf("%s through %q: %v, expected CORRUPT_IMAGE", name, path, err)
		}
		return p.Workers().Refused > before
	}
	t.Run("with these operations", func(t *testing.T) {
		p := open(t)
		for range 2 {
			if crash(p, "crash-wide", "200x") {
				t.Error("refused too early")
			}
		}
		if !crash(p, "crash-wide", "200x") {
			t.Error("not refused after two crashes")
		}
		if crash(p, "crash-wide", "201x") {
			t.Error("refused with other operations")
		}
		if _, err := p.ask(t, "crash-wide", "50x"); err != nil {
			t.Errorf("the source is refused with harmless operations: %v", err)
		}
		if _, err := p.ask(t, "other", "200x"); err != nil {
			t.Errorf("another source is refused: %v", err)
		}
		now := time.Now()
		p.refused.now = func() time.Time { return now.Add(time.Hour) }
		if crash(p, "crash-wide", "200x") {
			t.Error("refused after an hour")
		}
	})
	t.Run("the source", func(t *testing.T) {
		p := open(t)
		crash(p, "crash", "20x")
		crash(p, "crash", "30x") // its second crash: it is tried plainly
		if !crash(p, "crash", "40x") {
			t.Error("a source whose plain decode breaks workers is not refused")
		}
	})
	t.Run("never for time, memory and the end", func(t *testing.T) {
		p := open(t, func(c *Config) { c.Grace, c.MemoryLimit = 50*time.Millisecond, 300<<20 })
		for _, name := range []string{"hang", "bomb"} {
			for range 3 {
				limits := imaging.DefaultLimits()
				if name == "hang" {
					limits.Timeout = 50 * time.Millisecond
				}
				_, _ = p.Process(t.Context(), source(name, picture(t, 9, 9)), imaging.Operations{}, limits)
			}
		}
		if !p.refused.isEmpty() || p.Workers().Refused != 0 {
			t.Errorf("%d are remembered, %+v", len(p.refused.rows), p.Workers())
		}
	})
	t.Run("without threads", func(t *testing.T) {
		p := open(t)
		for n, lost := range []uint64{1, 2, 3, 3, 3} {
			_, err := p.ask(t, "threads", "20x")
			if fault.CodeOf(err) != fault.Unavailable || fault.Of(err).RetryAfter == 0 || p.count(ReasonThreads) != lost {
				t.Errorf("%d: %v, %d workers were lost, expected UNAVAILABLE and %d", n, err, p.count(ReasonThreads), lost)
			}
		}
		now := time.Now()
		p.starved.now = func() time.Time { return now.Add(starvedTime) }
		if _, err := p.ask(t, "threads", "20x"); err == nil || p.count(ReasonThreads) != 4 {
			t.Errorf("after %s: %v, expected another try", starvedTime, err)
		}
	})
	t.Run("without a version", func(t *testing.T) {
		p := open(t)
		src := source("crash", picture(t, 9, 9))
		src.Version = ""
		for range 3 {
			_, _ = p.Process(t.Context(), src, imaging.Operations{}, imaging.DefaultLimits())
		}
		if p.Workers().Refused != 1 {
			t.Errorf("%+v, expected one refusal", p.Workers())
		}
	})
}

// TestAffinity has a preview go to the worker that has decoded its source.
func TestAffinity(t *testing.T) {
	p := open(t, func(c *Config) { c.Workers = 3 })
	pid := func(name string) string {
		t.Helper()
		r, err := p.ask(t, name, "filters:preview()")
		if err != nil {
			t.Fatal(err)
		}
		return string(r.Data)
	}
	first := pid("probe pid")
	// Another worker is the one used last now.
	c, err := p.acquire(t.Context(), "", "")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := p.ask(t, "fine", "10x10"); err != nil {
		t.Fatal(err)
	}
	p.release(c)
	if _, err := p.ask(t, "fine", "10x10"); err != nil {
		t.Fatal(err)
	}
	p.mu.Lock()
	p.idle[0], p.idle[len(p.idle)-1] = p.idle[len(p.idle)-1], p.idle[0]
	p.mu.Unlock()
	for range 5 {
		if again := pid("probe pid"); again != first {
			t.Errorf("the preview went to %s, the decode is in %s", again, first)
		}
	}
	if p.Workers().Running < 2 {
		t.Fatal("there is one worker only")
	}
	holder, err := p.acquire(t.Context(), "probe pid 1", "")
	if err != nil {
		t.Fatal(err)
	}
	if again := pid("probe pid"); again == first {
		t.Error("a preview went to a busy worker")
	}
	p.release(holder)
}

func TestReplacedAfterJobs(t *testing.T) {
	p := open(t, func(c *Config) { c.Jobs = 3 })
	pids := map[string]int{}
	for range 9 {
		r, err := p.ask(t, "probe pid", "")
		if err != nil {
			t.Fatal(err)
		}
		pids[string(r.Data)]++
	}
	if len(pids) != 3 || p.Workers().Retired != 3 {
		t.Errorf("jobs by worker: %v, %d retired; expected three workers with three each", pids, p.Workers().Retired)
	}
}

// TestIdleWorkersEnd checks that all but one of the idle workers end, and that one later.
func TestIdleWorkersEnd(t *testing.T) {
	p := open(t)
	var held []*child
	for range 3 {
		c, err := p.acquire(t.Context(), "", "")
		if err != nil {
			t.Fatal(err)
		}
		held = append(held, c)
	}
	for _, c := range held {
		p.release(c)
	}
	p.expire()
	if n := p.Workers().Running; n != 3 {
		t.Fatalf("%d run, expected 3", n)
	}
	p.mu.Lock()
	for _, c := range p.idle {
		c.since = c.since.Add(-p.config.Idle)
	}
	p.mu.Unlock()
	p.expire()
	if s := p.Workers(); s.Running != 1 || s.Retired != 2 {
		t.Errorf("%+v, expected one to run", s)
	}
	<-held[0].gone
	<-held[1].gone
	age := func(d time.Duration) {
		p.mu.Lock()
		p.idle[0].since = p.idle[0].since.Add(-d)
		p.mu.Unlock()
		p.expire()
	}
	age((lastIdle - 2) * p.config.Idle) // it is one old already
	if s := p.Workers(); s.Running != 1 {
		t.Errorf("%+v, expected the last one to stay", s)
	}
	age(p.config.Idle)
	if s := p.Workers(); s.Running != 0 || s.Retired != 3 {
		t.Errorf("%+v, expected none to run", s)
	}
	<-held[2].gone
	if _, err := p.ask(t, "fine", "10x10"); err != nil {
		t.Errorf("after the last one has ended: %v", err)
	}
}

// TestStartFails holds what follows when no worker starts: a fault, and an unready server after a while.
func TestStartFails(t *testing.T) {
	p := open(t, func(c *Config) { c.Env = []string{"SAFELIGHT_TEST_BROKEN=1"} })
	if err := p.Ready(); err != nil {
		t.Errorf("unready before anything was tried: %v", err)
	}
	if _, err := p.ask(t, "fine", "10x10"); fault.CodeOf(err) != fault.Unavailable {
		t.Errorf("%v, expected UNAVAILABLE", err)
	}
	if err := p.Ready(); err != nil {
		t.Errorf("unready at once: %v", err)
	}
	p.mu.Lock()
	p.failing = p.failing.Add(-unready)
	p.mu.Unlock()
	if err := p.Ready(); fault.CodeOf(err) != fault.Unavailable {
		t.Errorf("%v, expected UNAVAILABLE", err)
	}
	p.mu.Lock()
	p.config.Env = nil
	p.mu.Unlock()
	if _, err := p.ask(t, "fine", "10x10"); err != nil {
		t.Error(err)
	}
	if err := p.Ready(); err != nil {
		t.Errorf("unready although workers start: %v", err)
	}
}

// TestNoOrphans has the pool close while workers rest, work and hang: none is left.
func TestNoOrphans(t *testing.T) {
	working := make(chan struct{}, 10)
	p := open(t, func(c *Config) { c.sent = func() { working <- struct{}{} } })
	ended := make(chan error)
	for _, name := range []string{"hang", "wait"} {
		go func() {
			_, err := p.Process(
				context.Background(), source(name, picture(t, 9, 9)), imaging.Operations{},
				imaging.DefaultLimits(),
			)
			ended <- err
		}()
	}
	for range 2 {
		<-working
	}
	p.mu.Lock()
	var all []*child
	for c := range p.live {
		all = append(all, c)
	}
	p.mu.Unlock()
	if err := p.Close(); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if err := <-ended; fault.CodeOf(err) != fault.Unavailable {
			t.Errorf("%v, expected UNAVAILABLE", err)
		}
	}
	for _, c := range all {
		if err := c.command.Process.Signal(syscall.Signal(0)); !errors.Is(err, os.ErrProcessDone) {
			t.Errorf("a worker lives: %v", err)
		}
	}
	if _, err := p.ask(t, "fine", ""); fault.CodeOf(err) != fault.Unavailable {
		t.Errorf("%v after the end, expected UNAVAILABLE", err)
	}
	if !p.refused.isEmpty() {
		t.Error("the end of the server counts against pictures")
	}
}

// TestNoDescriptorsLeak counts descriptors on both sides over work of all kinds.
func TestNoDescriptorsLeak(t *testing.T) {
	p := open(t, func(c *Config) { c.Workers = 1 })
	file := t.TempDir() + "/picture.png"
	if err := os.WriteFile(file, picture(t, 300, 300), 0o600); err != nil {
		t.Fatal(err)
	}
	count := func() (ours int, theirs string) {
		entries, err := os.ReadDir("/proc/self/fd")
		if err != nil {
			t.Fatal(err)
		}
		r, err := p.ask(t, "probe files", "")
		if err != nil {
			t.Fatal(err)
		}
		return len(entries), string(r.Data)
	}
	round := func() {
		f, err := os.Open(file)
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		src := imaging.Source{
			Name:   "file",
			Size:   -1,
			Reader: f,
			Layers: map[string]imaging.Source{"x": source("layer", picture(t, 200, 200))},
		}
		for _, path := range []string{"", "100x50", "filters:image(x,0,0)", "filters:raw()",
			"filters:rotate(nothing)"} {
			_, _ = p.Process(t.Context(), src, operations(t, path), imaging.DefaultLimits())
			_, _ = p.Info(
				t.Context(), src, imaging.InfoRequest{Operations: operations(t, path)},
				imaging.DefaultLimits(),
			)
			_, _ = p.Survey(t.Context(), src, imaging.DefaultLimits())
		}
		shared, err := p.Decode(t.Context(), src, []imaging.Load{loadOf(t, p, src, "")}, imaging.DefaultLimits())
		if err != nil {
			t.Fatal(err)
		}
		src.Pixels = &shared[0]
		_, _ = p.Process(t.Context(), src, operations(t, "100x50"), imaging.DefaultLimits())
		shared[0].Free()
	}
	round()
	ours, theirs := count()
	for range 20 {
		round()
	}
	if o, w := count(); o > ours || w != theirs {
		t.Errorf("the server had %d descriptors and has %d, the worker had %s and has %s", ours, o, theirs, w)
	}
}

// TestProcessWithoutWire checks that a worker whose connection cannot be made is killed and waited for.
func TestProcessWithoutWire(t *testing.T) {
	p := open(t)
	before := children(t)
	var started []string
	_, err := p.launchOver(func(fd int) (*wire, error) {
		started = slices.DeleteFunc(children(t), func(pid string) bool { return slices.Contains(before, pid) })
		w, err := polledWire(fd)
		return w, errors.Join(err, errors.New("no wire"))
	})
	if err == nil || len(started) == 0 {
		t.Fatalf("%v, the processes %q began", err, started)
	}
	for _, pid := range children(t) {
		if slices.Contains(started, pid) {
			t.Errorf("process %s is still a child", pid)
		}
	}
}

// children returns the ids of the processes that this one has to wait for, which may have ended.
func children(t *testing.T) (pids []string) {
	t.Helper()
	files, err := filepath.Glob("/proc/[0-9]*/stat")
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			continue // it is gone
		}
		// the name in parentheses may have spaces; state and parent follow it
		fields := strings.Fields(string(text[bytes.LastIndexByte(text, ')')+1:]))
		if len(fields) > 1 && fields[1] == strconv.Itoa(os.Getpid()) {
			pids = append(pids, filepath.Base(filepath.Dir(file)))
		}
	}
	return pids
}
