package main

import (
	"bytes"
	"crypto/rand"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestOtherStorage starts on a storage that has none of the files that the index knows: refused, unless the operator
// says so. The files would leave all albums.
func TestOtherStorage(t *testing.T) {
	t.Parallel()
	data, scans, away := t.TempDir(), t.TempDir(), filepath.Join(t.TempDir(), "typo")
	must(t, os.WriteFile(filepath.Join(scans, "s.png"), paint(8, 8), 0o644))
	must(t, os.MkdirAll(filepath.Join(data, "files"), 0o755))
	for _, name := range []string{"a.png", "b.png"} {
		must(t, os.WriteFile(filepath.Join(data, "files", name), paint(8, 8), 0o644))
	}
	mount := "--storage-mounts=scans=file://" + scans
	first := launchIn(t, data, nil, mount)
	listed := first.post("/api/graphql", `{"query":"{ files(folder: \"scans\") { totalCount } }"}`, first.login())
	must(t, first.stop())
	if !bytes.Contains(listed.body, []byte(`"totalCount":1`)) {
		t.Fatalf("the mount: %s", listed.body)
	}
	other := map[string][]string{
		"a typo":              {"--storage", "file://" + away, mount},
		"an unmounted folder": {"--storage", "file://" + t.TempDir(), mount},
		"an unmounted mount":  {"--storage-mounts=scans=file://" + t.TempDir()},
	}
	if address := os.Getenv(testS3); address != "" {
		bucket, query, _ := strings.Cut(address, "?")
		other["an empty bucket"] = []string{"--storage", bucket + "/empty-" + rand.Text() + "?" + query, mount}
	}
	for name, flags := range other {
		want := "the storage has none of the files that the index knows ("
		if strings.HasSuffix(name, "mount") {
			want = "the mount scans does not have the only file that the index knows, scans/s.png"
		}
		for _, command := range []string{"serve", "doctor"} {
			args := append([]string{command, "--data", data, "--listen", "127.0.0.1:0"}, flags...)
			out := runCommand(t, programLink(t), t.TempDir(), 0, nil, args...)
			if !strings.Contains(out, want) || !strings.Contains(out, "--allow-new-storage") ||
				command == "doctor" && !strings.Contains(out, "BAD  files") {
				t.Errorf("%s, %s: it does not say %q:\n%s", name, command, want, out)
			}
		}
		if _, _, err := inFolder(t, data, "", append([]string{"demo"}, flags...)...); err == nil {
			t.Errorf("%s: demo has scanned it", name)
		}
	}
	if !missing(away) {
		t.Error("the folder of the typo was created")
	}
	if out := mustRun(t, data, "", "doctor", mount); !strings.Contains(out, "ok   files     storage and mounts are") {
		t.Errorf("doctor with the right storage:\n%s", out)
	}
	for _, flags := range [][]string{
		{mount}, // the right one
		{"--storage", "file://" + away, mount, "--allow-new-storage"},
	} {
		s := launchIn(t, data, nil, flags...)
		must(t, s.stop())
	}
}

// TestFirstStartsOnAnyStorage: an index without files, or with no file but the sample, fits every storage.
func TestFirstStartsOnAnyStorage(t *testing.T) {
	t.Parallel()
	data := t.TempDir()
	for range 2 {
		s := launchIn(t, data, nil, "--storage", "file://"+t.TempDir())
		s.becomes("/readyz", 200)
		must(t, s.stop())
	}
}

// TestCommandsCreateNothing: commands on an installation that does not exist, or whose key file is elsewhere, create
// neither a folder nor keys nor a secret.
func TestCommandsCreateNothing(t *testing.T) {
	t.Parallel()
	data := filepath.Join(t.TempDir(), "typo")
	for _, args := range [][]string{
		{"url", "sign", "300x200/a.jpg"}, {"url", "encrypt", "300x200/a.jpg"}, {"user", "list"}, {"keys", "rotate"},
		{"migrate", "status"}, {"backup", "archive.tar.gz"}, {"doctor"}, {"config"},
		{"move-storage", "--to", "file:///x"},
	} {
		_, _, _ = inFolder(t, data, "", args...)
		if !missing(data) {
			t.Fatalf("%v has created the data folder", args)
		}
	}

	// prepared before the first start
	mustRun(t, data, "", "migrate", "up")
	if _, _, err := inFolder(t, data, "", "url", "sign", "300x200/a.jpg"); err == nil ||
		!strings.Contains(err.Error(), "keys.json") || !missing(keysFile(&Settings{Data: data})) {
		t.Errorf("url sign before the first start: %v", err)
	}
	mustRun(t, data, "correct horse battery staple\n", "user", "create", "ada", "--password-stdin")
	signed := mustRun(t, data, "", "url", "sign", "300x200/a.jpg")

	// another key file cannot read the secret, and does not replace it
	keys, err := os.ReadFile(keysFile(&Settings{Data: data}))
	must(t, err)
	other := t.TempDir()
	mustRun(t, other, "correct horse battery staple\n", "user", "create", "ada", "--password-stdin")
	foreign, err := os.ReadFile(keysFile(&Settings{Data: other}))
	must(t, err)
	must(t, os.WriteFile(keysFile(&Settings{Data: data}), foreign, 0o600))
	for _, command := range []string{"sign", "encrypt"} {
		_, _, err := inFolder(t, data, "", "url", command, "300x200/a.jpg", "--encryption-keys",
			"1:"+strings.Repeat("ab", 64))
		if err == nil || !strings.Contains(message(err), "sealed with another key file") {
			t.Errorf("url %s with another key file: %v", command, err)
		}
	}
	must(t, os.WriteFile(keysFile(&Settings{Data: data}), keys, 0o600))
	if again := mustRun(t, data, "", "url", "sign", "300x200/a.jpg"); again != signed {
		t.Errorf("the secret was replaced: %s, expected %s", again, signed)
	}
}

// TestSignUnencoded: a path that clients send in another way is signed as written, with a warning that shows the other.
func TestSignUnencoded(t *testing.T) {
	t.Parallel()
	data := filled(t)
	out, errs, err := inFolder(t, data, "", "url", "sign", "300x200/my photo.jpg")
	must(t, err)
	if !strings.Contains(out, "/300x200/my photo.jpg") ||
		!strings.Contains(errs, "sign 300x200/my%20photo.jpg instead") {
		t.Errorf("%s%s", out, errs)
	}
	if _, errs, _ = inFolder(t, data, "", "url", "sign", "300x200/my%20photo.jpg"); errs != "" {
		t.Errorf("of an encoded path: %s", errs)
	}
}

// TestSignedUnencoded: the signature covers the path as it is sent.
func TestSignedUnencoded(t *testing.T) {
	t.Parallel()
	s := startReal(t)
	for _, name := range []string{"my photo.png", "Müller.png"} {
		s.photo(name, 8, 8)
	}
	signature := func(path string) string { return "/" + s.signer.Sign(path) + "/" }
	for sent, signed := range map[string]string{
		"4x4/my%20photo.png":   "4x4/my%20photo.png",
		"4x4/my+photo.png":     "4x4/my+photo.png",
		"4x4/M%C3%BCller.png":  "4x4/M%C3%BCller.png",
		"4x4/my%20photo.png?a": "4x4/my%20photo.png",
	} {
		if r := s.get(signature(signed) + sent); r.status != 200 {
			t.Errorf("%s: %d %s", sent, r.status, r.body)
		}
	}
	// signed without encoding, and sent as clients do
	for sent, signed := range map[string]string{
		"4x4/my%20photo.png": "4x4/my photo.png", "4x4/M%C3%BCller.png": "4x4/Müller.png",
		"4x4/my+photo.png": "4x4/my%20photo.png",
	} {
		if r := s.get(signature(signed) + sent); r.status != 403 {
			t.Errorf("%s, signed as %s: %d %s", sent, signed, r.status, r.body)
		}
	}
}

// TestMisplacedOperation: the answer for an image that does not exist names an operation in its path.
func TestMisplacedOperation(t *testing.T) {
	t.Parallel()
	s := startReal(t)
	for path, want := range map[string]string{
		"grayscale/samples/welcome.jpg":         "filters:grayscale(...)",
		"samples/welcome.jpg/300x200":           "300x200 is an operation",
		"300x200":                               "300x200 is an operation",
		"300x200/samples/none.jpg":              "samples/none.jpg does not exist\"",
		"samples/welcome.jpg/filters:blur(3)/x": "operations come before the image",
	} {
		if r := s.get(s.signed(path)); r.status != 404 || !bytes.Contains(r.body, []byte(want)) {
			t.Errorf("%s: %d %s, expected %s", path, r.status, r.body, want)
		}
	}
}
