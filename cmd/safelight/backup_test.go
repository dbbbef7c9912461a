package main

import (
	"bytes"
	"compress/gzip"
	"database/sql"
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/safelight/safelight/auth"
	"github.com/safelight/safelight/database/databasetest"
)

// inFolder runs a command on a data folder and returns what it printed.
func inFolder(t *testing.T, data, stdin string, args ...string) (stdout, stderr string, err error) {
	t.Helper()
	var out, errs lockedBuffer
	err = run(
		t.Context(), append(args, "--data", data), []string{"SAFELIGHT_GUEST=true"}, strings.NewReader(stdin),
		&out, &errs,
	)
	return out.String(), errs.String(), err
}

func mustRun(t *testing.T, data, stdin string, args ...string) string {
	t.Helper()
	out, errs, err := inFolder(t, data, stdin, args...)
	if err != nil {
		t.Fatalf("safelight %s: %v\n%s", strings.Join(args, " "), err, errs)
	}
	return out
}

// filled returns a data folder with a database, keys, an account and two files.
func filled(t *testing.T) string {
	data := t.TempDir()
	mustRun(t, data, "correct horse battery staple\n", "user", "create", "ada", "--password-stdin")
	for name, text := range map[string]string{"a/b.jpg": "picture", "a/.safelight/b.jpg.json": "sidecar"} {
		file := filepath.Join(data, "files", name)
		if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return data
}

// TestBackupAndRestore backs up a server that runs, and restores into an empty folder: accounts, keys, the secret of
// URLs and files are the same.
func TestBackupAndRestore(t *testing.T) {
	data, archive := filled(t), filepath.Join(t.TempDir(), "backup.tar.gz")
	s := startReal(t, "--data", data)
	var session struct{ Token string }
	if r := s.post("/api/auth/login", `{"username":"ada","password":"correct horse battery staple"}`,
		""); json.Unmarshal(
		r.body,
		&session,
	) != nil ||
		session.Token == "" {
		t.Fatalf("login: %d %s", r.status, r.body)
	}
	if r := s.get("/metrics"); strings.Contains(string(r.body), "safelight_backup_timestamp_seconds") {
		t.Error("the metrics tell of a backup before the first one")
	}
	if out := mustRun(t, data, "", "backup", archive, "--files"); !strings.Contains(out, "with the files (2)") {
		t.Errorf("backup: %s", out)
	}
	if age := time.Since(time.Unix(int64(s.metric("safelight_backup_timestamp_seconds")), 0)); age > time.Hour {
		t.Errorf("the metrics say that the last backup is %v old", age)
	}
	if info, err := os.Stat(archive); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("the archive: %v, %v", info.Mode(), err)
	}
	if _, _, err := inFolder(t, data, "", "backup", archive); err == nil {
		t.Error("an archive was replaced")
	}
	for _, folder := range []string{"data", "cache", "storage"} {
		if s.metric(`safelight_disk_free_bytes\{folder="`+folder+`"\}`) <= 0 {
			t.Errorf("the metrics lack the free space of %s", folder)
		}
	}
	empty := filepath.Join(t.TempDir(), "new")
	mustRun(t, empty, "", "restore", archive)
	for _, args := range [][]string{{"url", "sign", "300x200/a/b.jpg"}, {"user", "list"}, {"migrate", "status"}} {
		if before, after := mustRun(t, data, "", args...), mustRun(t, empty, "", args...); before != after {
			t.Errorf("%s: %s, expected %s", args, after, before)
		}
	}
	for name, want := range map[string]string{"files/a/b.jpg": "picture", "files/a/.safelight/b.jpg.json": "sidecar"} {
		if b, err := os.ReadFile(filepath.Join(empty, name)); string(b) != want {
			t.Errorf("%s: %q, %v", name, b, err)
		}
	}
	if b, err := os.ReadFile(filepath.Join(empty, "restored-settings.conf")); err != nil ||
		!strings.Contains(string(b), "guest = true\n") ||
		!strings.Contains(string(b), "# as it was: data = "+data+"\n") {
		t.Errorf("settings: %s, %v", b, err)
	}
	if out, _, err := inFolder(t, empty, "", "restore", archive); err == nil ||
		!strings.Contains(err.Error(), "exists") {
		t.Errorf("restoring over a database: %v %s", err, out)
	}
	restored := startReal(t, "--data", empty, "--config", filepath.Join(empty, "restored-settings.conf"))
	r := restored.post("/api/graphql", `{"query":"{ me { username } }"}`, session.Token)
	if !strings.Contains(string(r.body), `"ada"`) {
		t.Errorf("a session of before the backup: %d %s", r.status, r.body)
	}
}

