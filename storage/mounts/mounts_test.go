package mounts_test

import (
	"bytes"
	"context"
	"crypto/rand"
	"io"
	"iter"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/safelight/safelight/fault"
	"github.com/safelight/safelight/storage"
	"github.com/safelight/safelight/storage/mounts"
	"github.com/safelight/safelight/storage/storagetest"
)

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func want(t *testing.T, err error, code fault.Code, doing string) {
	t.Helper()
	if fault.CodeOf(err) != code {
		t.Errorf("%s: %v, expected code %q", doing, err, code)
	}
}

func local(t *testing.T) storage.Store {
	t.Helper()
	s, err := storage.OpenLocal(t.TempDir())
	must(t, err)
	return s
}

func memory(*testing.T) storage.Store { return storage.NewMemory() }

// bucket returns the address of an empty place on S3, and skips the test without a server.
func bucket(t *testing.T) string {
	t.Helper()
	address := os.Getenv(storagetest.S3Variable)
	if address == "" {
		t.Skip(storagetest.S3Variable + " names no bucket: make test starts a server and sets it")
	}
	place, query, _ := strings.Cut(address, "?")
	return strings.TrimSuffix(place, "/") + "/mounts-" + rand.Text() + "?" + query
}

func folder(t *testing.T) string { return "file://" + t.TempDir() }

// tree returns a tree of main and the mounts, such as "archive=file:///folder".
func tree(t *testing.T, main storage.Store, text ...string) *mounts.Tree {
	t.Helper()
	list, err := mounts.Parse(strings.Join(text, ","))
	must(t, err)
	s, err := mounts.New(t.Context(), main, list, mounts.Options{})
	must(t, err)
	t.Cleanup(func() { s.Close() })
	return s
}

// TestConformance runs the suite of all drivers in the main storage of a tree, and in a mount.
func TestConformance(t *testing.T) {
	mains := map[string]func(*testing.T) storage.Store{
		"files":  local,
		"memory": memory,
		"s3": func(t *testing.T) storage.Store {
			s, err := storage.Open(t.Context(), bucket(t))
			must(t, err)
			return s
		},
	}
	for name, main := range mains {
		t.Run("main "+name, func(t *testing.T) {
			storagetest.Run(
				t,
				func(t *testing.T) storage.Store { return beside{tree(t, main(t), "archive="+folder(t))} },
			)
		})
	}
	for name, mount := range map[string]func(*testing.T) string{"files": folder, "s3": bucket} {
		t.Run("mount "+name, func(t *testing.T) {
			storagetest.Run(
				t,
				func(t *testing.T) storage.Store { return inside{tree(t, memory(t), "archive="+mount(t))} },
			)
		})
	}
}

// beside is a tree without its mount in listings.
type beside struct{ *mounts.Tree }

func (b beside) List(ctx context.Context, k storage.Key, o storage.ListOptions) iter.Seq2[storage.Stat, error] {
	return func(yield func(storage.Stat, error) bool) {
		for e, err := range b.Tree.List(ctx, k, o) {
			if e.Key != "archive" && !yield(e, err) {
				return
			}
		}
	}
}

// inside is the mount archive of a tree as a storage of its own. What the suite does to the root is done to that of the
// tree where the mount answers otherwise on purpose.
type inside struct{ *mounts.Tree }

func (i inside) in(k storage.Key) storage.Key {
	if k == "" {
		return "archive"
	}
	return "archive/" + k
}

func (i inside) out(s storage.Stat) storage.Stat {
	s.Key = storage.Key(strings.TrimPrefix(strings.TrimPrefix(string(s.Key), "archive"), "/"))
	return s
}

func (i inside) Open(ctx context.Context, k storage.Key) (storage.Object, error) {
	return i.Tree.Open(ctx, i.in(k))
}

func (i inside) Create(ctx context.Context, k storage.Key, r io.Reader, o storage.CreateOptions) (storage.Stat, error) {
	if k == "" {
		return i.Tree.Create(ctx, k, r, o)
	}
	o.Parts = slices.Clone(o.Parts)
	for n := range o.Parts {
		o.Parts[n].Key = i.in(o.Parts[n].Key)
	}
	s, err := i.Tree.Create(ctx, i.in(k), r, o)
	return i.out(s), err
}

