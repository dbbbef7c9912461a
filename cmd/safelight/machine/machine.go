// Package machine says how much memory there is.
package machine

import (
	"bufio"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// Memory returns MemTotal of /proc/meminfo, or of a file like it, in bytes; 0 without the file.
func Memory(file string) int64 {
	f, err := os.Open(file)
	if err != nil {
		return 0
	}
	defer f.Close()
	for lines := bufio.NewScanner(f); lines.Scan(); {
		if rest, found := strings.CutPrefix(lines.Text(), "MemTotal:"); found {
			kib, _ := strconv.ParseInt(strings.TrimSpace(strings.TrimSuffix(rest, "kB")), 10, 64)
			return kib << 10
		}
	}
	return 0
}

// Cgroup returns the memory limit of the process's cgroup (version 2, then 1) in bytes, the lowest of its own and of those around it; 0 without a limit. root is where
// cgroups are mounted, self names those of the process, as /proc/self/cgroup does. In a container the root is its own cgroup, under systemd it is not.
func Cgroup(root, self string) int64 {
	own, shared := paths(self)
	for _, version := range []struct{ root, path, name string }{{root, own, "memory.max"}, {filepath.Join(root, "memory"), shared, "memory.limit_in_bytes"}} {
		lowest := int64(0)
		for path := filepath.Join("/", version.path); ; path = filepath.Dir(path) {
			if n := limit(filepath.Join(version.root, path, version.name)); n > 0 && (lowest == 0 || n < lowest) {
				lowest = n
			}
			if path == "/" {
				break
			}
		}
		if lowest > 0 {
			return lowest
		}
	}
	return 0
}

// paths returns the path of the process's cgroup of version 2, and of that of version 1 that limits memory; the root where the file names none.
func paths(self string) (own, shared string) {
	text, _ := os.ReadFile(self)
	for line := range strings.Lines(string(text)) {
		number, rest, _ := strings.Cut(strings.TrimSpace(line), ":")
		controllers, path, _ := strings.Cut(rest, ":")
		switch {
		case number == "0" && controllers == "":
			own = path
		case slices.Contains(strings.Split(controllers, ","), "memory"):
			shared = path
		}
	}
	return own, shared
}

// limit returns the limit in the file; 0 for none.
func limit(file string) int64 {
	text, err := os.ReadFile(file)
	if err != nil {
		return 0
	}
	if n, err := strconv.ParseInt(strings.TrimSpace(string(text)), 10, 64); err == nil && n < 1<<50 {
		return n
	}
	return 0
}
