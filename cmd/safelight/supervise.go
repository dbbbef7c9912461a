package main

import (
	"fmt"
	"log/slog"
	"os"
	"os/signal"
	"runtime"
	"slices"
	"syscall"
	"time"
)

// supervised is the environment variable that a supervisor sets for the server that it runs.
const supervised = "SUPERVISED_SAFELIGHT=1"

// restartInterval is the minimum time between two starts of the server. If it ran for longer, it is restarted at once.
const restartInterval = time.Second

// canSupervise reports whether this process may run the server in a child process, which means that it is neither that
// child nor a test.
func (p *program) canSupervise() bool {
	return p.ctx.Value(processKey{}) != nil && !slices.Contains(p.env, supervised)
}

// supervise runs the server in a child process and restarts it whenever it crashes. When the server ends in any other
// way, supervise returns its exit status.
func (p *program) supervise(log *slog.Logger) error {
	runtime.LockOSThread() // Pdeathsig kills the server when the thread that started it ends
	signals := make(chan os.Signal, 8)
	signal.Notify(signals, syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP, syscall.SIGQUIT, syscall.SIGUSR1,
		syscall.SIGUSR2)
	for {
		began := time.Now()
		status, stopping, err := p.runServer(signals)
		if err != nil {
			return fmt.Errorf("starting the server: %w", err)
		}
		if stopping || !crashed(status) {
			return shellStatus(status)
		}
		wait := max(time.Until(began.Add(restartInterval)), 0)
		log.Error("the server crashed and is restarted", "state", describeEnd(status), "pause", wait.String())
		select {
		case <-time.After(wait):
		case s := <-signals: // signals that do not stop the server only end the pause early
			if stops(s) {
				return nil
			}
		}
	}
}

// runServer starts a server with the arguments of this process, forwards signals to it and waits for it to end.
// stopping reports whether one of the signals asked it to stop.
func (p *program) runServer(signals <-chan os.Signal) (status syscall.WaitStatus, stopping bool, err error) {
	server, err := os.StartProcess("/proc/self/exe", os.Args, &os.ProcAttr{
		Env:   append(slices.Clone(p.env), supervised),
		Files: []*os.File{os.Stdin, os.Stdout, os.Stderr},
		Sys:   &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL},
	})
	if err != nil {
		return 0, false, err
	}
	defer server.Release()
	ended := make(chan syscall.WaitStatus, 1)
	go func() { ended <- reap(server.Pid) }()
	for {
		select {
		case status = <-ended:
			return status, stopping, nil
		case s := <-signals:
			stopping = stopping || stops(s)
			_ = server.Signal(s) // fails if the server has just ended
		}
	}
}

// reap waits for the process to end. As process 1 of a container, the supervisor inherits orphaned workers and reaps
// them too.
func reap(server int) (status syscall.WaitStatus) {
	for {
		pid, err := syscall.Wait4(-1, &status, 0, nil)
		if pid == server || err != nil && err != syscall.EINTR {
			return status
		}
	}
}

// stops reports whether a signal asks the server to stop. After SIGQUIT, a Go program exits as after a panic.
func stops(s os.Signal) bool {
	return s == syscall.SIGINT || s == syscall.SIGTERM || s == syscall.SIGQUIT
}

// crashed reports whether a process ended with Go's exit code for panics, or by a signal that operators do not use to
// stop processes.
func crashed(s syscall.WaitStatus) bool {
	if !s.Signaled() {
		return s.ExitStatus() == 2
	}
	return !stops(s.Signal()) && s.Signal() != syscall.SIGHUP && s.Signal() != syscall.SIGPIPE
}

// shellStatus returns the exit status that a shell reports for a process; nil for success.
func shellStatus(s syscall.WaitStatus) error {
	switch {
	case s.Signaled():
		return exitStatus(128 + int(s.Signal()))
	case s.ExitStatus() == 0:
		return nil
	}
	return exitStatus(s.ExitStatus())
}

// describeEnd returns how a process ended, in words.
func describeEnd(s syscall.WaitStatus) string {
	if s.Signaled() {
		return "signal: " + s.Signal().String()
	}
	return fmt.Sprint("exit status ", s.ExitStatus())
}