func (i inside) OpenVersion(ctx context.Context, st storage.Stat) (storage.Object, error) {
	st.Key = i.in(st.Key)
	return i.Tree.OpenVersion(ctx, st)
}

func (i inside) CreateFolder(ctx context.Context, k storage.Key) error {
	return i.Tree.CreateFolder(ctx, i.in(k))
}

func (i inside) Stat(ctx context.Context, k storage.Key) (storage.Stat, error) {
	s, err := i.Tree.Stat(ctx, i.in(k))
	return i.out(s), err
}

func (i inside) List(ctx context.Context, k storage.Key, o storage.ListOptions) iter.Seq2[storage.Stat, error] {
	return func(yield func(storage.Stat, error) bool) {
		for e, err := range i.Tree.List(ctx, i.in(k), o) {
			if !yield(i.out(e), err) {
				return
			}
		}
	}
}

func (i inside) pair(from, to storage.Key) (storage.Key, storage.Key) {
	if from == "" || to == "" {
		return from, to
	}
	return i.in(from), i.in(to)
}

func (i inside) Copy(ctx context.Context, from, to storage.Key) error {
	from, to = i.pair(from, to)
	return i.Tree.Copy(ctx, from, to)
}

func (i inside) Move(ctx context.Context, from, to storage.Key) error {
	from, to = i.pair(from, to)
	return i.Tree.Move(ctx, from, to)
}

func (i inside) Delete(ctx context.Context, k storage.Key) error {
	if k == "" {
		return i.Tree.Delete(ctx, k)
	}
	return i.Tree.Delete(ctx, i.in(k))
}

func put(t *testing.T, s storage.Store, k storage.Key, data string) storage.Stat {
	t.Helper()
	st, err := s.Create(t.Context(), k, strings.NewReader(data), storage.CreateOptions{})
	must(t, err)
	return st
}

func data(t *testing.T, s storage.Store, k storage.Key) string {
	t.Helper()
	o, err := s.Open(t.Context(), k)
	if fault.CodeOf(err) == fault.NotFound {
		return "(none)"
	}
	must(t, err)
	defer o.Close()
	b, err := io.ReadAll(o)
	must(t, err)
	return string(b)
}

func names(t *testing.T, s storage.Store, k storage.Key) string {
	t.Helper()
	var list []string
	for e, err := range s.List(t.Context(), k, storage.ListOptions{ShowHidden: true}) {
		must(t, err)
		list = append(list, string(e.Key))
	}
	return strings.Join(list, " ")
}

// TestNames tries the name of a mount, and names like it, with everything that changes names.
func TestNames(t *testing.T) {
	ctx, main := t.Context(), local(t)
	put(t, main, "archive/hidden.jpg", "of main")
	s := tree(t, main, "archive="+folder(t), "scans="+folder(t))
	put(t, s, "archive2/a.jpg", "beside")
	put(t, s, "archive/a.jpg", "in the mount")
	put(t, s, "Archive/a.jpg", "other case")
	if got := names(t, s, ""); got != "archive scans Archive archive2" {
		t.Errorf("the root holds %q", got)
	}
	if got := data(t, s, "archive/hidden.jpg") + data(t, main, "archive2/a.jpg") +
		data(t, main, "archive/a.jpg"); got != "(none)beside(none)" {
		t.Errorf("files are %q", got)
	}
	var log bytes.Buffer
	mounts.WarnHidden(ctx, s, slog.New(slog.NewTextHandler(&log, nil)))
	if st := s.Status(ctx); !st[0].Hides || st[1].Hides || strings.Count(log.String(), "archive hides") != 1 ||
		strings.Count(log.String(), "\n") != 1 {
		t.Errorf("the status is %+v, the log %s", st, &log)
	}
	for name, c := range map[string]struct {
		err  error
		code fault.Code
	}{
		"delete":                 {s.Delete(ctx, "archive"), fault.Forbidden},
		"delete the root":        {s.Delete(ctx, ""), fault.Invalid},
		"move":                   {s.Move(ctx, "archive", "other"), fault.Forbidden},
		"move into itself":       {s.Move(ctx, "archive", "archive/in"), fault.Forbidden},
		"move the root":          {s.Move(ctx, "", "archive/root"), fault.Invalid},
		"move onto":              {s.Move(ctx, "archive2", "archive"), fault.Conflict},
		"move onto another":      {s.Move(ctx, "archive/a.jpg", "scans"), fault.Conflict},
		"move nothing":           {s.Move(ctx, "archive/no", "no"), fault.NotFound},
		"copy":                   {s.Copy(ctx, "archive", "other"), fault.Forbidden},
		"copy onto":              {s.Copy(ctx, "archive2", "archive"), fault.Conflict},
		"copy the root":          {s.Copy(ctx, "", "archive/root"), fault.Invalid},
		"create a folder":        {s.CreateFolder(ctx, "archive"), fault.Conflict},
		"move onto a file in it": {s.Move(ctx, "archive2/a.jpg", "archive/a.jpg"), fault.Conflict},
	} {
		want(t, c.err, c.code, name)
	}
	_, err := s.Create(ctx, "archive", strings.NewReader("x"), storage.CreateOptions{Overwrite: true})
	want(t, err, fault.Conflict, "replace by a file")
	if got := data(t, s, "archive/a.jpg") + data(t, s, "archive2/a.jpg") +
		data(t, s, "Archive/a.jpg"); got != "in the mountbesideother case" {
		t.Errorf("files are %q afterwards", got)
	}
}

