//go:build linux

// Package sandbox takes the network, the file system and all rights away from a process of this binary, before Go's
// runtime and libvips start their threads: with cgo, rules bind the calling thread and those it starts, so that a
// constructor in C is the place to set them. It imports nothing of ours.
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
	Readable []string      // files and folders that it may read; what is missing is left out
	Data     int64         // bytes of private memory, stacks of threads included (RLIMIT_DATA)
	CPU      time.Duration // of all threads, whole seconds; the kernel kills the process then
	Stack    int64         // bytes of each thread's stack
	File     int64         // bytes of a memory file that it makes for its result; it can make no others
	Files    int           // that it may have open
}

// Env returns the environment variable that makes a process of this binary enter a sandbox before main.
func Env(c Config) string {
	return fmt.Sprintf(
		"SAFELIGHT_SANDBOX=%d %d %d %d %d\n%s", c.Data, max(int64(c.CPU/time.Second), 1), c.Stack, c.File,
		c.Files, strings.Join(c.Readable, "\n"),
	)
}

// State is what a process is protected by.
type State struct {
	Active   bool // it was started with Env
	Landlock int  // the version of the kernel's Landlock; 0: files are not restricted
	Seccomp  bool // system calls are filtered
	NoCaps   bool // it has no capabilities
	Limited  bool // its resources are limited
	Missing  []string
}

// Current returns what this process is protected by. Missing names, for a log, what the kernel refused.
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
