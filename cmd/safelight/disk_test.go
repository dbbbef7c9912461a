package main

import (
	"database/sql"
	"io"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// zeros is an endless file.
type zeros struct{}

// Read returns zeros.
func (zeros) Read(p []byte) (int, error) { return len(p), nil }

// TestFullDisk fills the disk under a running server: logins, logouts and deletions work, other writes are UNAVAILABLE
// with the time to try again, /readyz is red, and all of it ends when there is space.
func TestFullDisk(t *testing.T) {
	t.Parallel()
	disk := t.TempDir()
	if err := syscall.Mount("tmpfs", disk, "tmpfs", 0, "size=64m"); err != nil {
		t.Skipf("a small file system cannot be mounted: %v", err)
	}
	t.Cleanup(func() { _ = syscall.Unmount(disk, syscall.MNT_DETACH) })
	s := startReal(t, "--data", disk)
	token := s.login()
	large := filepath.Join(disk, "large")
	f, err := os.Create(large)
	if err != nil {
		t.Fatal(err)
	}
	_, err = io.Copy(f, zeros{})
	f.Close()
	t.Logf("filled: %v", err)
	for range 20 {
		if r := s.post("/api/auth/logout", "", s.login()); r.status != 204 {
			t.Errorf("logout: %d %s", r.status, r.body)
		}
	}
	for what, document := range map[string]string{
		"an upload": `mutation { createUpload(input: {path: \"a.jpg\", sizeBytes: 1000}) { upload { id } } }`,
		"tags":      `mutation { updateFile(input: {path: \"samples/welcome.jpg\", tags: [\"x\"]}) { file { id } } }`,
		"a folder":  `mutation { createFolder(input: {path: \"new\"}) { folder { path } userErrors { code field } } }`,
	} {
		r := s.mutate(token, document)
		if !strings.Contains(string(r.body), `"UNAVAILABLE"`) || !strings.Contains(string(r.body), `"retryAfter":30`) ||
			r.header.Get("Retry-After") != "30" {
			t.Errorf("%s: %d %v %s, expected UNAVAILABLE for 30 s", what, r.status, r.header, r.body)
		}
	}
	if r := s.get("/readyz"); r.status != 503 || r.header.Get("Retry-After") == "" {
		t.Errorf("/readyz: %d %s", r.status, r.body)
	}
	for _, c := range [][2]string{{`mutation { deleteFiles(input: {paths: [\"samples/welcome.jpg\"]}) { results { ok error { code message field } } userErrors { code message field } } }`, `"ok":true`}, {`mutation { emptyTrash { purgedCount } }`, `"purgedCount":1`}} {
		if r := s.mutate(token, c[0]); !strings.Contains(string(r.body), c[1]) {
			t.Errorf("%s: %d %s", c[0], r.status, r.body)
		}
	}
	if err := os.Remove(large); err != nil {
		t.Fatal(err)
	}
	s.becomes("/readyz", 200)
	if r := s.mutate(token,
		`mutation { createUpload(input: {path: \"a.jpg\", sizeBytes: 1000}) { upload { id } } }`); !strings.Contains(
		string(r.body),
		`"id"`,
	) {
		t.Errorf("an upload with space again: %s", r.body)
	}
}

// TestDatabaseLockedAndMoved locks the database from another connection, and moves its file away and back.
func TestDatabaseLockedAndMoved(t *testing.T) {
	t.Parallel()
	data := t.TempDir()
	s := startReal(t, "--data", data)
	token, file := s.login(), filepath.Join(data, "safelight.db")
	refused := func(when string) {
		t.Helper()
		if r := s.post("/api/auth/logout", "", token); r.status != 503 || r.header.Get("Retry-After") == "" {
			t.Errorf("logout while the database is %s: %d %s", when, r.status, r.body)
		}
	}
	s.becomes("/readyz", 200)
	if err := os.Rename(file, file+".away"); err != nil {
		t.Fatal(err)
	}
	s.becomes("/readyz", 503)
	refused("away")
	waitFor(
		t, func() bool { return strings.Contains(s.stderr.String(), "writes are refused") },
		func() string { return "the log does not say that writes are refused" },
	)
	if _, err := os.Stat(file); !os.IsNotExist(err) {
		t.Errorf("an empty database in the place of the moved one: %v", err)
	}
	if err := os.Rename(file+".away", file); err != nil {
		t.Fatal(err)
	}
	s.becomes("/readyz", 200)
	other, err := sql.Open("sqlite3", "file:"+file+"?_busy_timeout=10000")
	if err != nil {
		t.Fatal(err)
	}
	defer other.Close()
	conn, err := other.Conn(t.Context())
	if err == nil {
		_, err = conn.ExecContext(t.Context(), "BEGIN EXCLUSIVE")
	}
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	s.becomes("/readyz", 503)
	refused("locked")
	if _, err := conn.ExecContext(t.Context(), "ROLLBACK"); err != nil {
		t.Fatal(err)
	}
	s.becomes("/readyz", 200)
}

// TestMissingDatabase starts without the database that the data folder had: refused, unless the operator says so.
func TestMissingDatabase(t *testing.T) {
	data := t.TempDir()
	file := filepath.Join(data, "safelight.db")
	migrate := func(args ...string) error {
		return run(
			t.Context(), append([]string{"migrate", "up", "--data", data}, args...), nil,
			strings.NewReader(""), &lockedBuffer{}, &lockedBuffer{},
		)
	}
	if err := migrate(); err != nil {
		t.Fatal(err)
	}
	for name, lose := range map[string]func() error{
		"removed": func() error { return os.Remove(file) },
		"emptied": func() error { return os.Truncate(file, 0) },
	} {
		if err := lose(); err != nil {
			t.Fatal(err)
		}
		if err := migrate(); err == nil || !strings.Contains(err.Error(), "--allow-new-database") {
			t.Errorf("a start with the database %s: %v, expected a refusal that says what to do", name, err)
		}
		var out lockedBuffer
		if err := run(t.Context(), []string{"doctor", "--data", data}, nil, strings.NewReader(""), &out,
			&lockedBuffer{}); err == nil ||
			!strings.Contains(out.String(), "BAD  database") {
			t.Errorf("doctor with the database %s: %v\n%s", name, err, out.String())
		}
		if info, err := os.Stat(file); err == nil && info.Size() > 0 {
			t.Error("the refused start left a database")
		}
		if err := migrate("--allow-new-database"); err != nil {
			t.Errorf("an allowed start: %v", err)
		}
		if err := migrate(); err != nil {
			t.Errorf("the start after that: %v", err)
		}
	}
}

// eachIsolation runs a test with the default isolation, all, and in its full form with risky.
func eachIsolation(t *testing.T, test func(t *testing.T, flags []string)) {
	t.Run("all", func(t *testing.T) { test(t, nil) })
	t.Run("risky", func(t *testing.T) {
		if testing.Short() {
			t.Skip("few servers are set to it")
		}
		test(t, []string{"--isolation", "risky"})
	})
}

// mutate sends a GraphQL document whose quotes are escaped.
func (b *realServer) mutate(token, document string) reply {
	return b.post("/api/graphql", `{"query":"`+document+`"}`, token)
}

// becomes waits until a path has that status.
func (b *realServer) becomes(path string, status int) {
	b.Helper()
	var r reply
	waitFor(
		b.T, func() bool { r = b.get(path); return r.status == status },
		func() string { return path + " is not as expected: " + string(r.body) },
	)
}

// TestStorageFolderGone moves the folder of the storage away from a running server: /readyz and the diagnosis say so,
// and so does doctor, which reports a missing folder as fine only before the first start.
func TestStorageFolderGone(t *testing.T) {
	t.Parallel()
	data := t.TempDir()
	folder := filepath.Join(t.TempDir(), "pictures")
	flags := []string{"--data", data, "--storage", "file://" + folder}
	doctor := func() string {
		t.Helper()
		return runCommand(t, programLink(t), t.TempDir(), 0, nil, append([]string{"doctor"}, flags...)...)
	}
	const fine, gone = "does not exist yet",
		"is missing, the next start creates it; this installation has been used since"
	if out := doctor(); !strings.Contains(out, fine) {
		t.Errorf("doctor before the first start:\n%s", out)
	}
	s := startReal(t, flags...)
	token := s.login()
	s.becomes("/readyz", 200)

	if err := os.Rename(folder, folder+".away"); err != nil {
		t.Fatal(err)
	}
	s.becomes("/readyz", 503)
	r := s.post("/api/graphql", `{"query":"{ diagnosis { check ok message } }"}`, token)
	if text := string(r.body); !strings.Contains(text, `"check":"storage in use","ok":false`) ||
		!strings.Contains(text, "the storage folder is gone") {
		t.Errorf("the diagnosis: %s", text)
	}
	if out := doctor(); !strings.Contains(out, gone) {
		t.Errorf("doctor while the folder is away:\n%s", out)
	}
	if _, err := os.Stat(folder); !os.IsNotExist(err) {
		t.Errorf("another folder is in the place of the one that is away: %v", err)
	}

	if err := os.Rename(folder+".away", folder); err != nil {
		t.Fatal(err)
	}
	s.becomes("/readyz", 200)
	if out := doctor(); strings.Contains(out, gone) {
		t.Errorf("doctor after the folder has come back:\n%s", out)
	}
}
