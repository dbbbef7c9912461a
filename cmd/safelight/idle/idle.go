//go:build linux

// Package idle returns memory to the system when the server has been idle for a while, and makes timers less precise
// to save CPU time.
package idle

// #include "idle.h"
import "C"

import (
	"runtime"
	"runtime/debug"
	"sync"
	"syscall"
	"time"
)

// GiveBack returns free memory to the system, and the pages of code and constants. The next request that needs those
// pages gets them from the page cache, which takes about a millisecond.
func GiveBack() {
	runtime.GC() // sync.Pool keeps its content for one more collection
	debug.FreeOSMemory()
	C.sl_give_back()
}

// Period is how long a process must be idle before it returns memory.
const Period = 20 * time.Second

// A Period counts as idle if the process uses less CPU time than quiet in it, and as busy if it uses more than busy.
const (
	quiet = 70 * time.Millisecond
	busy  = 200 * time.Millisecond
)

// WhenIdle calls give after the first idle Period, and again after the first one that follows a busy Period, until stop
// is called. It receives from ticks at the end of each Period. used returns the CPU time of the process so far.
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
				before = used() // giving memory back also takes CPU time
			}
		}
	}()
	return sync.OnceFunc(func() { close(ending); <-ended })
}

// Used returns the CPU time of this process so far; 0 if it is unknown.
func Used() time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		return 0
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
