package main

import (
	"runtime/debug"

	"github.com/KimMachineGun/automemlimit/memlimit"
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
	available, _ := memlimit.FromSystem() // 0 if it is unknown
	origin = "75 % of the machine's memory"
	if group, err := memlimit.FromCgroup(); err == nil && (available == 0 || group < available) {
		available, origin = group, "75 % of the cgroup's memory"
	}
	if available == 0 {
		return 0, "no limit: neither memory-limit nor the machine's memory is known"
	}
	return int64(available / 4 * 3), origin
}

// limitGoMemory limits Go's memory to half of limit. The other half is for pixels, which libvips allocates outside of
// Go's heap. GOMEMLIMIT in the environment takes precedence.
func limitGoMemory(env []string, limit int64) {
	if limit > 0 && envValue(env, "GOMEMLIMIT") == "" {
		debug.SetMemoryLimit(limit / 2)
	}
}
