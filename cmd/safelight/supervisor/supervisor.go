//go:build linux

// Package supervisor runs the program as a server in a child process, and starts it again when it crashes. The supervisor is a constructor
// in C, before Go's runtime starts: docs/decisions/0020. An idle server gives back memory, and timers may be late (0068). It imports nothing of ours.
package supervisor

// #include "supervisor.h"
import "C"

import (
	"fmt"
	"os"
	"runtime"
	"runtime/debug"
	"strings"
	"sync"
	"syscall"
	"time"
)

// Crash is how a server ended that this one follows.
type Crash struct {
	State string        // such as "signal: killed" or "exit status 2"
	Pause time.Duration // to wait before serving
}

// Start makes this process the supervisor of a server with the same arguments. It returns only if it fails. Nothing may have listened to SIGINT and SIGTERM before.
func Start(env []string) error {
	room := strings.Repeat(".", 2*len("-2147483648"))
	env = append(env[:len(env):len(env)], C.SL_SUPERVISED+"="+C.SL_SUPERVISOR+room)
	runtime.LockOSThread()
	C.sl_hold()
	return fmt.Errorf("starting the supervisor: %w", syscall.Exec("/proc/self/exe", os.Args, env))
}

// Listening tells the supervisor, if there is one, that this process listens to SIGINT and SIGTERM. One that came before comes again.
func Listening() { C.sl_listens() }

// Child reports whether the environment is that of a server with a supervisor. crash is nil if no server crashed before.
func Child(env []string) (crash *Crash, ok bool) {
	for _, pair := range env {
		value, is := strings.CutPrefix(pair, C.SL_SUPERVISED+"=")
		if !is {
			continue
		}
		var status, pause int
		if _, err := fmt.Sscanf(value, "%d %d", &status, &pause); err != nil || pause == 0 {
			return nil, true
		}
		return &Crash{state(syscall.WaitStatus(status)), time.Duration(pause) * time.Millisecond}, true
	}
	return nil, false
}

func state(s syscall.WaitStatus) string {
	if s.Signaled() {
		return "signal: " + s.Signal().String()
	}
	return fmt.Sprint("exit status ", s.ExitStatus())
}

// GiveBack gives free memory back to the system, and the pages of code and constants, which come again from the system's cache of files when they are
// used: about a millisecond for all that a request needs.
func GiveBack() {
	debug.FreeOSMemory()
	C.sl_give_back()
}

// Period is how long a process has to be idle before it gives memory back: one with less CPU than idle does, once after one with more than busy.
const (
	Period = 20 * time.Second
	idle   = 70 * time.Millisecond
	busy   = 200 * time.Millisecond
)

// WhenIdle calls give after each idle Period that follows a busy one, until the returned function is called. ticks are the periods' ends, used is the
// CPU time of the process so far.
func WhenIdle(give func(), ticks <-chan time.Time, used func() time.Duration) (stop func()) {
	ending, ended := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(ended)
		given, before := false, used()
		for {
			select {
			case <-ending:
				return
			case <-ticks:
			}
			now := used()
			spent := now - before
			before = now
			switch {
			case spent > busy:
				given = false
			case spent < idle && !given:
				give()
				given = true
			}
		}
	}()
	return sync.OnceFunc(func() { close(ending); <-ended })
}

// Used returns the CPU time of this process.
func Used() time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		return 0
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
