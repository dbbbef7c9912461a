//go:build linux

// Package idle gives memory back to the system when the server has had nothing to do for a while, and lets timers be
// a little late (docs/decisions/0068). It imports nothing of ours.
package idle

// #include "idle.h"
import "C"

import (
	"runtime/debug"
	"sync"
	"syscall"
	"time"
)

// GiveBack gives free memory back to the system, and the pages of code and constants, which come again from the
// system's cache of files when they are used: about a millisecond for all that a request needs.
func GiveBack() {
	debug.FreeOSMemory()
	C.sl_give_back()
}

// Period is how long a process has to be idle before it gives memory back: one with less CPU than quiet does, once
// after one with more than busy.
const (
	Period = 20 * time.Second
	quiet  = 70 * time.Millisecond
	busy   = 200 * time.Millisecond
)

// WhenIdle calls give after each idle Period that follows a busy one, until the returned function is called. ticks
// are the periods' ends, used is the CPU time of the process so far.
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
			case spent < quiet && !given:
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
