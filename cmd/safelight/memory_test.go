package main

import (
	"errors"
	"testing"

	"github.com/KimMachineGun/automemlimit/memlimit"
)

// TestAvailableMemory checks that the smaller of both limits counts, and that an unreadable cgroup is named.
func TestAvailableMemory(t *testing.T) {
	for _, c := range []struct {
		machine, group uint64
		err            error
		limit          int64
		origin         string
	}{
		{machine: 400, group: 200, limit: 150, origin: "75 % of the cgroup's memory"},
		{machine: 400, group: 800, limit: 300, origin: "75 % of the machine's memory"},
		{group: 800, limit: 600, origin: "75 % of the cgroup's memory"},
		{machine: 400, err: memlimit.ErrNoLimit, limit: 300, origin: "75 % of the machine's memory"},
		{
			machine: 400, err: errors.New("permission denied"), limit: 300,
			origin: "75 % of the machine's memory; the limit of the cgroup is not known: permission denied",
		},
		{err: memlimit.ErrNoLimit, origin: "no limit: neither memory-limit nor the machine's memory is known"},
	} {
		if limit, origin := availableMemory(c.machine, c.group, c.err); limit != c.limit || origin != c.origin {
			t.Errorf("%+v: got %d, %q", c, limit, origin)
		}
	}
}
