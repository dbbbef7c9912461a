package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"testing"
)

// memoryGroup is a control group whose processes may have a limited number of bytes together. Both versions of control
// groups are known: of version 1 the memory controller has a hierarchy of its own.
type memoryGroup struct {
	folder string
	events string // the file that counts kills
}

// newMemoryGroup makes a group, and removes it after the test. The test is skipped where this process may not make one.
func newMemoryGroup(t *testing.T, bytes int64) memoryGroup {
	t.Helper()
	for _, version := range []struct{ root, limit, events string }{
		{"/sys/fs/cgroup/memory", "memory.limit_in_bytes", "memory.oom_control"},
		{"/sys/fs/cgroup", "memory.max", "memory.events"},
	} {
		if _, err := os.Stat(filepath.Join(version.root, "cgroup.procs")); err != nil {
			continue
		}
		folder, err := os.MkdirTemp(version.root, "safelight-test-")
		if err != nil {
			t.Skipf("needs to make a control group: %v", err)
		}
		t.Cleanup(func() {
			if err := os.Remove(folder); err != nil && !errors.Is(err, fs.ErrNotExist) {
				t.Logf("the control group stays: %v", err)
			}
		})
		if err := os.WriteFile(filepath.Join(folder, version.limit), fmt.Append(nil, bytes), 0); err != nil {
			t.Skipf("needs a control group with a limit of memory: %v", err)
		}
		return memoryGroup{folder: folder, events: filepath.Join(folder, version.events)}
	}
	t.Skip("needs control groups")
	return memoryGroup{}
}

// program is a script that starts the program under test in the group, with its arguments.
func (g memoryGroup) program(t *testing.T) string {
	t.Helper()
	script := filepath.Join(t.TempDir(), "limited")
	text := fmt.Sprintf("#!/bin/sh\necho $$ > '%s/cgroup.procs'\nexec '%s' \"$@\"\n", g.folder, programLink(t))
	if err := os.WriteFile(script, []byte(text), 0o700); err != nil {
		t.Fatal(err)
	}
	return script
}

var oomKills = regexp.MustCompile(`(?m)^oom_kill (\d+)$`)

// killed is how many processes of the group the kernel has killed for their memory.
func (g memoryGroup) killed(t *testing.T) int {
	t.Helper()
	text, err := os.ReadFile(g.events)
	if err != nil {
		t.Fatal(err)
	}
	m := oomKills.FindSubmatch(text)
	if m == nil {
		t.Fatalf("%s does not count kills", g.events)
	}
	n, _ := strconv.Atoi(string(m[1]))
	return n
}
