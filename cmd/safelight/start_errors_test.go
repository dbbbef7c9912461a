package main

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/safelight/safelight/database/databasetest"
)

// runCommand runs the program in the folder, as that user unless it is 0, and returns what it prints.
func runCommand(t *testing.T, program, folder string, user uint32, env []string, args ...string) string {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), waitTimeout) // a server that starts does not end
	defer cancel()
	command := exec.CommandContext(ctx, program, args...)
	command.Dir, command.Env = folder, append(append(os.Environ(), "SAFELIGHT_LISTEN=127.0.0.1:0"), env...)
	if user != 0 {
		command.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: user, Gid: user}}
	}
	out, _ := command.CombinedOutput() // the test looks at the text
	return string(out)
}

// TestDataThatCannotBeWritten checks that the error names the folder and its setting if the user may not write the data
// folder.
func TestDataThatCannotBeWritten(t *testing.T) {
	program, user := programLink(t), uint32(0)
	folder := t.TempDir()
	if os.Geteuid() == 0 { // who may write everywhere
		user = 65534
		shared := t.TempDir()
		must(t, os.Chmod(filepath.Dir(shared), 0o755))
		program = copyProgram(t, filepath.Join(shared, "safelight"))
	}
	must(t, os.Chmod(folder, 0o555))
	t.Cleanup(func() { _ = os.Chmod(folder, 0o755) })
	existing := filepath.Join(folder, "data")
	for name, c := range map[string]struct {
		args []string
		env  string
		want []string
	}{
		"the default folder": {[]string{"serve"}, "X=",
			[]string{existing + " (default)", "--data", "SAFELIGHT_DATA"}},
		"a named folder": {[]string{"serve", "--data", folder}, "X=",
			[]string{folder + " (flag --data)", fmt.Sprint("user ", max(user, uint32(os.Geteuid())))}},
		"without result cache": {[]string{"serve", "--result-cache", "off"}, "SAFELIGHT_DATA=" + existing,
			[]string{"creating the data folder", "environment SAFELIGHT_DATA"}},
		"another command": {[]string{"migrate", "up", "--data", existing}, "X=",
			[]string{"permission denied", "--data"}},
		"doctor, before a start": {[]string{"doctor", "--data", folder}, "X=",
			[]string{"BAD  data", "cannot be written", "--data"}},
	} {
		t.Run(name, func(t *testing.T) {
			out := runCommand(t, program, folder, user, []string{c.env}, append(c.args, "--listen", "127.0.0.1:0")...)
			for _, want := range c.want {
				if !strings.Contains(out, want) {
					t.Errorf("it does not say %q:\n%s", want, out)
				}
			}
		})
	}
}

// copyProgram copies this program to a place where every user may run it.
func copyProgram(t *testing.T, to string) string {
	t.Helper()
	from, err := os.Open("/proc/self/exe")
	must(t, err)
	defer from.Close()
	f, err := os.OpenFile(to, os.O_CREATE|os.O_WRONLY, 0o755)
	must(t, err)
	_, err = io.Copy(f, from)
	must(t, err)
	must(t, f.Close())
	return to
}

// TestPostgresWithoutTLS: lib/pq requires TLS, which few local servers have; the error names the parameter.
func TestPostgresWithoutTLS(t *testing.T) {
	needsPostgres(t)
	u, err := url.Parse(databasetest.EmptyPostgres(t))
	must(t, err)
	u.RawQuery = ""
	for _, args := range [][]string{{"serve"}, {"doctor"}, {"user", "create", "ada"},
		{"move-database", "--cancel", "--from", u.String()}} {
		out := runCommand(t, programLink(t), t.TempDir(), 0, []string{"SAFELIGHT_DATABASE=" + u.String()}, args...)
		if !strings.Contains(out, "SSL is not enabled on the server") || !strings.Contains(out, "?sslmode=disable") {
			t.Errorf("%v: no hint at sslmode:\n%s", args, out)
		}
	}
	u.RawQuery = "sslmode=prefer" // which the hint names, too
	out := runCommand(t, programLink(t), t.TempDir(), 0, []string{"SAFELIGHT_DATABASE=" + u.String()}, "migrate", "up")
	if !strings.Contains(out, "applied") {
		t.Errorf("sslmode=prefer: %s", out)
	}
}

