// Package machine says how much memory there is.
package machine

import (
	"bufio"
	"os"
	"path/filepath"
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

// Cgroup returns the memory limit of the cgroup (version 2, then 1) below root, in bytes; 0 without a limit.
func Cgroup(root string) int64 {
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
