//go:build linux

package worker

import (
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"github.com/safelight/safelight/imaging"
	"github.com/safelight/safelight/imaging/sandbox"
)

// child is a worker process. One goroutine uses it at a time.
type child struct {
	wire    *wire
	cancels int // socket for the numbers of requests that are to be stopped
	command *exec.Cmd
	stderr  *tail
	hello   hello
	gone    chan struct{} // closed after the process has ended

	jobs   int
	cpu    time.Duration   // since its start, by its last response
	memory imaging.Memory  // by its last response
	since  time.Time       // when its last job ended
	keys   map[string]bool // of sources whose decoded pixels it may still have, see job.previewKey
	// the loaded ones, as fontsOf names them; the worker is used only for pictures with these fonts
	fonts string

	// Bytes of private memory.
	limit      int64        // Config.MemoryLimit
	allowed    int64        // the limit during the current job
	startBytes int64        // bytes after the start of the process
	idleBytes  atomic.Int64 // bytes before the current job
	bytes      atomic.Int64 // at the last reading
	estimated  atomic.Int64 // estimate of the current job, in addition to idleBytes
	stale      bool         // idleBytes may be outdated, because the worker has just started or is returning memory

	mu     sync.Mutex
	reason Reason // why it was killed; empty: it was not killed
}

// launcher starts processes from one thread that lives as long as the pool: the kernel kills a worker when the thread
// that started it ends.
type launcher struct {
	jobs chan func()
	quit chan struct{}
}

func newLauncher() *launcher {
	l := &launcher{make(chan func()), make(chan struct{})}
	go l.run()
	return l
}

func (l *launcher) run() {
	runtime.LockOSThread()
	for {
		select {
		case do := <-l.jobs:
			do()
		case <-l.quit:
			return
		}
	}
}

func (l *launcher) start(c *exec.Cmd) error {
	done := make(chan error, 1)
	select {
	case l.jobs <- func() { done <- c.Start() }:
		return <-done
	case <-l.quit:
		return stopping()
	}
}

// launch starts a worker and waits for its hello.
func (p *processes) launch() (*child, error) { return p.launchOver(polledWire) }

// launchOver is launch with the function that makes a wire of a socket.
func (p *processes) launchOver(connect func(fd int) (*wire, error)) (*child, error) {
	work, err := socketPair()
	if err != nil {
		return nil, err
	}
	cancels, err := socketPair()
	if err != nil {
		_ = unix.Close(work.keep())
		return nil, err
	}
	c := &child{
		stderr: &tail{},
		gone:   make(chan struct{}),
		keys:   map[string]bool{},
		limit:  p.config.MemoryLimit,
		stale:  true,
	}
	c.command = exec.Command("/proc/self/exe", Command)
	c.command.Args[0] = os.Args[0]
	c.command.Env = p.environment()
	c.command.ExtraFiles = []*os.File{work.theirs, cancels.theirs}
	c.command.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	c.command.Stderr = c.stderr
	c.command.WaitDelay = time.Second
	failed := p.launcher.start(c.command)
	c.cancels = cancels.keep() // closes theirs: otherwise we would not notice when the worker hangs up
	c.wire, err = connect(work.keep())
	if failed != nil {
		c.hangUp()
		return nil, fmt.Errorf("starting a worker: %w", failed)
	}
	go func() {
		_ = c.command.Wait() // how it ended is in ProcessState
		close(c.gone)
	}()
	if err == nil {
		err = c.greet(p.config, p.local.Version())
	}
	if err != nil {
		c.kill(ReasonStart)
		<-c.gone
		c.hangUp()
		return nil, fmt.Errorf("a worker does not start: %w: %s", err, c.stderr.String())
	}
	c.measure()
	c.startBytes = c.idleBytes.Load()
	return c, nil
}

type pair struct {
	ours   int
	theirs *os.File
}

func socketPair() (pair, error) {
	fds, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_SEQPACKET|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return pair{}, fmt.Errorf("making a socket: %w", err)
	}
	return pair{fds[0], os.NewFile(uintptr(fds[1]), "server")}, nil
}

