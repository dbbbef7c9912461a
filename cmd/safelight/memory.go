package main

import (
	"errors"
	"fmt"
	"runtime/debug"

	"github.com/KimMachineGun/automemlimit/memlimit"
)

// memoryLimit returns the memory limit of the program in bytes: the setting, or 75 % of the limit of the cgroup or the
// memory of the machine; 0 if unknown.
func memoryLimit(s *Settings) int64 {
	limit, _ := memoryOrigin(s)
	return limit
}

// memoryOrigin returns memoryLimit and the source of that limit.
func memoryOrigin(s *Settings) (limit int64, origin string) {
	if s.MemoryLimit > 0 {
		return s.MemoryLimit, "by memory-limit"
	}
	available, _ := memlimit.FromSystem() // 0 if it is unknown
	group, err := memlimit.FromCgroup()
	return availableMemory(available, group, err)
}

// availableMemory returns 75 % of the memory of the machine or of the cgroup's limit, whichever is less, and says
// which of them it is. groupErr is why the cgroup's limit is unknown; nil if it is known.
func availableMemory(machine, group uint64, groupErr error) (limit int64, origin string) {
	available, origin := machine, "75 % of the machine's memory"
	switch {
	case groupErr == nil && (machine == 0 || group < machine):
		available, origin = group, "75 % of the cgroup's memory"
	case machine == 0:
		origin = "no limit: neither memory-limit nor the machine's memory is known"
	}
	if groupErr != nil && !errors.Is(groupErr, memlimit.ErrNoLimit) {
		origin += fmt.Sprintf("; the limit of the cgroup is not known: %v", groupErr)
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
