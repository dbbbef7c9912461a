package mounts_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/safelight/safelight/fault"
	"github.com/safelight/safelight/storage"
	"github.com/safelight/safelight/storage/mounts"
)

// TestMissingFolder starts without the folder of a mount, which comes, is replaced and goes.
func TestMissingFolder(t *testing.T) {
	ctx, dir, now := t.Context(), filepath.Join(t.TempDir(), "scans"), time.Now()
	list, err := mounts.Parse("scans=file://" + dir)
	must(t, err)
	s, err := mounts.New(ctx, memory(t), list, mounts.Options{Now: func() time.Time { return now }})
	must(t, err)
	t.Cleanup(func() { s.Close() })
	put(t, s, "main.jpg", "main")
	down := func(doing string) {
		t.Helper()
		if got := names(t, s, "") + " " + data(t, s, "main.jpg"); got != "scans main.jpg main" {
			t.Errorf("%s: the main storage is %s", doing, got)
		}
		must(t, s.Check(ctx))
		_, err := s.Stat(ctx, "scans")
		must(t, err)
		_, err = storage.Entries(s.List(ctx, "scans", storage.ListOptions{}))
		want(t, err, fault.Unavailable, doing+": List")
		_, err = s.Stat(ctx, "scans/a.jpg")
		want(t, err, fault.Unavailable, doing+": Stat")
		_, err = s.FolderVersion(ctx, "scans")
		want(t, err, fault.Unavailable, doing+": FolderVersion")
		_, err = s.Create(ctx, "scans/b.jpg", strings.NewReader("b"), storage.CreateOptions{})
		want(t, err, fault.Unavailable, doing+": Create")
		want(t, s.Move(ctx, "main.jpg", "scans/b.jpg"), fault.Unavailable, doing+": Move")
		if st := s.Status(ctx); fault.CodeOf(st[0].Err) != fault.Unavailable {
			t.Errorf("%s: the status is %v", doing, st)
		}
	}
	down("before")
	if _, err := os.Stat(dir); err == nil {
		t.Error("the folder was made")
	}
	must(t, os.Mkdir(dir, 0o755))
	must(t, os.WriteFile(filepath.Join(dir, "a.jpg"), []byte("a"), 0o644))
	_, err = s.Stat(ctx, "scans/a.jpg")
	want(t, err, fault.Unavailable, "within the pause")
	now = now.Add(3 * time.Second)
	if got := data(t, s, "scans/a.jpg"); got != "a" {
		t.Errorf("the folder is there, a file is %q", got)
	}
	// as when its file system is unmounted: an empty folder is under it, or none
	must(t, os.Rename(dir, dir+"-away"))
	down("gone")
	must(t, os.Mkdir(dir, 0o755))
	now = now.Add(3 * time.Second)
	must(t, os.WriteFile(filepath.Join(dir, "a.jpg"), []byte("other"), 0o644))
	if got := data(t, s, "scans/a.jpg"); got != "other" {
		t.Errorf("another folder is there, a file is %q", got)
	}
	must(t, os.RemoveAll(filepath.Join(dir, "a.jpg")))
	_, err = s.Stat(ctx, "scans/a.jpg")
	want(t, err, fault.NotFound, "a file that is deleted")
}

// TestEndedListing loses the folder during a listing.
func TestEndedListing(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "scans")
	must(t, os.Mkdir(dir, 0o755))
	must(t, os.WriteFile(filepath.Join(dir, "a.jpg"), []byte("a"), 0o644))
	s := tree(t, memory(t), "scans=file://"+dir)
	var failed error
	for _, err := range s.List(t.Context(), "scans", storage.ListOptions{}) {
		if err == nil {
			must(t, os.Rename(dir, dir+"-away"))
		}
		failed = err
	}
	want(t, failed, fault.Unavailable, "the end of the listing")
}

// TestUnreachable asks a bucket that does not answer.
func TestUnreachable(t *testing.T) {
	ctx := t.Context()
	s := tree(
		t, memory(t), "archive=s3://bucket?endpoint=http://127.0.0.1:1&region=x&use_path_style=true",
		"scans="+folder(t),
	)
	put(t, s, "scans/a.jpg", "a")
	for range 4 {
		_, err := s.Stat(ctx, "archive/a.jpg")
		want(t, err, fault.Unavailable, "Stat")
		if f := fault.Of(err); f.RetryAfter == 0 || !strings.Contains(f.Message, "archive") {
			t.Errorf("the error is %+v", f)
		}
	}
	want(t, s.Move(ctx, "scans/a.jpg", "archive/a.jpg"), fault.Unavailable, "a move to it")
	if got := names(t, s, "") + " " + data(t, s, "scans/a.jpg"); got != "archive scans a" {
		t.Errorf("the others are %q", got)
	}
}

