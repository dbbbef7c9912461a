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
		t.Errorf("machineMemory = %d", got)
	}
	if got := machineMemory(filepath.Join(dir, "none")); got != 0 {
		t.Errorf("machineMemory without /proc = %d", got)
	}
	if got := cgroupMemory(dir); got != 0 {
		t.Errorf("cgroupMemory without a cgroup = %d", got)
	}
	write("memory/memory.limit_in_bytes", "9223372036854771712\n") // version 1's word for none
	if got := cgroupMemory(dir); got != 0 {
		t.Errorf("cgroupMemory of version 1 without a limit = %d", got)
	}
	write("memory.max", "max\n")
	if got := cgroupMemory(dir); got != 0 {
		t.Errorf("cgroupMemory of version 2 without a limit = %d", got)
	}
	write("memory.max", "536870912\n")
	if got := cgroupMemory(dir); got != 512<<20 {
		t.Errorf("cgroupMemory = %d", got)
	}
}
