package main

import (
	"reflect"
	"strings"
	"testing"
)

// samples are texts of which every setting accepts at least one that is not its default.
var samples = []string{
	"https://tiles.example.com/{z}/{x}/{y}.png?key=1",
	"true", "false", "0", "1", "7", "17", "1000", "100000", "1.5 GB", "200 MiB", "300000000", "90s", "45d", "2h",
	"sha256", "fast", "linear", "all", "warn", "json", "off", "memory,s3://bucket/results?region=eu-central-1",
	"[::1]:8001", "https://images.example.com/base", "sqlite:///var/lib/a b.db",
	"postgres://u:p%20w@db/name?sslmode=disable&x='#'",
	"s3://bucket/a b?region=eu", "10.0.0.0/8, fd00::/8", "/srv/pictures,/mnt/ä b",
	"https://app.example.com,http://localhost:3000", "*.example.com, cdn.example.org:8443",
	"scans=file:///mnt/scans, old=s3://bucket/prefix?readonly=true&region=eu", "scans=id:secret,old=id2:secret#2",
	"scans=id:secret\nold=id2:sec",
	"smtp://photos%40example.com@mail.example.com:25?tls=off", "Photos #1 <photos@example.com>",
	"one:" + strings.Repeat("ab", 64) + ",two:" + strings.Repeat("cd", 64),
	"", "a b", " a, # b ", "# not a comment", `"quoted"`, `'`, `"`, `it's "so"`, "<<END", "日本語 – ü", "\ufeffmark",
	"back\\slash",
	"two\nlines", "\nEND\n", "a secret of at least thirty-two characters, \"with\" 'all' # of \\ it",
	"a secret of at least thirty-two characters\nEND\n# in\r\nlines\n",
}

// TestSettingsSurviveABackup writes each setting to a settings file with each value that it accepts, and reads it
// again.
func TestSettingsSurviveABackup(t *testing.T) {
	for _, row := range settingsTable {
		tried := 0
		for _, text := range samples {
			if _, err := row.Kind.parse(text); err != nil || text == row.Default {
				continue
			}
			flags := map[string]string{row.Name: text}
			if strings.HasPrefix(row.Name, "signer-") {
				flags["processor-secret"] = "secret"
			}
			if current, ok := strings.CutSuffix(row.Name, "-previous"); ok {
				flags[current] = "the current secret, of at least thirty-two characters"
			}
			before, err := resolve(flags, nil, "")
			if err != nil {
				continue // it needs more than a value of its kind
			}
			tried++
			after, err := resolve(nil, nil, writeFile(t, settingsText(before)))
			if err != nil {
				t.Errorf("%s = %q is written as %q: %v", row.Name, text, settingsText(before), err)
				continue
			}
			before.origins, after.origins = nil, nil
			if !reflect.DeepEqual(before, after) {
				t.Errorf("%s = %q is another value after %q", row.Name, text, settingsText(before))
			}
		}
		if tried == 0 {
			t.Errorf("no sample is a value of %s, %s", row.Name, row.Kind.Form)
		}
	}
}

func TestUnknownVariables(t *testing.T) {
	for name, want := range map[string]string{
		"SAFELIGHT_PORT": "SAFELIGHT_LISTEN", "SAFELIGHT_HOST": "SAFELIGHT_LISTEN",
		"SAFELIGHT_DATABASE_URL": "SAFELIGHT_DATABASE",
		"SAFELIGHT_SECRET":       "SAFELIGHT_PROCESSOR_SECRET", "SAFELIGHT_LISSEN": "SAFELIGHT_LISTEN",
		"SAFELIGHT_GUESTS": "SAFELIGHT_GUEST",
		"SAFELIGHT_XYZ":    "", "SAFELIGHT_PROFILE": "", "SAFELIGHT_COLOUR": "",
	} {
		s, err := resolve(nil, []string{name + "=x"}, "")
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		warning := strings.Join(s.warnings, "; ")
		if !strings.Contains(warning, name+" is not a setting") || want == "" && strings.Contains(warning, "mean") ||
			!strings.Contains(warning, want) {
			t.Errorf("%s warns %q, expected a hint at %q", name, warning, want)
		}
	}
	for _, name := range clientVariables {
		s, err := resolve(nil, []string{name + "=x"}, "")
		if err != nil || len(s.warnings) > 0 {
			t.Errorf("%s of our documents: %v, %v", name, s.warnings, err)
		}
	}
}
