package deploy

import (
	"encoding/json"
	"errors"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// released runs scripts/release on programs as scripts/programs makes them, without image and npm package, and returns
// the folder with the result.
func released(t *testing.T, programs string, env ...string) string {
	t.Helper()
	out := filepath.Join(t.TempDir(), "out")
	command := exec.CommandContext(t.Context(), "../release")
	command.Env = append(append(os.Environ(), "VERSION=v1.2.3", "SOURCE_DATE_EPOCH=1795000000", "PROGRAMS="+programs,
		"OUT="+out, "WITHOUT=image client"), env...)
	if text, err := command.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	return out
}

// builtPrograms builds a small program that stands for the server's, for each target of a release on amd64.
func builtPrograms(t *testing.T) string {
	t.Helper()
	folder := t.TempDir()
	program := filepath.Join(folder, "portable-amd64", "safelight")
	if text, err := exec.CommandContext(t.Context(), "go", "build", "-o", program,
		"testdata/program.go").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	built, err := os.ReadFile(program)
	if err != nil {
		t.Fatal(err)
	}
	for name, content := range map[string]string{
		"portable-amd64/lib/versions.json": `{"vips": "8.18.7", "aom": "3.15.1"}`,
		"portable-amd64/THIRD-PARTY.md":    "# Libraries\n",
		"bookworm-amd64/safelight":         string(built),
		"bookworm-amd64/depends":           "libc6 (>= 2.36), libvips42 (>= 8.14)",
	} {
		file := filepath.Join(folder, name)
		if err := errors.Join(os.MkdirAll(filepath.Dir(file), 0o755),
			os.WriteFile(file, []byte(content), 0o755)); err != nil {
			t.Fatal(err)
		}
	}
	return folder
}

func contents(t *testing.T, folder string) map[string]string {
	t.Helper()
	entries, err := os.ReadDir(folder)
	if err != nil {
		t.Fatal(err)
	}
	all := map[string]string{}
	for _, e := range entries {
		b, err := os.ReadFile(filepath.Join(folder, e.Name()))
		if err != nil {
			t.Fatal(err)
		}
		all[e.Name()] = string(b)
	}
	return all
}

// TestReleaseIsReproducible makes a release twice: every file has the same bytes. The signature is verified, and the
// SBOM and the package are read.
func TestReleaseIsReproducible(t *testing.T) {
	if _, err := exec.LookPath("dpkg-deb"); err != nil {
		t.Skip("dpkg-deb is not installed")
	}
	programs := builtPrograms(t)
	key := filepath.Join(t.TempDir(), "key")
	if text, err := tool(t, "ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", key); err != nil {
		t.Fatal(text)
	}
	one, two := released(t, programs, "KEY="+key), released(t, programs, "KEY="+key)
	first, second := contents(t, one), contents(t, two)
	for name, content := range first {
		if second[name] != content {
			t.Errorf("%s differs", name)
		}
	}
	want := []string{"NOTES.md", "SHA256SUMS", "SHA256SUMS.sig", "safelight-1.2.3-linux-amd64.cdx.json",
		"safelight-1.2.3-linux-amd64.tar.gz", "safelight-chart-1.2.3.tgz", "safelight_1.2.3+deb12_amd64.deb"}
	if got := slices.Sorted(maps.Keys(first)); !slices.Equal(got, want) ||
		strings.Count(first["SHA256SUMS"], "\n") != 5 {
		t.Errorf("there are %q, expected %q, all but the sums in %s", got, want, first["SHA256SUMS"])
	}
	verified(t, one, key)
	var bom struct {
		Components []struct{ Name, Version string }
	}
	if err := json.Unmarshal([]byte(first["safelight-1.2.3-linux-amd64.cdx.json"]), &bom); err != nil ||
		len(bom.Components) < 3 || bom.Components[0].Name != "std" ||
		bom.Components[len(bom.Components)-1].Name+bom.Components[len(bom.Components)-1].Version != "vips8.18.7" {
		t.Errorf("the SBOM: %v %+v", err, bom)
	}
	archive := filepath.Join(one, "safelight-1.2.3-linux-amd64.tar.gz")
	list, err := tool(t, "tar", "-tf", archive)
	if err != nil {
		t.Fatal(list)
	}
	for _, name := range []string{"safelight", "lib/versions.json", "THIRD-PARTY.md", "LICENSE", "NOTICE", "README.md",
		"docs/README.md", "deploy/safelight.1", "completions/safelight.bash", "completions/safelight.fish",
		"completions/safelight.zsh"} {
		if !strings.Contains(list, "safelight-1.2.3-linux-amd64/"+name+"\n") {
			t.Errorf("the archive lacks %s: %s", name, list)
		}
	}
}

// verified checks the files of a release as docs/contributing/release.md tells users.
func verified(t *testing.T, folder, key string) {
	t.Helper()
	c := exec.CommandContext(
		t.Context(), "sh", "-c",
		`sha256sum --quiet -c SHA256SUMS && printf 'operator %s' "$(cat "$1")" > ../allowed && ssh-keygen -q -Y verify -f ../allowed -I operator -n safelight -s SHA256SUMS.sig < SHA256SUMS`,
		"sh", key+".pub",
	)
	c.Dir = folder
	if text, err := c.CombinedOutput(); err != nil {
		t.Errorf("verifying: %v\n%s", err, text)
	}
}

// TestReleaseFails checks that a tool that fails in a pipe ends a release, which leaves nothing, so that the next one
// can be made.
func TestReleaseFails(t *testing.T) {
	if _, err := exec.LookPath("dpkg-deb"); err != nil {
		t.Skip("dpkg-deb is not installed")
	}
	programs, folder, broken := builtPrograms(t), t.TempDir(), t.TempDir()
	if err := os.WriteFile(filepath.Join(broken, "tar"), []byte("#!/bin/sh\necho half of an archive\nexit 1\n"),
		0o755); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		path  string
		fails bool
	}{{broken + ":" + os.Getenv("PATH"), true}, {os.Getenv("PATH"), false}} {
		command := exec.CommandContext(t.Context(), "../release")
		command.Env = append(os.Environ(), "VERSION=v1.2.3", "SOURCE_DATE_EPOCH=1795000000", "PROGRAMS="+programs,
			"WITHOUT=image client", "OUT="+filepath.Join(folder, "out"), "PATH="+c.path)
		text, err := command.CombinedOutput()
		left, _ := os.ReadDir(folder)
		if (err != nil) != c.fails || (len(left) == 0) != c.fails || len(left) > 1 {
			t.Errorf("with %s: %v, it leaves %v\n%s", c.path, err, left, text)
		}
	}
}

