package machine_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/safelight/safelight/cmd/safelight/machine"
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
	if got := machine.Memory(write("meminfo", "MemTotal:       24567890 kB\nMemFree: 1 kB\n")); got != 24567890<<10 {
		t.Errorf("Memory = %d", got)
	}
	if got := machine.Memory(filepath.Join(dir, "none")); got != 0 {
		t.Errorf("Memory without /proc = %d", got)
	}
	if got := machine.Cgroup(dir); got != 0 {
		t.Errorf("Cgroup without a cgroup = %d", got)
	}
	write("memory/memory.limit_in_bytes", "9223372036854771712\n") // version 1's word for none
	if got := machine.Cgroup(dir); got != 0 {
		t.Errorf("Cgroup of version 1 without a limit = %d", got)
	}
	write("memory.max", "max\n")
	if got := machine.Cgroup(dir); got != 0 {
		t.Errorf("Cgroup of version 2 without a limit = %d", got)
	}
	write("memory.max", "536870912\n")
	if got := machine.Cgroup(dir); got != 512<<20 {
		t.Errorf("Cgroup = %d", got)
	}
}