// TestRoot lists the mounts before what else is in the root, and may end early.
func TestRoot(t *testing.T) {
	s := tree(t, local(t), "a="+folder(t), "b="+folder(t), "c="+folder(t))
	for _, k := range []storage.Key{"x.jpg", "y.jpg", "z/in.jpg"} {
		put(t, s, k, "x")
	}
	for limit := 1; limit <= 7; limit++ {
		var got []string
		for e, err := range s.List(t.Context(), "", storage.ListOptions{}) {
			must(t, err)
			if got = append(got, string(e.Key)); len(got) == limit {
				break
			}
		}
		if want := []string{"a", "b", "c", "x.jpg", "y.jpg", "z"}; !slices.Equal(got, want[:min(limit, len(want))]) {
			t.Errorf("the first %d entries are %v", limit, got)
		}
	}
}

// TestAcross moves and copies between storages of different kinds.
func TestAcross(t *testing.T) {
	ctx := t.Context()
	for name, mount := range map[string]func(*testing.T) string{"files": folder, "s3": bucket} {
		t.Run(name, func(t *testing.T) {
			s := tree(t, memory(t), "archive="+mount(t), "scans="+folder(t))
			put(t, s, "a/x.jpg", "x")
			put(t, s, "a/sub/y.jpg", strings.Repeat("y", 100_000))
			put(t, s, "a/.safelight/x.jpg.json", "notes")
			must(t, s.CreateFolder(ctx, "a/empty"))
			must(t, s.Move(ctx, "a", "archive/b"))
			if got := names(t, s, "") + "; " + names(
				t, s,
				"archive/b"); got != "archive scans; archive/b/.safelight archive/b/empty archive/b/sub archive/b/x.jpg" {
				t.Errorf("after the move: %s", got)
			}
			must(t, s.Copy(ctx, "archive/b", "scans/c"))
			must(t, s.Move(ctx, "archive/b/x.jpg", "scans/x.jpg"))
			if got := data(t, s, "scans/c/sub/y.jpg"); got != strings.Repeat("y", 100_000) {
				t.Errorf("%d bytes were copied", len(got))
			}
			if got := data(t, s, "scans/c/.safelight/x.jpg.json") + data(t, s, "scans/x.jpg") +
				data(t, s, "archive/b/x.jpg"); got != "notesx(none)" {
				t.Errorf("files are %q", got)
			}
			want(t, s.Copy(ctx, "archive/b/sub/y.jpg", "scans/x.jpg"), fault.Conflict, "a copy over a file")
			want(t, s.Move(ctx, "archive/b", "scans/c"), fault.Conflict, "a move over a folder")
			want(t, s.Move(ctx, "archive/b", "scans/x.jpg/in"), fault.Conflict, "a move below a file")
			if got := names(t, s, "archive/b/sub"); got != "archive/b/sub/y.jpg" {
				t.Errorf("refused moves left %q", got)
			}
		})
	}
}