// TestRollingSkips checks that the test of two versions is skipped only by a clone that cannot have the older one, and
// says so.
func TestRollingSkips(t *testing.T) {
	whole, shallow := t.TempDir(), filepath.Join(t.TempDir(), "shallow")
	if err := os.Mkdir(filepath.Join(whole, "scripts"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(whole, "scripts/rolling"), []byte(read(t, "scripts/rolling")),
		0o755); err != nil {
		t.Fatal(err)
	}
	for _, args := range [][]string{
		{"-C", whole, "init", "-q"}, {"-C", whole, "add", "scripts/rolling"},
		{"-C", whole, "-c", "user.name=a", "-c", "user.email=a@localhost", "-c", "commit.gpgsign=false", "commit", "-q",
			"-m", "one"},
		{"-C", whole, "-c", "user.name=a", "-c", "user.email=a@localhost", "-c", "commit.gpgsign=false", "commit", "-q",
			"-m", "two", "--allow-empty"},
		{"clone", "-q", "--depth", "1", "file://" + whole, shallow},
	} {
		if text, err := tool(t, "git", args...); err != nil {
			t.Fatal(args, text)
		}
	}
	for folder, want := range map[string]string{whole: "is not in this repository", shallow: "SKIPPED"} {
		command := exec.CommandContext(t.Context(), filepath.Join(folder, "scripts/rolling"))
		command.Env = append(os.Environ(), "BASE=0123456789")
		text, err := command.CombinedOutput()
		if (err == nil) != (folder == shallow) || !strings.Contains(string(text), want) {
			t.Errorf("%s: %v %s, expected %q", folder, err, text, want)
		}
	}
}

// TestPackage unpacks the Debian package, and reads its unit and its scripts with the tools that they are for.
func TestPackage(t *testing.T) {
	if _, err := exec.LookPath("dpkg-deb"); err != nil {
		t.Skip("dpkg-deb is not installed")
	}
	out, root := released(t, builtPrograms(t)), t.TempDir()
	files, err := filepath.Glob(filepath.Join(out, "*.deb"))
	if err != nil || len(files) != 1 {
		t.Fatal(files, err)
	}
	if text, err := tool(t, "dpkg-deb", "-R", files[0], root); err != nil {
		t.Fatal(text)
	}
	for name, mode := range map[string]os.FileMode{"usr/bin/safelight": 0o755,
		"usr/lib/systemd/system/safelight.service": 0o644, "etc/safelight/safelight.conf": 0o640,
		"usr/share/doc/safelight/copyright": 0o644, "DEBIAN/postinst": 0o755,
		"usr/share/man/man1/safelight.1.gz": 0o644, "usr/share/bash-completion/completions/safelight": 0o644,
		"usr/share/zsh/vendor-completions/_safelight":        0o644,
		"usr/share/fish/vendor_completions.d/safelight.fish": 0o644} {
		if info, err := os.Stat(filepath.Join(root, name)); err != nil || info.Mode().Perm() != mode {
			t.Errorf("%s: %v, expected the mode %v", name, err, mode)
		}
	}
	control, err := os.ReadFile(filepath.Join(root, "DEBIAN/control"))
	if err != nil || !strings.Contains(string(control), "\nVersion: 1.2.3+deb12\n") ||
		!strings.Contains(string(control), "\nDepends: libc6 (>= 2.36), libvips42 (>= 8.14), libheif-plugin-aomenc") ||
		strings.Contains(string(control), "@VERSION") || strings.Contains(string(control), "@LIBRARIES") ||
		strings.Contains(string(control), "@SIZE") {
		t.Errorf("control: %v\n%s", err, control)
	}
	for _, script := range []string{"postinst", "prerm"} {
		if text, err := tool(t, "sh", "-n", filepath.Join(root, "DEBIAN", script)); err != nil {
			t.Error(text)
		}
	}
	unit, err := os.ReadFile(filepath.Join(root, "usr/lib/systemd/system/safelight.service"))
	if err != nil || string(unit) != read(t, "deploy/safelight.service") {
		t.Errorf("the unit differs from deploy/safelight.service: %v", err)
	}
	known := read(t, "docs/reference/settings.md")
	for line := range strings.Lines(read(t, "deploy/debian/safelight.conf")) {
		if name, _, found := strings.Cut(line, " ="); found && !strings.HasPrefix(line, "#") &&
			!strings.Contains(known, "`--"+name+"`") {
			t.Errorf("safelight.conf has %s, expected a setting", name)
		}
	}
}

// TestCut gives what is unreleased a heading, once.
func TestCut(t *testing.T) {
	file := filepath.Join(t.TempDir(), "CHANGELOG.md")
	if err := os.WriteFile(file, []byte("# Changelog\n\n## Unreleased: 1.0.0\n\n### Added\n\n- One.\n"),
		0o600); err != nil {
		t.Fatal(err)
	}
	cut := func(version string) error {
		command := exec.CommandContext(t.Context(), "../release", "cut", version)
		command.Env = append(os.Environ(), "CHANGELOG="+file)
		return command.Run()
	}
	if err := cut("1.0.0"); err != nil {
		t.Fatal(err)
	}
	b, err := os.ReadFile(file)
	if err != nil || !strings.HasPrefix(string(b), "# Changelog\n\n## Unreleased\n\n## 1.0.0 - 20") ||
		!strings.HasSuffix(string(b), "\n\n### Added\n\n- One.\n") {
		t.Errorf("%v\n%s", err, b)
	}
	for _, version := range []string{"1.0.0", "v1.0.0", "next", ""} {
		if cut(version) == nil {
			t.Errorf("%q was cut", version)
		}
	}
}