// keep closes the other's end and returns ours, as a plain descriptor.
func (p pair) keep() int {
	p.theirs.Close()
	return p.ours
}

// greet sends the engine's settings and waits for the hello.
func (c *child) greet(config Config, version string) error {
	timer := time.AfterFunc(startTimeout, func() { c.kill(ReasonStart) })
	defer timer.Stop()
	if err := c.wire.send(request{Kind: kindSetup, Setup: &config.Engine}, nil, nil); err != nil {
		return err
	}
	var a response
	_, files, err := c.wire.receive(&a, config.MemoryLimit)
	closeAll(files)
	if err != nil {
		return err
	}
	if a.Hello == nil {
		return errors.New("its first response is not a hello")
	}
	c.hello, c.cpu = *a.Hello, a.CPU
	if c.hello.Version != version {
		return fmt.Errorf("its engine is %s, expected %s", c.hello.Version, version)
	}
	return nil
}

// hangUp closes the connections. Nobody may be receiving.
func (c *child) hangUp() {
	c.wire.close()
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.cancels >= 0 {
		_ = unix.Close(c.cancels)
		c.cancels = -1
	}
}

// cancel tells the worker to stop that request.
func (c *child) cancel(id uint64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.cancels >= 0 {
		// if the worker is dead, the caller that waits for its response notices
		_ = unix.Sendto(c.cancels, binary.LittleEndian.AppendUint64(nil, id), unix.MSG_NOSIGNAL|unix.MSG_DONTWAIT, nil)
	}
}

// environment returns the environment of a worker. Of the server's own variables, it has only what fonts and libraries
// need.
func (p *processes) environment() []string {
	env := append([]string{
		sandbox.Env(sandbox.Config{
			Readable: p.readable, Data: p.config.MemoryLimit + 64*p.config.Stack, CPU: cpuLimit, Stack: p.config.Stack,
			File: p.config.MemoryLimit, Files: 512,
		}),
		"MALLOC_ARENA_MAX=2", "GOTRACEBACK=none", "GOGC=400", "TMPDIR=/nonexistent",
		fmt.Sprintf("GOMEMLIMIT=%d", p.config.MemoryLimit/4),
	}, p.config.Env...)
	for _, pair := range os.Environ() {
		name, _, _ := strings.Cut(pair, "=")
		switch {
		case name == "HOME", name == "LANG", name == "LD_LIBRARY_PATH", name == "VIPSHOME",
			strings.HasPrefix(name, "LC_"), strings.HasPrefix(name, "FONTCONFIG_"):
			env = append(env, pair)
		}
	}
	return env
}

// kill ends the process for the given reason; only the first reason counts.
func (c *child) kill(reason Reason) {
	c.mu.Lock()
	if c.reason == "" {
		c.reason = reason
	}
	c.mu.Unlock()
	_ = c.command.Process.Kill() // fails if it has ended
}

// killed returns why the process was killed; empty when it was not.
func (c *child) killed() Reason {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.reason
}

// stop lets an idle process end by itself.
func (c *child) stop() {
	c.hangUp()
	select {
	case <-c.gone:
	case <-time.After(time.Second):
		_ = c.command.Process.Kill()
		<-c.gone
	}
}

// tail keeps the beginning and the end of the stderr of a process.
type tail struct {
	mu   sync.Mutex
	text []byte
}

const maxSaid = 4 << 10

// Write implements io.Writer.
func (t *tail) Write(p []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.text = append(t.text, p...)
	if over := len(t.text) - maxSaid; over > 0 {
		t.text = append(t.text[:maxSaid/2], t.text[maxSaid/2+over:]...)
	}
	return len(p), nil
}

// String returns it as one line of printable characters.
func (t *tail) String() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return strings.Join(
		strings.FieldsFunc(strings.ToValidUTF8(string(t.text), "?"), func(r rune) bool { return r < ' ' }),
		"; ",
	)
}