// TestVersions looks at the same bytes through two mounts: no version of one is one of the other.
func TestVersions(t *testing.T) {
	ctx, dir := t.Context(), t.TempDir()
	must(t, os.Mkdir(filepath.Join(dir, "one"), 0o755))
	must(t, os.Mkdir(filepath.Join(dir, "two"), 0o755))
	must(t, os.WriteFile(filepath.Join(dir, "one", "a"), []byte("same"), 0o644))
	must(t, os.Link(filepath.Join(dir, "one", "a"), filepath.Join(dir, "two", "a"))) // inode, time and size are equal
	s := tree(t, memory(t), "one=file://"+dir+"/one", "two=file://"+dir+"/two")
	a, err := s.Stat(ctx, "one/a")
	must(t, err)
	b, err := s.Stat(ctx, "two/a")
	must(t, err)
	o, err := s.Open(ctx, "one/a")
	must(t, err)
	defer o.Close()
	if a.ETag == b.ETag || o.Stat() != a {
		t.Errorf("versions are %s, %s and, opened, %+v", a.ETag, b.ETag, o.Stat())
	}
	if _, near := o.(storage.Near); !near {
		t.Error("a file of a mount is not near")
	}
	if same, err := storage.SameFiles(ctx, s, "one/a", "two/a"); err != nil || !same {
		t.Errorf("the bytes are the same: %v, %v", same, err)
	}
}

func TestReadOnly(t *testing.T) {
	ctx, dir := t.Context(), t.TempDir()
	must(t, os.WriteFile(filepath.Join(dir, "a.jpg"), []byte("a"), 0o644))
	must(t, os.Mkdir(filepath.Join(dir, "sub"), 0o755))
	must(t, os.Chmod(dir, 0o555))
	t.Cleanup(func() { _ = os.Chmod(dir, 0o755) })
	s := tree(t, memory(t), "archive=file://"+dir+"?readonly=true")
	put(t, s, "b.jpg", "b")
	must(t, s.Copy(ctx, "archive/a.jpg", "copy.jpg"))
	r := &countingReader{}
	_, err := s.Create(ctx, "archive/new.jpg", r, storage.CreateOptions{})
	for name, err := range map[string]error{"create": err, "create a folder": s.CreateFolder(ctx, "archive/f"),
		"delete": s.Delete(ctx, "archive/a.jpg"),
		"move":   s.Move(ctx, "archive/a.jpg", "archive/b.jpg"), "move out": s.Move(ctx, "archive/a.jpg", "a.jpg"),
		"move in": s.Move(ctx, "b.jpg", "archive/b.jpg"),
		"copy in": s.Copy(ctx, "b.jpg", "archive/b.jpg")} {
		want(t, err, fault.Forbidden, name)
		if !strings.Contains(fault.Of(err).Message, "archive is read-only") {
			t.Errorf("%s: the message %q names no mount", name, fault.Of(err).Message)
		}
	}
	if got := names(t, s, "archive") + " " + data(t, s, "copy.jpg") + " " +
		data(t, s, "b.jpg"); got != "archive/a.jpg archive/sub a b" ||
		r.read {
		t.Errorf("afterwards: %s, bytes were read: %v", got, r.read)
	}
	if entries, err := os.ReadDir(dir); err != nil || len(entries) != 2 {
		t.Errorf("the folder holds %v, %v", entries, err)
	}
}

type countingReader struct{ read bool }

// Read notes that it was called.
func (r *countingReader) Read([]byte) (int, error) {
	r.read = true
	return 0, io.EOF
}

// TestCheckWrite asks the main storage alone, of two trees in one another too: a mount may be down, or meant to be read
// only.
func TestCheckWrite(t *testing.T) {
	main, dir := memory(t), t.TempDir()
	s := tree(t, tree(t, main, "readonly=file://"+dir+"?readonly=true"), "down=file:///does/not/exist")
	must(t, storage.CheckWrite(t.Context(), s))
	if _, err := main.Stat(t.Context(), storage.WritableKey); err != nil {
		t.Error(err)
	}
	if left, err := os.ReadDir(dir); err != nil || len(left) > 0 {
		t.Errorf("it writes %v to a mount, %v", left, err)
	}
}
