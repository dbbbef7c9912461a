package deploy

import (
	"bytes"
	"cmp"
	"context"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"
)

// releaseVariable says that a release is made twice, which takes minutes; make test-release sets it.
const releaseVariable = "SAFELIGHT_TEST_RELEASE"

// TestReleaseTwice cuts, tags and makes a release of the last commit in two folders, the second time with another
// umask, time zone and home, and an empty build cache: all files have the same bytes, and the signature is the
// operator's. Both use the same compilers and libraries, which are not part of the repository.
func TestReleaseTwice(t *testing.T) {
	if os.Getenv(releaseVariable) == "" {
		t.Skip(releaseVariable + " is not set: make test-release does")
	}
	if os.Getuid() != 0 {
		t.Fatal("a release is made as root")
	}
	folder, err := os.MkdirTemp(cmp.Or(os.Getenv("TMPDIR"), "/var/tmp"), "safelight-release-") // /tmp may be memory
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(folder) })
	ctx := t.Context()
	if deadline, ok := t.Deadline(); ok { // before it, the scripts still remove their folders of gigabytes
		var cancel context.CancelFunc
		ctx, cancel = context.WithDeadline(ctx, deadline.Add(-time.Minute))
		defer cancel()
	}
	one, two, key := filepath.Join(folder, "one"), filepath.Join(folder, "another/and deeper"),
		filepath.Join(folder, "key")
	sh := func(dir, line string, env ...string) {
		t.Helper()
		c := stoppable(ctx, "sh", "-euc", line)
		c.Dir = dir
		c.Env = append(append(os.Environ(), "ROOTS="+filepath.Join(folder, "roots")), env...)
		if out, err := c.CombinedOutput(); err != nil {
			t.Fatalf("%s: %v\n%s", line, err, out)
		}
	}
	const make = `make release MAINTAINER='A <a@example.com>' KEY=../key`
	sh(".", `ssh-keygen -q -t ed25519 -N '' -f "$key" && git clone -q --no-local ../.. "$one"`, "key="+key, "one="+one)
	sh(
		one,
		`scripts/release cut 9.9.9 && git -c user.name=a -c user.email=a@localhost -c commit.gpgsign=false commit -qam 'Version 9.9.9' && git tag v9.9.9`,
	)
	sh(one, `git clone -q --no-local . "$two"`, "two="+two)
	sh(one, make)
	sh(two, "umask 077; "+strings.Replace(make, "../key", "../../key", 1), "TZ=Asia/Tokyo", "LC_ALL=C",
		"GOCACHE="+filepath.Join(folder, "cache"))
	first, second := contents(t, filepath.Join(one, "dist/v9.9.9")), contents(t, filepath.Join(two, "dist/v9.9.9"))
	if names := slices.Sorted(maps.Keys(first)); !slices.Equal(names, slices.Sorted(maps.Keys(second))) {
		t.Errorf("one has %q, the other %q", names, slices.Sorted(maps.Keys(second)))
	}
	for name, content := range first {
		if second[name] != content {
			t.Errorf("%s differs: %d and %d bytes", name, len(content), len(second[name]))
		}
	}
	verified(t, filepath.Join(one, "dist/v9.9.9"), key)
	t.Logf("%d files, equal both times", len(first))
}

// stoppable is a command whose whole group of processes gets SIGTERM when the context ends, and has half a minute to
// clean up. Wait returns when all have ended if the output is collected.
func stoppable(ctx context.Context, name string, arguments ...string) *exec.Cmd {
	c := exec.CommandContext(ctx, name, arguments...)
	c.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	c.Cancel = func() error { return syscall.Kill(-c.Process.Pid, syscall.SIGTERM) }
	c.WaitDelay = 30 * time.Second
	return c
}

// TestStoppedRelease holds that a script which is stopped removes its folder, although a program that it has started
// is still running.
func TestStoppedRelease(t *testing.T) {
	t.Parallel()
	folder := filepath.Join(t.TempDir(), "work")
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	const script = `trap 'rm -rf "$0"' EXIT; mkdir "$0"; sh -c 'touch "$0/runs"; sleep 300' "$0"; true`
	c := stoppable(ctx, "sh", "-euc", `bash -c "$1" "$0"; true`, folder, script)
	c.Stdout = new(bytes.Buffer)
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	runs := filepath.Join(folder, "runs")
	for _, err := os.Stat(runs); err != nil; _, err = os.Stat(runs) {
		time.Sleep(10 * time.Millisecond)
	}
	cancel()
	_ = c.Wait()
	if _, err := os.Stat(folder); err == nil {
		t.Error("the folder is still there")
	}
}