// TestSettingsThatFail: a start that fails because of a setting creates neither a database nor keys, so that a backup
// can be restored into the folder.
func TestSettingsThatFail(t *testing.T) {
	t.Parallel()
	archive := filepath.Join(t.TempDir(), "backup.tar.gz")
	mustRun(t, filled(t), "", "backup", archive)
	absent := filepath.Join(t.TempDir(), "absent")
	for name, c := range map[string]struct {
		args []string
		want string
	}{
		"an endpoint without a scheme": {[]string{"--storage", "s3://pictures?endpoint=s3.internal:7070"},
			`"s3.internal:7070"`},
		"a driver that needs a tag": {[]string{"--storage", "gs://pictures"}, "make build TAGS=gs"},
		"a database of something else": {[]string{"--database", "sqlite://" + archive},
			"restore a backup (docs/guides/backup.md#restore)"},
		"the bucket of a mount":   {[]string{"--storage-mounts", "a=s3://x"}, `"x"`},
		"a folder that is a file": {[]string{"--storage", "file://" + archive}, archive},
		"a cache in a file":       {[]string{"--result-cache", "file://" + archive + "/cache"}, archive},
		"presets":                 {[]string{"--presets", absent}, absent},
		"mail without a sender":   {[]string{"--smtp", "smtp://mail.example.com"}, "mail-from"},
		"providers":               {[]string{"--sign-in-providers", absent}, absent},
		"a database that is down": {[]string{"--database", "postgres://a:b@127.0.0.1:1/c"}, "does not answer"},
	} {
		t.Run(name, func(t *testing.T) {
			data := t.TempDir()
			args := append([]string{"serve", "--data", data, "--listen", "127.0.0.1:0"}, c.args...)
			if out := runCommand(t, programLink(t), t.TempDir(), 0, nil, args...); !strings.Contains(out, c.want) {
				t.Errorf("it does not say %s:\n%s", c.want, out)
			}
			for _, file := range []string{"safelight.db", "keys.json", "database.json", "safelight.lock", "cache"} {
				if !missing(filepath.Join(data, file)) {
					t.Errorf("the failed start left %s", file)
				}
			}
			mustRun(t, data, "", "restore", archive)
		})
	}
}

// TestFirstStartThatFails: a first start that cannot listen, or whose password for the admin is refused, says what to
// do and creates nothing.
func TestFirstStartThatFails(t *testing.T) {
	t.Parallel()
	taken, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0")
	must(t, err)
	defer taken.Close()
	_, port, err := net.SplitHostPort(taken.Addr().String())
	must(t, err)
	for name, c := range map[string]struct {
		args, want []string
	}{
		"the port": {[]string{"--listen", taken.Addr().String()},
			[]string{"address already in use", "another program, or another Safelight, uses port " + port, "--listen"}},
		"the address": {[]string{"--listen", "192.0.2.1:8000"},
			[]string{"this machine does not have that address", "--listen"}},
		"the password": {[]string{"--listen", "127.0.0.1:0", "--admin-password", "short"},
			[]string{"setting admin-password: ", "5"}},
		"a password without encoding": {[]string{"--database", "postgres://ada:p@ss#1@127.0.0.1/x"},
			[]string{"setting database", "percent-encoded", "%40 for @"}},
		"an unknown parameter": {[]string{"--database", "postgres://ada:secret@127.0.0.1/x?sslmod=disable"},
			[]string{`the parameter "sslmod" is unknown, did you mean sslmode?`}},
	} {
		data := filepath.Join(t.TempDir(), "data")
		out := runCommand(t, programLink(t), t.TempDir(), 0, nil,
			append([]string{"serve", "--data", data}, c.args...)...)
		for _, want := range c.want {
			if !strings.Contains(out, want) {
				t.Errorf("%s: it does not say %q: %s", name, want, out)
			}
		}
		if strings.Contains(out, "secret") || strings.Contains(out, "ss#1") {
			t.Errorf("%s: it shows the password: %s", name, out)
		}
		if !missing(data) {
			t.Errorf("%s: the failed start left the data folder", name)
		}
	}

	// a later start leaves what there is
	data := t.TempDir()
	mustRun(t, data, "", "migrate", "up")
	out := runCommand(t, programLink(t), t.TempDir(), 0, nil, "serve", "--data", data,
		"--listen", taken.Addr().String())
	if !strings.Contains(out, "address already in use") || !missing(filepath.Join(data, "keys.json")) {
		t.Errorf("a later start: %s", out)
	}
}

// TestPortOfRoot explains why a user may not listen on a port.
func TestPortOfRoot(t *testing.T) {
	err := explainListen(&Settings{Listen: ":80"}, &net.OpError{Op: "listen", Err: syscall.EACCES})
	if !strings.Contains(err.Error(), "port 80, because ports below 1024 are for root") {
		t.Error(err)
	}
}

