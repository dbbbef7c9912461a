package deploy

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// TestAlerts lets Prometheus read the rules, and holds that each fires when it should: testdata/alerts.yaml.
func TestAlerts(t *testing.T) {
	runByChart(t)
	if out, err := tool(t, "promtool", "check", "rules", "../../deploy/alerts.yaml"); err != nil {
		t.Errorf("%v: %s", err, out)
	}
	if out, err := tool(t, "promtool", "test", "rules", "testdata/alerts.yaml"); err != nil {
		t.Errorf("%v: %s", err, out)
	}
}

// TestAlertsAreTested breaks one rule at a time: that it never fires, always, or at once. testdata/alerts.yaml notices
// each.
func TestAlertsAreTested(t *testing.T) {
	runByChart(t)
	rules, tests := read(t, "deploy/alerts.yaml"), read(t, "scripts/deploy/testdata/alerts.yaml")
	alerts := regexp.MustCompile(`(?m)^      - alert: (\w+)\n        expr: (.+)\n(        for: .+\n)?`).
		FindAllStringSubmatch(rules, -1)
	if len(alerts) != strings.Count(rules, "alert:") || len(alerts) < 6 {
		t.Fatalf("%d alerts were found", len(alerts))
	}
	folder := t.TempDir()
	file := filepath.Join(folder, "tests.yaml")
	write(t, file, strings.Replace(tests, "../../../deploy/alerts.yaml", filepath.Join(folder, "rules.yaml"), 1))
	fails := func(rules string) bool {
		write(t, filepath.Join(folder, "rules.yaml"), rules)
		out, err := tool(t, "promtool", "test", "rules", file)
		if err != nil && !strings.Contains(out, "FAILED") {
			t.Fatalf("%v: %s", err, out)
		}
		return err != nil
	}
	if fails(rules) {
		t.Fatal("the rules as they are fail")
	}
	for _, a := range alerts {
		for how, broken := range map[string]string{
			"fires never":   strings.Replace(a[0], a[2], "vector(0) > 1", 1),
			"fires always":  strings.Replace(a[0], a[2], "vector(1)", 1),
			"fires at once": strings.Replace(a[0], a[3], "", 1),
		} {
			if a[3] == "" && how == "fires at once" {
				continue // as it should
			}
			if !fails(strings.Replace(rules, a[0], broken, 1)) {
				t.Errorf("%s %s, and no test fails", a[1], how)
			}
		}
	}
}

// runByChart leaves out a test that make chart, which is part of CI, runs as well.
func runByChart(t *testing.T) {
	t.Helper()
	if testing.Short() {
		t.Skip("make chart runs it")
	}
}

func write(t *testing.T, file, text string) {
	t.Helper()
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}
