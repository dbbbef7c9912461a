package main

import (
	"flag"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/safelight/safelight/imaging"
)

var update = flag.Bool("update", false, "write the files that are made from code")

func TestSettingsDoc(t *testing.T) {
	const file = "../../docs/reference/settings.md"
	want := settingsMarkdown()
	if *update {
		if err := os.WriteFile(file, []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	got, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if string(got) != want {
		t.Errorf("%s is stale: go test ./cmd/safelight -run TestSettingsDoc -update", file)
	}
}

func TestEveryDefaultIsOfItsKind(t *testing.T) {
	s, err := resolve(nil, nil, "")
	if err != nil {
		t.Fatal(err)
	}
	if s.Limits.MaxSourceBytes != 100<<20 || s.Keys.Lifetime != 168*time.Hour || s.Listen != "127.0.0.1:8000" ||
		s.Limits.Timeout != 20*time.Second {
		t.Errorf("the defaults are %+v", s)
	}
}

// TestDefaultLimits compares the limits of programs without settings with the defaults of the settings.
func TestDefaultLimits(t *testing.T) {
	s, err := resolve(nil, nil, "")
	if err != nil {
		t.Fatal(err)
	}
	want := imaging.DefaultLimits()
	got := s.Limits
	got.MaxDepth, got.Options = want.MaxDepth, want.Options // are no settings, or decided by the server
	if !reflect.DeepEqual(got, want) {
		t.Errorf("the settings give %+v, imaging.DefaultLimits %+v", got, want)
	}
}

func TestPrecedence(t *testing.T) {
	file := writeFile(
		t,
		"listen = :1\nbase-url = \"https://file.example\"\nguest = yes\nSAFELIGHT_MAX_FRAMES = 7\n# comment\n\n",
	)
	env := []string{"SAFELIGHT_LISTEN=:2", "SAFELIGHT_BASE_URL=https://env.example/", "SAFELIGHT_STRICT="}
	s, err := resolve(map[string]string{"listen": ":3"}, env, file)
	if err != nil {
		t.Fatal(err)
	}
	if s.Listen != ":3" || s.BaseURL != "https://env.example" || !s.Accounts.Guest || s.Limits.MaxFrames != 7 ||
		s.Limits.Strict ||
		s.Limits.MaxLayers != 32 {
		t.Errorf("got %+v", s)
	}
	if got := s.origins["guest"].where; got != file+" line 3" {
		t.Errorf("origin of guest is %q", got)
	}
}

func TestSecretsFromFiles(t *testing.T) {
	secret := writeFile(t, "hush-hush-hush-hush-hush-hush-hush\n")
	for name, s := range map[string]func() (*Settings, error){
		"environment": func() (*Settings, error) {
			return resolve(nil, []string{"SAFELIGHT_TOKEN_SECRET_FILE=" + secret}, "")
		},
		"flag": func() (*Settings, error) { return resolve(map[string]string{"token-secret-file": secret}, nil, "") },
		"file": func() (*Settings, error) { return resolve(nil, nil, writeFile(t, "token-secret-file = "+secret)) },
	} {
		got, err := s()
		if err != nil || got.Keys.Secret != "hush-hush-hush-hush-hush-hush-hush" {
			t.Errorf("%s: %q, %v", name, got.Keys.Secret, err)
		}
	}
	if _, err := resolve(nil, []string{"SAFELIGHT_TOKEN_SECRET_FILE=" + secret, "SAFELIGHT_TOKEN_SECRET=x"},
		""); err == nil {
		t.Error("a secret given twice was accepted")
	}
	if _, err := resolve(nil, []string{"SAFELIGHT_TOKEN_SECRET_FILE=/nowhere"}, ""); err == nil ||
		!strings.Contains(err.Error(), "SAFELIGHT_TOKEN_SECRET_FILE") {
		t.Errorf("a secret file that is missing: %v", err)
	}
}

func TestBadSettingsAreNamed(t *testing.T) {
	for _, c := range []struct {
		name  string
		flags map[string]string
		env   []string
		file  string
		want  []string
	}{
		{name: "flag of a wrong form", flags: map[string]string{"listen": "nowhere"},
			want: []string{"listen", `"nowhere"`, "flag --listen", "host:port"}},
		{name: "environment of a wrong form", env: []string{"SAFELIGHT_WORKERS=many"},
			want: []string{"workers", `"many"`, "SAFELIGHT_WORKERS", "integer from 0 to 1024"}},
		{name: "file of a wrong form", file: "\nmax-source-bytes = large",
			want: []string{"max-source-bytes", "line 2", "100 MB"}},
		{name: "unknown name in the file", file: "colour = red", want: []string{"line 1", "colour is not a setting"}},
		{name: "no equals sign", file: "listen :1", want: []string{"line 1", "name = value"}},
		{name: "twice in the file", file: "guest = 1\nguest = 0", want: []string{"line 2", "twice"}},
		{name: "the other variable", env: []string{"DATABASE_URL=mysql://x/y"},
			want: []string{"database", "DATABASE_URL", "postgres://"}},
		{name: "out of bounds", env: []string{"SAFELIGHT_PROCESS_TIMEOUT=2h"},
			want: []string{"process-timeout", "to 1h"}},
		{name: "signer without secret", env: []string{"SAFELIGHT_SIGNER_TYPE=sha256"},
			want: []string{"signer-type", "processor-secret"}},
		{name: "an origin with a path", env: []string{"SAFELIGHT_CORS_ORIGINS=https://a.example/"},
			want: []string{"cors-origins", "https://app.example.com"}},
		{name: "every origin and one", env: []string{"SAFELIGHT_CORS_ORIGINS=*,https://a.example"},
			want: []string{"cors-origins", "* alone"}},
		{name: "an origin without a scheme", env: []string{"SAFELIGHT_CORS_ORIGINS=a.example"},
			want: []string{"cors-origins"}},
		{name: "every page as an embedder", env: []string{"SAFELIGHT_FRAME_ANCESTORS=*"},
			want: []string{"frame-ancestors", "https://cms.example.com"}},
		{name: "an embedder that changes the policy",
			env:  []string{"SAFELIGHT_FRAME_ANCESTORS=https://cms.example;script-src"},
			want: []string{"frame-ancestors", "https://cms.example.com"}},
		{name: "tiles without their position", env: []string{"SAFELIGHT_MAP_TILES=https://a.example/{z}/{x}.png"},
			want: []string{"map-tiles", "{y}"}},
		{name: "tiles that are not encrypted", env: []string{"SAFELIGHT_MAP_TILES=http://a.example/{z}/{x}/{y}.png"},
			want: []string{"map-tiles"}},
		{name: "tiles of every host", env: []string{"SAFELIGHT_MAP_TILES=https://*/{z}/{x}/{y}.png"},
			want: []string{"map-tiles"}},
		{name: "tiles that change the policy", env: []string{"SAFELIGHT_MAP_TILES=https://a.example;x/{z}/{x}/{y}.png"},
			want: []string{"map-tiles"}},
		{name: "tiles by a name", env: []string{"SAFELIGHT_MAP_TILES=https://me@a.example/{z}/{x}/{y}.png"},
			want: []string{"map-tiles"}},
		{name: "a proxy that is no network", env: []string{"SAFELIGHT_TRUSTED_PROXIES=10.0.0.1"},
			want: []string{"trusted-proxies", "10.1.0.0/16"}},
		{name: "all at once", env: []string{"SAFELIGHT_WORKERS=x", "SAFELIGHT_QUEUE=y"},
			want: []string{"workers", "queue"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			file := ""
			if c.file != "" {
				file = writeFile(t, c.file)
			}
			_, err := resolve(c.flags, c.env, file)
			if err == nil {
				t.Fatal("accepted")
			}
			for _, want := range c.want {
				if !strings.Contains(err.Error(), want) {
					t.Errorf("%q does not say %q", err, want)
				}
			}
		})
	}
}

func TestBadSecretIsNotShown(t *testing.T) {
	_, err := resolve(nil, []string{"SAFELIGHT_TOKEN_SECRET=tooshortsecret", "SAFELIGHT_DATABASE=hunter2://x"}, "")
	if err == nil || strings.Contains(err.Error(), "tooshortsecret") || strings.Contains(err.Error(), "hunter2") {
		t.Errorf("got %v", err)
	}
}

func TestOursWinsOverDatabaseURL(t *testing.T) {
	for _, env := range [][]string{
		{"SAFELIGHT_DATABASE=sqlite:///a.db", "DATABASE_URL=postgres://h/b"},
		{"DATABASE_URL=postgres://h/b", "SAFELIGHT_DATABASE=sqlite:///a.db"},
	} {
		if s, err := resolve(nil, env, ""); err != nil || s.Database != "sqlite:///a.db" {
			t.Errorf("%v: %q, %v", env, s.Database, err)
		}
	}
}

func TestUnits(t *testing.T) {
	for text, want := range map[string]int64{"0": 0, "4096": 4096, "1KiB": 1024, "1.5 GB": 1.5e9, "100 MiB": 100 << 20,
		"2g": 2 << 30, "7 b": 7} {
		if got, err := parseBytes(text); err != nil || got != want {
			t.Errorf("parseBytes(%q) = %d, %v, want %d", text, got, err, want)
		}
	}
	for _, text := range []string{"", "-1", "1 XB", "GiB", "1e9", "99999999999 TiB", "1  GiB"} {
		if got, err := parseBytes(text); err == nil {
			t.Errorf("parseBytes(%q) = %d, want an error", text, got)
		}
	}
	for text, want := range map[string]time.Duration{
		"20": 20 * time.Second, "7d": 168 * time.Hour, "1m30s": 90 * time.Second} {
		if got, err := parseDuration(text); err != nil || got != want {
			t.Errorf("parseDuration(%q) = %v, %v, want %v", text, got, err, want)
		}
	}
	for d, want := range map[time.Duration]string{
		168 * time.Hour: "168h", 90 * time.Second: "1m30s", 20 * time.Minute: "20m", time.Millisecond: "1ms"} {
		if got := formatDuration(d); got != want {
			t.Errorf("formatDuration(%v) = %q, want %q", d, got, want)
		}
	}
	for n, want := range map[int64]string{1: "1 byte", 100 << 20: "100 MiB", 1536: "1.5 KiB"} {
		if got := formatBytes(n); got != want {
			t.Errorf("formatBytes(%d) = %q, want %q", n, got, want)
		}
	}
}

func TestMaskedValues(t *testing.T) {
	s, err := resolve(nil, []string{
		"SAFELIGHT_DATABASE=postgres://sl:hunter2@db/sl?sslmode=disable&password=hunter3",
		"SAFELIGHT_STORAGE=s3://bucket/p?region=eu&secret=hunter4",
		"SAFELIGHT_PROCESSOR_SECRET=hunter5", "SAFELIGHT_ADMIN_PASSWORD=hunter6hunter6",
		"SAFELIGHT_MAX_SOURCE_BYTES=10mb"}, "")
	if err != nil {
		t.Fatal(err)
	}
	for _, row := range settingsTable {
		shown := shownValue(row, s)
		if strings.Contains(shown, "hunter") {
			t.Errorf("%s shows %q", row.Name, shown)
		}
		if row.Name == "database" && !strings.Contains(shown, "@db/sl?") {
			t.Errorf("database shows %q, which names no host", shown)
		}
		if row.Name == "max-source-bytes" && shown != "9.5 MiB" {
			t.Errorf("max-source-bytes shows %q", shown)
		}
	}
}

func writeFile(t *testing.T, content string) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "safelight.conf")
	if err := os.WriteFile(file, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
	return file
}

// TestClientSettings checks that what the operator writes reaches the server as it is meant.
func TestClientSettings(t *testing.T) {
	s, err := resolve(
		nil,
		[]string{"SAFELIGHT_CORS_ORIGINS=HTTPS://App.Example:443, http://localhost:3000", "SAFELIGHT_MAX_AGE=0",
			"SAFELIGHT_STALE_WHILE_REVALIDATE=1d", "SAFELIGHT_RATE_LIMIT=600",
			"SAFELIGHT_TRUSTED_PROXIES=10.0.0.0/8,::1/128"},
		"",
	)
	if err != nil {
		t.Fatal(err)
	}
	c := serverConfig(s)
	if len(c.Origins) != 2 || c.Origins[0] != "https://app.example" || c.Origins[1] != "http://localhost:3000" {
		t.Errorf("origins: %v", c.Origins)
	}
	if c.MaxAge != 0 || c.StaleWhileRevalidate != 24*time.Hour || c.RateLimit != 600 || len(c.TrustedProxies) != 2 ||
		c.ClientHints {
		t.Errorf("got %+v", c)
	}
	if s, err = resolve(nil, nil, ""); err != nil || serverConfig(s).MaxAge != 7*24*time.Hour ||
		serverConfig(s).RateLimit != 0 {
		t.Errorf("defaults: %+v, %v", s, err)
	}
}

// TestRowsBindFieldsOfTheirOwn keeps two rows from writing to one field.
func TestRowsBindFieldsOfTheirOwn(t *testing.T) {
	s := &Settings{}
	rows := map[any]string{}
	for _, row := range settingsTable {
		field := row.field(s)
		if other, taken := rows[field]; taken {
			t.Errorf("%s and %s bind to the same field", other, row.Name)
		}
		rows[field] = row.Name
	}
}

// TestScalingIsLinear checks that pictures are scaled in linear light if that is set, or speed is best and scaling not
// set.
func TestScalingIsLinear(t *testing.T) {
	for _, c := range []struct {
		flags  map[string]string
		linear bool
	}{
		{nil, false},
		{map[string]string{"scaling": "linear"}, true},
		{map[string]string{"speed": "best"}, true},
		{map[string]string{"speed": "best", "scaling": "gamma"}, false},
		{map[string]string{"speed": "fast", "scaling": "linear"}, true},
		{map[string]string{"speed": "fast"}, false},
	} {
		if s, err := resolve(c.flags, nil, ""); err != nil || s.Limits.Linear != c.linear {
			t.Errorf("%v: linear %v, %v", c.flags, s.Limits.Linear, err)
		}
	}
}
