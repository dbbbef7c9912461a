// Package deploy holds what is in deploy/ against the program, and against the tools that read it if they are
// installed.
package deploy

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

func read(t *testing.T, file string) string {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("../..", file))
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

// tool runs an installed program, or one that scripts/deps has unpacked, and returns what it prints; it skips the test
// without the program.
func tool(t *testing.T, name string, args ...string) (string, error) {
	t.Helper()
	program, err := exec.LookPath(name)
	if err != nil {
		program, err = exec.LookPath("../../.cache/prometheus/usr/bin/" + name)
	}
	if err != nil {
		t.Skip(name + " is not installed")
	}
	out, err := exec.CommandContext(t.Context(), program, args...).CombinedOutput()
	return string(out), err
}

// TestSettings looks up every setting that the deployments use.
func TestSettings(t *testing.T) {
	known := read(t, "docs/reference/settings.md")
	names := 0
	for _, file := range []string{"deploy/compose.yaml", "deploy/safelight.service", "compose.yaml", "Dockerfile"} {
		for _, name := range regexp.MustCompile(`SAFELIGHT_[A-Z_]+`).FindAllString(read(t, file), -1) {
			names++
			if !strings.Contains(known, "`"+name+"`") {
				t.Errorf("%s sets %s, which is no setting", file, name)
			}
		}
	}
	if names < 10 {
		t.Errorf("%d settings were found", names)
	}
}

// TestDockerfileVersions compares the versions in the Dockerfile with those of go.mod and of make test-image.
func TestDockerfileVersions(t *testing.T) {
	dockerfile := read(t, "Dockerfile")
	value := func(name string) string {
		m := regexp.MustCompile(`(?m)^ARG ` + name + `=(.*)$`).FindStringSubmatch(dockerfile)
		if m == nil {
			t.Fatalf("the Dockerfile sets no %s", name)
		}
		return m[1]
	}
	if want := "\ntoolchain go" + value("GO") + "\n"; !strings.Contains(read(t, "go.mod"), want) {
		t.Errorf("the Dockerfile has Go %s, go.mod another version", value("GO"))
	}
	if want := "scripts/image " + value("SUITE") + " " + value("VIPS") +
		"\n"; !strings.Contains(read(t, "Makefile"), want) {
		t.Errorf("make test-image does not run %s", want)
	}
}

// TestMetrics looks up every metric of the alerts and of the dashboard.
func TestMetrics(t *testing.T) {
	known := read(t, "docs/reference/observability.md")
	for _, file := range []string{"deploy/alerts.yaml", "deploy/grafana/safelight.json"} {
		found := regexp.MustCompile(`safelight_[a-z_]+`).FindAllString(read(t, file), -1)
		if len(found) < 5 {
			t.Errorf("%s names %d metrics", file, len(found))
		}
		for _, name := range found {
			name = strings.TrimSuffix(strings.TrimSuffix(strings.TrimSuffix(name, "_bucket"), "_sum"), "_count")
			if !strings.Contains(known, "`"+name+"`") {
				t.Errorf("%s names %s, which is no metric", file, name)
			}
		}
	}
}

// TestCompose looks for what the two servers need to be one.
func TestCompose(t *testing.T) {
	compose := read(t, "deploy/compose.yaml")
	for _, want := range []string{"SAFELIGHT_DATABASE: postgres://", "SAFELIGHT_STORAGE: s3://",
		"SAFELIGHT_TOKEN_SECRET:", "SAFELIGHT_PROCESSOR_SECRET:", "read_only: true", "cap_drop: [ALL]"} {
		if !strings.Contains(compose, want) {
			t.Errorf("it has no %s", want)
		}
	}
	caddy := read(t, "deploy/Caddyfile")
	for _, server := range []string{"one", "two"} {
		if !strings.Contains(compose, "\n  "+server+":\n") || !strings.Contains(caddy, server+":8000") {
			t.Errorf("the server %q is missing in compose.yaml or Caddyfile", server)
		}
	}
}

// TestCaddyfile lets Caddy read its configuration.
func TestCaddyfile(t *testing.T) {
	if out, err := tool(t, "caddy", "validate", "--config", "../../deploy/Caddyfile", "--adapter",
		"caddyfile"); err != nil {
		t.Errorf("%v: %s", err, out)
	}
}

// TestUnit lets systemd read the unit and judge its sandbox.
func TestUnit(t *testing.T) {
	unit := filepath.Join(t.TempDir(), "safelight.service")
	// what is installed later
	text := strings.ReplaceAll(read(t, "deploy/safelight.service"), "/usr/bin/safelight", "/bin/true")
	if err := os.WriteFile(unit, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	out, err := tool(t, "systemd-analyze", "verify", unit)
	if err != nil || strings.Contains(out, unit) {
		t.Errorf("%v: %s", err, out)
	}
	if out, err := tool(t, "systemd-analyze", "security", "--offline=true", "--threshold=20", unit); err != nil {
		t.Errorf("the exposure is over 2.0: %v: %s", err, out)
	}
}