func TestParse(t *testing.T) {
	list, err := mounts.Parse(" archive = s3://bucket/prefix?region=eu&readonly=true , Bücher=file:///mnt/a%2Cb")
	must(t, err)
	if len(list) != 2 ||
		list[0] != (mounts.Config{Name: "archive", Address: "s3://bucket/prefix?region=eu", ReadOnly: true}) ||
		list[1].Name != "Bücher" {
		t.Errorf("read %+v", list)
	}
	if _, place := storage.Place(list[1].Address); place != "/mnt/a,b" {
		t.Errorf("the folder is %q", place)
	}
	for text, says := range map[string]string{"": "not valid for a folder", "archive": "unknown",
		"=file:///a": "not valid for a folder", ".a=file:///a": "not valid for a folder",
		"..=file:///a": "not valid for a folder", "a/b=file:///a": "without a slash",
		strings.Repeat("n", 33) + "=file:///a": "at most 32", "a=file:///a,A=file:///b": "mounted twice",
		"a=file:b": "relative", "a=ftp://x": "unknown",
		"a=s3://KEY:SECRET@bucket": "storage-mount-keys", "a=s3://b?readonly=perhaps": "neither"} {
		_, err := mounts.Parse(text)
		want(t, err, fault.Invalid, text)
		if m := fault.Of(err).Message; !strings.Contains(m, says) || strings.Contains(m, "SECRET") {
			t.Errorf("%s: %s", text, m)
		}
	}
}

func TestKeys(t *testing.T) {
	keys, err := mounts.ParseKeys("archive=ID:se/cr+et=:x\nother=A:B,")
	must(t, err)
	if keys["archive"] != (storage.Credentials{ID: "ID", Secret: "se/cr+et=:x"}) || keys["other"].ID != "A" ||
		len(keys) != 2 {
		t.Error("the keys are others")
	}
	for _, text := range []string{"SECRET", "a=SECRET", "=ID:SECRET", "a=:SECRET", "../a=ID:SECRET"} {
		_, err := mounts.ParseKeys(text)
		want(t, err, fault.Invalid, text)
		if strings.Contains(err.Error(), "SECRET") {
			t.Errorf("%s: %v", text, err)
		}
	}
	list, err := mounts.Parse("archive=s3://bucket")
	must(t, err)
	_, err = mounts.New(t.Context(), memory(t), list, mounts.Options{Keys: keys})
	want(t, err, fault.Invalid, "keys of no mount")
}

// TestApart refuses mounts through which a file would have two names.
func TestApart(t *testing.T) {
	dir := t.TempDir()
	must(t, os.MkdirAll(filepath.Join(dir, "data", "files"), 0o755))
	must(t, os.Symlink(filepath.Join(dir, "data"), filepath.Join(dir, "link")))
	for text, ok := range map[string]bool{
		"a=file://" + dir + "/a,b=file://" + dir + "/b":                    true,
		"a=file://" + dir + "/a,b=file://" + dir + "/ab":                   true,
		"a=file://" + dir + "/a,b=file://" + dir + "/a/b":                  false,
		"a=file://" + dir + "/a/b,b=file://" + dir + "/a":                  false,
		"a=file://" + dir + "/data":                                        false,
		"a=file://" + dir:                                                  false,
		"a=file:///":                                                       false,
		"a=file://" + dir + "/data/files":                                  false,
		"a=file://" + dir + "/link/files/new":                              false,
		"a=file://" + dir + "/x/../data":                                   false,
		"a=s3://one/a,b=s3://one/ab,c=s3://two/a":                          true,
		"a=s3://one,b=s3://one/a":                                          false,
		"a=s3://one/a/,b=s3://one/a":                                       false,
		"a=s3://main/pictures/2020":                                        false,
		"a=s3://main/pictures/2020?endpoint=http://[::1]":                  true,
		"a=s3://main/pictures2?region=eu-central-1":                        true,
		"a=s3://main/pictures?region=us-west-1&readonly=1":                 false,
		"a=s3://main/pictures?endpoint=https://s3.us-west-1.amazonaws.com": false,
		"a=s3://minio/a?endpoint=http://minio:9000":                        false,
		"a=s3://minio/a?endpoint=HTTP://MINIO:9000/":                       false,
		"a=s3://minio/a?endpoint=http://minio:9001":                        true,
		"a=s3://minio/a":                                                   true,
		"a=s3://tls?endpoint=https://minio.example:443":                    false,
	} {
		list, err := mounts.Parse(text)
		must(t, err)
		s, err := mounts.New(t.Context(), memory(t), list, mounts.Options{
			Private: []string{
				"file://" + dir + "/data",
				"s3://main/pictures?region=us-west-1",
				"s3://minio?endpoint=http://minio:9000",
				"s3://tls?endpoint=https://minio.example",
			},
		})
		if ok {
			must(t, err)
			s.Close()
		} else {
			want(t, err, fault.Invalid, text)
		}
	}
}
