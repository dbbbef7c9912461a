//go:build linux

package worker

import (
	"context"
	"fmt"
	"log/slog"
	"net"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/safelight/safelight/fault"
	"github.com/safelight/safelight/imaging"
	"github.com/safelight/safelight/imaging/vips"
)

// TestMain lets the test binary be a worker, whose engine does harm when a source's name asks for it.
func TestMain(m *testing.M) {
	if len(os.Args) > 1 && os.Args[1] == Command {
		os.Exit(Main(openTroubled))
	}
	os.Exit(m.Run())
}

func openTroubled(c EngineConfig, log *slog.Logger) (Engine, error) {
	if os.Getenv("SAFELIGHT_TEST_BROKEN") != "" {
		return nil, fmt.Errorf("this worker never starts")
	}
	e, err := openVips(c, log)
	return troubled{e, c.Planned}, err
}

func openVips(c EngineConfig, log *slog.Logger) (*vips.Engine, error) {
	return vips.New(vips.Config{Log: log, Efforts: c.Efforts, PreviewBytes: c.PreviewBytes, Planned: c.Planned})
}

type troubled struct {
	*vips.Engine
	planned func(imaging.Cost)
}

func (e troubled) Process(
	ctx context.Context,
	src imaging.Source,
	ops imaging.Operations,
	limits imaging.Limits,
) (*imaging.Result, error) {
	verb, rest, _ := strings.Cut(src.Name, " ")
	switch verb {
	case "crash":
		abort()
	case "crash-wide": // only with an operation that a plain decode does not have
		if ops.Width > 100 {
			abort()
		}
	case "threads":
		panic("runtime/cgo: pthread_create failed: Resource temporarily unavailable")
	case "hang":
		select {}
	case "spin": // listens to nothing
		for n := 0; n >= 0; n ^= 1 {
		}
	case "wait":
		<-ctx.Done()
	case "bomb":
		bomb()
	case "take":
		e.take(rest)
	case "hold":
		return e.hold(ctx, rest)
	case "probe":
		return &imaging.Result{Data: []byte(probe(rest)), Format: imaging.PNG}, nil
	}
	return e.Engine.Process(ctx, src, ops, limits)
}

func (e troubled) Decode(
	ctx context.Context,
	src imaging.Source,
	loads []imaging.Load,
	limits imaging.Limits,
) ([]imaging.Pixels, error) {
	switch src.Name {
	case "crash":
		abort()
	case "hang":
		select {}
	}
	return e.Engine.Decode(ctx, src, loads, limits)
}

func abort() {
	_ = unix.Kill(os.Getpid(), syscall.SIGSEGV)
	select {}
}

// take announces so many megabytes, takes so many, and, if that is more than is announced, keeps them until it is
// killed.
func (e troubled) take(text string) {
	var planned, taken int64
	if _, err := fmt.Sscan(text, &planned, &taken); err != nil {
		panic(err)
	}
	e.planned(imaging.Cost{Memory: planned << 20})
	b := pages(taken << 20)
	for i := 0; i < len(b) || planned < taken; i += 4096 {
		b[i%len(b)]++
	}
}

// pages returns memory beside Go's, which the race detector would multiply. It stays until the process ends.
func pages(bytes int64) []byte {
	b, err := unix.Mmap(-1, 0, int(bytes), unix.PROT_READ|unix.PROT_WRITE, unix.MAP_ANON|unix.MAP_PRIVATE)
	if err != nil {
		panic(err)
	}
	return b
}

// hold announces so many megabytes, takes so many, and keeps them until it is canceled.
func (e troubled) hold(ctx context.Context, text string) (*imaging.Result, error) {
	var planned, taken int64
	if _, err := fmt.Sscan(text, &planned, &taken); err != nil {
		panic(err)
	}
	e.planned(imaging.Cost{Memory: planned << 20})
	b := pages(taken << 20)
	for i := 0; ctx.Err() == nil; i += 4096 {
		b[i%len(b)]++
		if i > len(b) {
			time.Sleep(time.Millisecond)
		}
	}
	return nil, fault.New(fault.Canceled, "canceled")
}

func bomb() {
	var held [][]byte
	for {
		b := make([]byte, 8<<20)
		for i := 0; i < len(b); i += 4096 {
			b[i] = 1
		}
		held = append(held, b)
		if len(held) > 1<<20 {
			return
		}
	}
}

// probe tries what a worker must not do, and says how that ended.
func probe(what string) string {
	verb, arg, _ := strings.Cut(what, " ")
	var err error
	switch verb {
	case "pid":
		return fmt.Sprint(os.Getpid())
	case "read":
		_, err = os.ReadFile(arg)
	case "list":
		_, err = os.ReadDir(arg)
	case "write":
		err = os.WriteFile(arg, []byte("x"), 0o600)
	case "remove":
		err = os.Remove(arg)
	case "chmod":
		err = os.Chmod(arg, 0o777)
	case "dial":
		_, err = net.Dial("tcp", arg)
	case "socket":
		_, err = unix.Socket(unix.AF_UNIX, unix.SOCK_DGRAM, 0)
	case "exec":
		err = exec.Command(arg).Run()
	case "execve":
		err = unix.Exec(arg, []string{arg}, nil)
	case "ptrace":
		err = unix.PtraceAttach(os.Getppid())
	case "kill":
		err = unix.Kill(os.Getppid(), 0)
	case "mount":
		err = unix.Mount("none", "/tmp", "tmpfs", 0, "")
	case "unshare":
		err = unix.Unshare(unix.CLONE_NEWUSER)
	case "uring":
		_, _, code := unix.Syscall(unix.SYS_IO_URING_SETUP, 1, 0, 0)
		err = code
	case "core":
		err = unix.Setrlimit(unix.RLIMIT_CORE, &unix.Rlimit{Cur: 1, Max: 1})
	case "env":
		return strings.Join(os.Environ(), "\n")
	case "files":
		var open []string
		for fd := range 64 {
			if _, err := unix.FcntlInt(uintptr(fd), unix.F_GETFD, 0); err == nil {
				open = append(open, fmt.Sprint(fd))
			}
		}
		return strings.Join(open, " ")
	}
	if err != nil {
		return err.Error()
	}
	return "done"
}
