package deploy

import (
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// releaseVariable says that a release is made twice, which takes minutes; make test-release sets it.
const releaseVariable = "SAFELIGHT_TEST_RELEASE"

// TestReleaseTwice cuts, tags and makes a release of the last commit in two folders, the second time with another
// umask, time zone and home, and an empty build cache: all files have the same bytes, and the signature is the
// operator's.
func TestReleaseTwice(t *testing.T) {
	if os.Getenv(releaseVariable) == "" {
		t.Skip(releaseVariable + " is not set: make test-release does")
	}
	if os.Getuid() != 0 {
		t.Fatal("a release is made as root")
	}
	folder := t.TempDir()
	one, two, key := filepath.Join(folder, "one"), filepath.Join(folder, "another/and deeper"),
		filepath.Join(folder, "key")
	sh := func(dir, line string, env ...string) {
		t.Helper()
		c := exec.CommandContext(t.Context(), "sh", "-euc", line)
		c.Dir, c.Env = dir, append(os.Environ(), env...)
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
