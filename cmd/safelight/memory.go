package main

import (
	"bufio"
	"os"
	"path/filepath"
	"runtime/debug"
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
	if group := cgroupMemory("/sys/fs/cgroup"); group > 0 && (available == 0 || group < available) {
		available, origin = group, "75 % of the cgroup's memory"
	}
	if available == 0 {
		return 0, "no limit: neither memory-limit nor the machine's memory is known"
	}
	return available / 4 * 3, origin
}

// limitGoMemory limits Go's heap to half of the limit; the other half is for pixels, which libvips allocates outside of
// the heap. GOMEMLIMIT in the environment takes precedence.
func limitGoMemory(env []string, limit int64) {
	if limit > 0 && envValue(env, "GOMEMLIMIT") == "" {
		debug.SetMemoryLimit(limit / 2)
	}
}

// machineMemory returns MemTotal in bytes; 0 without /proc.
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

// cgroupMemory returns the limit of the cgroup (version 2, then 1); 0 without a limit.
func cgroupMemory(root string) int64 {
	for _, name := range []string{"memory.max", "memory/memory.limit_in_bytes"} {
		text, err := os.ReadFile(filepath.Join(root, name))
		if err != nil {
			continue
		}
		if n, err := strconv.ParseInt(strings.TrimSpace(string(text)), 10, 64); err == nil && n < 1<<50 {
			return n
		}
	}
	return 0
}
