//go:build linux

package worker

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"sync"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"github.com/safelight/safelight/imaging"
	"github.com/safelight/safelight/imaging/sandbox"
)

// child is a worker process. One goroutine uses it at a time.
type child struct {
	wire    *wire
	command *exec.Cmd
	said    *tail
	hello   hello
	gone    chan struct{} // closed once the process has ended

	jobs   int
	cpu    time.Duration  // since its start, as it says
	memory imaging.Memory // as it says
	since  time.Time      // of the job under way, or of the last one's end
	keys   map[string]bool

	mu     sync.Mutex
	reason Reason    // for which it was killed; empty: it was not
	began  time.Time // of the job under way; zero: none
}

// launcher starts processes from one thread that lives as long as the pool: the kernel kills a worker when the thread that
// started it ends.
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

// launch starts a worker and waits for its first word.
func (p *Pool) launch() (*child, error) {
	pair, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_SEQPACKET|unix.SOCK_CLOEXEC|unix.SOCK_NONBLOCK, 0)
	if err != nil {
		return nil, fmt.Errorf("making a socket: %w", err)
	}
	ours, theirs := os.NewFile(uintptr(pair[0]), "worker"), os.NewFile(uintptr(pair[1]), "server")
	w, err := newWire(ours)
	if err != nil {
		theirs.Close()
		return nil, err
	}
	command := exec.Command(p.config.Command[0], p.config.Command[1:]...)
	command.Env = p.environment()
	command.ExtraFiles = []*os.File{theirs}
	command.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	c := &child{wire: w, command: command, said: &tail{}, gone: make(chan struct{}), keys: map[string]bool{}}
	command.Stderr = c.said
	command.WaitDelay = time.Second
	err = p.launcher.start(command)
	theirs.Close() // or its end would not be seen
	if err != nil {
		w.conn.Close()
		return nil, fmt.Errorf("starting a worker: %w", err)
	}
	go func() {
		_ = command.Wait() // the state says it
		close(c.gone)
	}()
	if err := c.greet(p.config); err != nil {
		c.kill(ReasonStart)
		<-c.gone
		return nil, fmt.Errorf("a worker does not start: %w: %s", err, c.said.String())
	}
	return c, nil
}

// greet sends the engine's settings and waits for the first word.
func (c *child) greet(config Config) error {
	if err := c.wire.send(request{Kind: kindSetup, Setup: &config.Engine}, nil, nil); err != nil {
		return err
	}
	_ = c.wire.conn.SetReadDeadline(time.Now().Add(startTimeout))
	var a response
	_, files, err := c.wire.receive(&a, config.MemoryLimit)
	closeAll(files)
	if err != nil {
		return err
	}
	if a.Hello == nil {
		return errors.New("its first word is another")
	}
	c.hello, c.cpu = *a.Hello, a.CPU
	return c.wire.conn.SetReadDeadline(time.Time{})
}

// environment is what a worker sees of the server's: nothing but what fonts and the libraries need.
func (p *Pool) environment() []string {
	env := append([]string{
		sandbox.Env(sandbox.Config{
			Readable: p.readable, Data: p.config.MemoryLimit + 64*p.config.Stack, CPU: cpuLimit, Stack: p.config.Stack,
			File: p.config.MemoryLimit, Files: 512,
		}),
		"MALLOC_ARENA_MAX=2", "GOTRACEBACK=none", "TMPDIR=/nonexistent", fmt.Sprintf("GOMEMLIMIT=%d", p.config.MemoryLimit/4),
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

// kill ends the process for that reason; the first one counts.
func (c *child) kill(reason Reason) {
	c.mu.Lock()
	if c.reason == "" {
		c.reason = reason
	}
	c.mu.Unlock()
	_ = c.command.Process.Kill() // it may be gone
	c.wire.conn.Close()
}

// stop lets an idle process end by itself.
func (c *child) stop() {
	c.wire.conn.Close()
	select {
	case <-c.gone:
	case <-time.After(time.Second):
		_ = c.command.Process.Kill()
		<-c.gone
	}
}

// tail keeps the first and the last of what a process says.
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
	return strings.Join(strings.FieldsFunc(strings.ToValidUTF8(string(t.text), "?"), func(r rune) bool { return r < ' ' }), "; ")
}