// TestDatabaseAddresses: what a URL of a database must not have is named, and no password is shown.
func TestDatabaseAddresses(t *testing.T) {
	for address, want := range map[string]string{
		"postgres://ada:secret@db/x":                             "",
		"postgres://ada:s%40cr%23et@db:5432/x?sslmode=disable":   "",
		"postgres://db/x?host=/var/run/postgresql&user=ada":      "",
		"postgresql://ada@db/x?connect_timeout=3&search_path=me": "",
		"sqlite:///a/b.db":                            "",
		"postgres://ada:sec@ret@db/x":                 "percent-encoded",
		"postgres://ada:sec#ret@db/x":                 "percent-encoded",
		"postgres://ada:sec/ret@db/x":                 "percent-encoded",
		"postgres://ada:sec:ret@db/x":                 "percent-encoded",
		"postgres://ada:sec%ret@db/x":                 "percent-encoded",
		"postgres://ada:sec?ret@db/x":                 "percent-encoded",
		"postgres://ada?secret@db/x?sslmode=disable":  "percent-encoded",
		"postgres://ada:secret@db/x?sslmodus=disable": `"sslmodus" is unknown`,
		"sqlite:///a/b.db?mode=ro":                    "an address of SQLite has none",
		"sqlite://here.db":                            "expected three and an absolute path: sqlite:///here.db, or",
		"sqlite://a/b.db":                             "expected three and an absolute path: sqlite:///a/b.db, or",
		"mysql://ada:secret@db/x":                     "expected sqlite:///",
	} {
		_, err := resolve(map[string]string{"database": address}, nil, "")
		_, moved := endOf(Settings{}, address)
		if (err == nil) != (want == "") || (moved == nil) != (want == "") {
			t.Errorf("%s: %v, %v", address, err, moved)
			continue
		}
		if err != nil && (!strings.Contains(err.Error()+message(moved), want) ||
			strings.Contains(err.Error()+message(moved), "ret")) {
			t.Errorf("%s: %v, %v", address, err, moved)
		}
	}
}

// TestBucketThatRefuses: an unknown access key, a wrong secret key, a missing bucket and missing rights are told apart,
// at the start, by doctor and by /readyz.
func TestBucketThatRefuses(t *testing.T) {
	t.Parallel()
	type refusal struct{ address, key, secret, code, hint string }
	cases := map[string]refusal{}
	for code, status := range map[string]int{"InvalidAccessKeyId": 403, "SignatureDoesNotMatch": 403,
		"AccessDenied": 403, "NoSuchBucket": 404} {
		s3 := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "application/xml")
			w.WriteHeader(status)
			fmt.Fprintf(w, `<?xml version="1.0"?><Error><Code>%s</Code><Message>No.</Message></Error>`, code)
		}))
		defer s3.Close()
		hint := map[string]string{"InvalidAccessKeyId": "AWS_ACCESS_KEY_ID",
			"SignatureDoesNotMatch": "AWS_SECRET_ACCESS_KEY",
			"AccessDenied":          "PutObject", "NoSuchBucket": "or correct its name or region"}[code]
		cases[code] = refusal{"s3://pictures?use_path_style=true&endpoint=" + s3.URL, "key", "secret", code, hint}
		if code == "AccessDenied" {
			cases["without a key"] = refusal{cases[code].address, "", "", code, "no credentials were found"}
		}
	}
	if address := os.Getenv(testS3); address != "" {
		_, query, _ := strings.Cut(address, "?")
		key, secret := os.Getenv("AWS_ACCESS_KEY_ID"), os.Getenv("AWS_SECRET_ACCESS_KEY")
		cases["an unknown key of VersityGW"] = refusal{
			address,
			"unknown",
			secret,
			"XAdminUserNotFound",
			"AWS_ACCESS_KEY_ID",
		}
		cases["a wrong secret of VersityGW"] = refusal{
			address,
			key,
			"wrong",
			"SignatureDoesNotMatch",
			"AWS_SECRET_ACCESS_KEY",
		}
		cases["a missing bucket of VersityGW"] = refusal{
			"s3://no-such-bucket?" + query,
			key,
			secret,
			"NoSuchBucket",
			"or correct its name or region",
		}
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			env := []string{
				"SAFELIGHT_STORAGE=" + c.address,
				"AWS_ACCESS_KEY_ID=" + c.key,
				"AWS_SECRET_ACCESS_KEY=" + c.secret,
				"AWS_EC2_METADATA_DISABLED=true",
			}
			s := launchIn(t, t.TempDir(), env)
			defer func() { must(t, s.stop()) }()
			log := s.stderr.String()
			if !strings.Contains(log, "the storage cannot be used") || !strings.Contains(log, c.code) ||
				!strings.Contains(log, c.hint) ||
				strings.Contains(log, "does not exist: the") {
				t.Errorf("the log does not say %s and %q:\n%s", c.code, c.hint, log)
			}
			if r := s.get("/readyz"); r.status != http.StatusServiceUnavailable ||
				!strings.Contains(string(r.body), c.code) {
				t.Errorf("/readyz: %d %s", r.status, r.body)
			} else if bucket, _, _ := strings.Cut(strings.TrimPrefix(c.address, "s3://"), "?"); strings.Contains(
				string(r.body), bucket) {
				t.Errorf("/readyz tells anyone the name of the bucket: %s", r.body)
			}
			out := runCommand(t, programLink(t), t.TempDir(), 0, env, "doctor")
			if !strings.Contains(out, "BAD  storage") || !strings.Contains(out, c.hint) ||
				strings.Contains(out, "storage root") {
				t.Errorf("doctor: %s", out)
			}
		})
	}
}