// TestDamagedArchives restores archives that are cut or changed, or none at all: nothing is put in place.
func TestDamagedArchives(t *testing.T) {
	data, archive := filled(t), filepath.Join(t.TempDir(), "backup.tar.gz")
	mustRun(t, data, "", "backup", archive)
	whole, err := os.ReadFile(archive)
	if err != nil {
		t.Fatal(err)
	}
	flipped := bytes.Clone(whole)
	flipped[len(flipped)-6] ^= 1 // of the checksum
	cases := map[string][]byte{
		"empty":              {},
		"text":               []byte("hello"),
		"a changed checksum": flipped,
		"not of ours":        packed(t, "hello"),
		"of a newer version": newer(t, whole),
	}
	for _, n := range []int{1, 2, 5, 9} {
		cases[string(rune('0'+n))+" tenths"] = whole[:len(whole)*n/10]
	}
	for name, b := range cases {
		file, target := filepath.Join(t.TempDir(), "x.tar.gz"), filepath.Join(t.TempDir(), "new")
		if err := os.WriteFile(file, b, 0o600); err != nil {
			t.Fatal(err)
		}
		if _, _, err := inFolder(t, target, "", "restore", file); err == nil {
			t.Errorf("%s: restored", name)
		}
		if left, _ := os.ReadDir(target); len(left) > 0 {
			t.Errorf("%s leaves %v", name, left)
		}
	}
}

