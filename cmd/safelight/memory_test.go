package main

import (
	"os"
	"path/filepath"
	"testing"
)

func TestMemoryOfMachineAndCgroup(t *testing.T) {
	dir := t.TempDir()
	write := func(name, content string) string {
		file := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(content), 0o644); err != nil {
			t.Fatal(err)
		}
		return file
	}
	if got := machineMemory(write("meminfo", "MemTotal:       24567890 kB\nMemFree: 1 kB\n")); got != 24567890<<10 {
		t.Errorf("Memory = %d", got)
	}
	if got := machineMemory(filepath.Join(dir, "none")); got != 0 {
		t.Errorf("Memory without /proc = %d", got)
	}
	if got := cgroupMemory(dir, filepath.Join(dir, "self")); got != 0 {
		t.Errorf("Cgroup without a cgroup = %d", got)
	}
	write("memory/memory.limit_in_bytes", "9223372036854771712\n") // version 1's word for none
	if got := cgroupMemory(dir, filepath.Join(dir, "self")); got != 0 {
		t.Errorf("Cgroup of version 1 without a limit = %d", got)
	}
	write("memory.max", "max\n")
	if got := cgroupMemory(dir, filepath.Join(dir, "self")); got != 0 {
		t.Errorf("Cgroup of version 2 without a limit = %d", got)
	}
	write("memory.max", "536870912\n")
	if got := cgroupMemory(dir, filepath.Join(dir, "self")); got != 512<<20 {
		t.Errorf("Cgroup = %d", got)
	}
	// a service of systemd, whose cgroup is not the root
	write("self", "12:pids:/\n4:cpu,memory:/web/server\n0::/system.slice/safelight.service\n")
	for _, c := range []struct {
		name, content string
		want          int64
	}{
		{"system.slice/safelight.service/memory.max", "max\n", 512 << 20}, {"system.slice/safelight.service/memory.max", "268435456\n", 256 << 20},
		{"system.slice/memory.max", "134217728\n", 128 << 20}, {"system.slice/memory.max", "1073741824\n", 256 << 20},
	} {
		write(c.name, c.content)
		if got := cgroupMemory(dir, filepath.Join(dir, "self")); got != c.want {
			t.Errorf("%s of %s: Cgroup = %d, expected %d", c.name, c.content, got, c.want)
		}
	}
	first := t.TempDir() // version 1, with a limit of the group around
	for name, content := range map[string]string{"memory/web/memory.limit_in_bytes": "1048576", "memory/web/server/memory.limit_in_bytes": "9223372036854771712"} {
		dir = first
		write(name, content)
	}
	write("self", "4:cpu,memory:/web/server\n0::/\n")
	if got := cgroupMemory(first, filepath.Join(first, "self")); got != 1<<20 {
		t.Errorf("Cgroup of version 1 = %d", got)
	}
}
