package main

import (
	"bufio"
	"os"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"
)

// memoryLimit returns the memory limit of the program in bytes: the setting, or 75 % of the limit of the cgroup or the
// memory of the machine; 0 if unknown.
func memoryLimit(s *Settings) int64 {
	limit, _ := memoryOrigin(s)
	return limit
}

// memoryOrigin is memoryLimit, and returns the source of the limit.
func memoryOrigin(s *Settings) (limit int64, origin string) {
	if s.MemoryLimit > 0 {
		return s.MemoryLimit, "by memory-limit"
	}
	available, origin := machineMemory("/proc/meminfo"), "75 % of the machine's memory"
	group := cgroupMemory("/sys/fs/cgroup", "/proc/self/cgroup")
	if group > 0 && (available == 0 || group < available) {
		available, origin = group, "75 % of the cgroup's memory"
	}
	if available == 0 {
		return 0, "no limit: neither memory-limit nor the machine's memory is known"
	}
	return available / 4 * 3, origin
}

// limitGoMemory limits Go's memory to half of limit. The other half is for pixels, which libvips allocates outside of
// Go's heap. GOMEMLIMIT in the environment takes precedence.
func limitGoMemory(env []string, limit int64) {
	if limit > 0 && envValue(env, "GOMEMLIMIT") == "" {
		debug.SetMemoryLimit(limit / 2)
	}
}

// machineMemory returns MemTotal of a file like /proc/meminfo in bytes; 0 if it cannot be read.
func machineMemory(file string) int64 {
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

// cgroupMemory returns the memory limit in bytes that cgroups (version 2, then 1) impose on the process: the lowest one
// of its own cgroup and those around it; 0 if there is none. root is where cgroups are mounted, and self is a file like
// /proc/self/cgroup. In a container the root is the cgroup of the process, under systemd it is not.
func cgroupMemory(root, self string) int64 {
	own, shared := cgroupPaths(self)
	for _, version := range []struct{ root, path, name string }{
		{root, own, "memory.max"},
		{filepath.Join(root, "memory"), shared, "memory.limit_in_bytes"},
	} {
		lowest := int64(0)
		for path := filepath.Join("/", version.path); ; path = filepath.Dir(path) {
			if n := cgroupLimit(filepath.Join(version.root, path, version.name)); n > 0 && (lowest == 0 || n < lowest) {
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

// cgroupPaths returns the path of the process's cgroup of version 2, and the path of its memory cgroup of version 1.
// Empty, which is the root, if the file does not name one.
func cgroupPaths(self string) (own, shared string) {
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

// cgroupLimit returns the limit in the file; 0 for none.
func cgroupLimit(file string) int64 {
	text, err := os.ReadFile(file)
	if err != nil {
		return 0
	}
	if n, err := strconv.ParseInt(strings.TrimSpace(string(text)), 10, 64); err == nil && n < 1<<50 {
		return n
	}
	return 0
}
