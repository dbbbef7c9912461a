package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"os/exec"
	"os/signal"
	"runtime"
	"slices"
	"syscall"
	"time"
)

// supervised is not a setting: the supervisor sets it in the environment of the server.
const supervised = "SUPERVISED_SAFELIGHT"

// processKey marks the context of a process that runs nothing but this program, so it may start itself again.
type processKey struct{}

// exitStatus is the exit code of a server that was supervised.
type exitStatus int

// Error implements error.
func (e exitStatus) Error() string { return fmt.Sprintf("exit status %d", int(e)) }

// isSupervisor reports whether this process should supervise a server instead of being one.
func (p *program) isSupervisor(s *Settings) bool {
	return s.Supervise && p.ctx.Value(processKey{}) != nil && envValue(p.env, supervised) == ""
}

// The pauses before a server is started again.
const (
	minPause = 250 * time.Millisecond
	maxPause = 30 * time.Second
	longLife = time.Minute // a server that ran this long restarts after minPause
)

// supervise runs the server in a process of its own with the same arguments, and starts it again when it crashes. It forwards signals and
// returns how the server ended: nil, or its exit status.
func (p *program) supervise(log *slog.Logger) error {
	runtime.LockOSThread() // the server is killed with the thread that started it
	defer runtime.UnlockOSThread()
	signals := make(chan os.Signal, 16)
	signal.Notify(signals, syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP, syscall.SIGQUIT, syscall.SIGUSR1, syscall.SIGUSR2)
	defer signal.Stop(signals)
	for pause := minPause; ; pause = min(2*pause, maxPause) {
		began := time.Now()
		state, err := p.serveOnce(signals)
		if err != nil {
			return err
		}
		if p.ctx.Err() != nil || !crashed(state) {
			return endStatus(state)
		}
		if time.Since(began) >= longLife {
			pause = minPause
		}
		log.Error("the server crashed and is started again", "state", state.String(), "pause", pause.String())
		reapOrphans()
		select {
		case <-time.After(pause):
		case <-p.ctx.Done():
			return endStatus(state)
		}
	}
}

// serveOnce runs the server until it ends.
func (p *program) serveOnce(signals <-chan os.Signal) (*os.ProcessState, error) {
	server := exec.Command("/proc/self/exe", os.Args[1:]...)
	server.Args[0] = os.Args[0]
	server.Env = append(slices.Clone(p.env), supervised+"=1")
	server.Stdin, server.Stdout, server.Stderr = os.Stdin, os.Stdout, os.Stderr
	server.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	if err := server.Start(); err != nil {
		return nil, fmt.Errorf("starting the server: %w", err)
	}
	ended := make(chan struct{})
	go func() {
		_ = server.Wait() // the exit status says all
		close(ended)
	}()
	for {
		select {
		case s := <-signals:
			_ = server.Process.Signal(s) // it may have just ended
		case <-ended:
			return server.ProcessState, nil
		}
	}
}

// crashed reports whether a process crashed: by a signal that operators do not send to stop it, or with Go's exit code for
// panics.
func crashed(state *os.ProcessState) bool {
	status, ok := state.Sys().(syscall.WaitStatus)
	if !ok || !status.Signaled() {
		return state.ExitCode() == 2
	}
	switch status.Signal() {
	case syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP, syscall.SIGQUIT, syscall.SIGPIPE:
		return false
	}
	return true
}

// endStatus returns the exit status of a process as a shell would; nil for 0.
func endStatus(state *os.ProcessState) error {
	code := state.ExitCode()
	if status, ok := state.Sys().(syscall.WaitStatus); ok && status.Signaled() {
		code = 128 + int(status.Signal())
	}
	if code == 0 {
		return nil
	}
	return exitStatus(code)
}

// reapOrphans reaps workers of a crashed server, which become our children if this is process 1 of a container.
func reapOrphans() {
	for {
		if pid, err := syscall.Wait4(-1, nil, syscall.WNOHANG, nil); err != nil || pid <= 0 {
			return
		}
	}
}

// withProcess marks the context.
func withProcess(ctx context.Context) context.Context {
	return context.WithValue(ctx, processKey{}, true)
}

// quietStatus returns the code of an error that the server has printed already.
func quietStatus(err error) (code int, ok bool) {
	var status exitStatus
	ok = errors.As(err, &status)
	return int(status), ok
}
