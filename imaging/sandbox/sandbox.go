//go:build linux

// Package sandbox takes the network, the file system and all rights away from a process of this binary, before Go's
// runtime and libvips start their threads: with cgo, rules apply to the calling thread and the threads that it starts
// later, so a constructor in C sets them. It imports no other packages of ours.
package sandbox

// #include "sandbox.h"
import "C"

import (
	"fmt"
	"strings"
	"syscall"
	"time"
)

// Config is what a sandboxed process may use.
type Config struct {
	Readable []string      // files and folders that it may read; missing ones are ignored
	Data     int64         // bytes of private memory, including the stacks of threads (RLIMIT_DATA)
	CPU      time.Duration // CPU time of all threads in whole seconds; then the kernel kills the process
	Stack    int64         // bytes of each thread's stack
	File     int64         // bytes of the memory file for its result; it cannot make other files
	Files    int           // max open files
}

// Env returns the environment variable that makes a process of this binary enter a sandbox before main.
func Env(c Config) string {
	return fmt.Sprintf(
		"SAFELIGHT_SANDBOX=%d %d %d %d %d\n%s", c.Data, max(int64(c.CPU/time.Second), 1), c.Stack, c.File,
		c.Files, strings.Join(c.Readable, "\n"),
	)
}

// State describes the protections of a process.
type State struct {
	Active   bool // it was started with Env
	Landlock int  // version of the kernel's Landlock; 0: file access is not restricted
	Seccomp  bool // system calls are filtered
	NoCaps   bool // it has no capabilities
	Limited  bool // its resources are limited
	Missing  []string
}

// Current returns the protections of this process. Missing lists what the kernel refused, for a log.
func Current() State {
	c := C.sl_sandbox()
	s := State{
		Active:   c.active != 0,
		Landlock: max(int(c.landlock), 0),
		Seccomp:  c.seccomp == 1,
		NoCaps:   c.caps == 1,
		Limited:  c.limits == 1,
	}
	if !s.Active {
		return s
	}
	note := func(ok bool, what string, code C.int) {
		if ok {
			return
		}
		if code < 0 {
			what += ": " + syscall.Errno(-code).Error()
		}
		s.Missing = append(s.Missing, what)
	}
	note(s.Landlock > 0, "Landlock", c.landlock)
	note(s.Seccomp, "seccomp", c.seccomp)
	note(s.NoCaps, "dropping capabilities", c.caps)
	note(s.Limited, "resource limits", 0)
	note(c.threads <= 1, fmt.Sprintf("%d threads ran before the rules", int(c.threads)), 0)
	return s
}