func packed(t *testing.T, text string) []byte {
	t.Helper()
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	_, _ = io.WriteString(w, text)
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// newer returns the archive as if its format were a newer one.
func newer(t *testing.T, archive []byte) []byte {
	t.Helper()
	r, err := gzip.NewReader(bytes.NewReader(archive))
	if err != nil {
		t.Fatal(err)
	}
	content, err := io.ReadAll(r)
	if err != nil {
		t.Fatal(err)
	}
	return packed(t, strings.Replace(string(content), `{"format":1`, `{"format":2`, 1))
}

// TestStartWithoutKeys restores the database only: commands that need an installation refuse, a start works and says
// what is lost, and doctor finds it before.
func TestStartWithoutKeys(t *testing.T) {
	data := filled(t)
	before := mustRun(t, data, "", "url", "sign", "300x200/a/b.jpg")
	if err := os.Remove(filepath.Join(data, "keys.json")); err != nil {
		t.Fatal(err)
	}
	out, _, err := inFolder(t, data, "", "doctor")
	if err == nil || !strings.Contains(out, "BAD  keys") || !strings.Contains(out, "BAD  secrets") ||
		!missing(filepath.Join(data, "keys.json")) {
		t.Errorf("doctor without keys.json: %v\n%s", err, out)
	}
	_, _, err = inFolder(t, data, "", "url", "sign", "300x200/a/b.jpg")
	if !strings.Contains(message(err), "keys.json is missing") || !missing(filepath.Join(data, "keys.json")) {
		t.Errorf("url sign without keys.json: %v", err)
	}
	_, errs, err := inFolder(t, data, "", "user", "create", "grace")
	if err != nil || !strings.Contains(errs, "the key file is missing") ||
		!strings.Contains(errs, "a new one was generated") {
		t.Errorf("a start without keys.json: %v\n%s", err, errs)
	}
	after := mustRun(t, data, "", "url", "sign", "300x200/a/b.jpg")
	if again := mustRun(t, data, "", "url", "sign", "300x200/a/b.jpg"); after == before || again != after {
		t.Errorf("the new secret was not stored: %s, %s, %s", before, after, again)
	}
	if out, _, _ := inFolder(t, data, "", "doctor"); strings.Contains(out, "BAD  keys") ||
		strings.Contains(out, "BAD  secrets") {
		t.Errorf("doctor after the start:\n%s", out)
	}
}

// TestStartWithoutKeysOfBucket starts a server whose bucket's key was sealed with a key file that is lost: people log
// in, files are unavailable, and the log says what to do.
func TestStartWithoutKeysOfBucket(t *testing.T) {
	data := filled(t)
	lost, err := auth.OpenKeyring(
		auth.KeyringConfig{File: filepath.Join(t.TempDir(), "keys.json"), Lifetime: time.Hour},
	)
	if err != nil {
		t.Fatal(err)
	}
	sealed, err := lost.Seal("the key of the bucket")
	if err != nil {
		t.Fatal(err)
	}
	db, err := sql.Open("sqlite3", "file:"+filepath.Join(data, "safelight.db"))
	if err != nil {
		t.Fatal(err)
	}
	_, err = db.Exec(
		"INSERT INTO storage_settings (id, kind, bucket, access_key_id, secret_access_key, updated_at) VALUES (1, "+
			"'s3', 'bucket', 'id', ?, ?)",
		sealed, time.Now().UTC(),
	)
	if err != nil {
		t.Fatal(err)
	}
	db.Close()
	s := startReal(t, "--data", data)
	r := s.post("/api/auth/login", `{"username":"ada","password":"correct horse battery staple"}`, "")
	if r.status != 200 {
		t.Errorf("login: %d %s", r.status, r.body)
	}
	if r := s.get("/readyz"); r.status != 503 {
		t.Errorf("/readyz: %d %s", r.status, r.body)
	}
	if !strings.Contains(s.stderr.String(), "configureStorage") {
		t.Errorf("the log does not say what to do:\n%s", s.stderr.String())
	}
}

// TestBackupOfPostgres backs up one PostgreSQL database and restores it to another.
func TestBackupOfPostgres(t *testing.T) {
	if os.Getenv(testPostgres) == "" {
		t.Skip(testPostgres + " names no server: make test starts one and sets it")
	}
	archive := filepath.Join(t.TempDir(), "backup.tar.gz")
	data, target := t.TempDir(), t.TempDir()
	one, other := databasetest.EmptyPostgres(t), databasetest.EmptyPostgres(t)
	mustRun(t, data, "correct horse battery staple\n", "user", "create", "ada", "--password-stdin", "--database", one)
	mustRun(t, data, "", "backup", archive, "--database", one)
	if _, _, err := inFolder(t, target, "", "restore", archive); err == nil ||
		!strings.Contains(err.Error(), "postgres") {
		t.Errorf("restoring into SQLite: %v", err)
	}
	mustRun(t, target, "", "restore", archive, "--database", other)
	for _, args := range [][]string{{"url", "sign", "300x200/a/b.jpg"}, {"user", "list"}} {
		before, after := mustRun(
			t,
			data,
			"",
			append(args, "--database", one)...), mustRun(
			t,
			target,
			"",
			append(args, "--database", other)...)
		if before != after || before == "" {
			t.Errorf("%s: %s, expected %s", args, after, before)
		}
	}
	if _, _, err := inFolder(t, t.TempDir(), "", "restore", archive, "--database", other); err == nil ||
		!strings.Contains(err.Error(), "not empty") {
		t.Errorf("restoring over a database: %v", err)
	}
	if _, _, err := inFolder(t, target, "", "migrate", "up", "--database", databasetest.EmptyPostgres(t)); err == nil ||
		!strings.Contains(err.Error(), "--allow-new-database") {
		t.Errorf("a start with another, empty database: %v", err)
	}
}
