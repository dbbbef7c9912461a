// Package storagetest is the suite that every storage driver must pass.
package storagetest

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/safelight/safelight/fault"
	"github.com/safelight/safelight/storage"
)

// suite is one empty store with common test steps.
type suite struct {
	*testing.T
	storage.Store
	ctx context.Context
}

// Run runs the suite; open returns a new empty store each time.
func Run(t *testing.T, open func(t *testing.T) storage.Store) {
	for name, test := range map[string]func(suite){
		"create and open": createAndOpen, "overwrite": overwrite, "atomic": atomic, "one of many wins": oneWins,
		"seek": seek,
		"list": list, "folders": folders, "move": move, "copy": copying, "delete": deleting, "names": names,
		"canceled": canceled, "missing": missing, "writable": writable, "parts": parts, "versions": versions,
	} {
		t.Run(name, func(t *testing.T) {
			s := suite{t, open(t), t.Context()}
			t.Cleanup(func() { s.Store.Close() })
			test(s)
		})
	}
}

func (s suite) put(key storage.Key, data string) storage.Stat {
	s.Helper()
	st, err := s.Create(s.ctx, key, strings.NewReader(data), storage.CreateOptions{})
	if err != nil {
		s.Fatalf("Create(%s): %v", key, err)
	}
	return st
}

func (s suite) data(key storage.Key) string {
	s.Helper()
	o, err := s.Open(s.ctx, key)
	if err != nil {
		s.Fatalf("Open(%s): %v", key, err)
	}
	defer o.Close()
	b, err := io.ReadAll(o)
	if err != nil {
		s.Fatalf("reading %s: %v", key, err)
	}
	return string(b)
}

func (s suite) want(err error, code fault.Code, doing string) {
	s.Helper()
	if fault.CodeOf(err) != code {
		s.Errorf("%s: %v, expected code %q", doing, err, code)
	}
}

func (s suite) listing(key storage.Key, o storage.ListOptions) string {
	s.Helper()
	var names []string
	for e, err := range s.List(s.ctx, key, o) {
		if err != nil {
			s.Fatalf("List(%s): %v", key, err)
		}
		name := e.Key.Name()
		if e.IsFolder {
			name += "/"
		}
		names = append(names, name)
	}
	// drivers sort folders differently
	slices.SortFunc(
		names,
		func(a, b string) int { return strings.Compare(strings.TrimSuffix(a, "/"), strings.TrimSuffix(b, "/")) },
	)
	return strings.Join(names, " ")
}

// writable checks twice that the store accepts writes: the second time, the object already exists.
func writable(s suite) {
	s.put("a", "a")
	for range 2 {
		if err := storage.CheckWrite(s.ctx, s.Store); err != nil {
			s.Fatal(err)
		}
	}
	if got := s.listing("", storage.ListOptions{}); got != "a" {
		s.Errorf("a listing shows %s", got)
	}
}

func createAndOpen(s suite) {
	st := s.put("a/b/c.txt", "hello")
	if st.Key != "a/b/c.txt" || st.Size != 5 || st.ETag == "" || st.IsFolder || st.Modified.IsZero() {
		s.Errorf("Create returns %+v", st)
	}
	if got := s.data("a/b/c.txt"); got != "hello" {
		s.Errorf("read back %q", got)
	}
	again, err := s.Stat(s.ctx, "a/b/c.txt")
	if err != nil || again.ETag != st.ETag || again.Size != 5 {
		s.Errorf("Stat = %+v, %v", again, err)
	}
	if st, err := s.Stat(s.ctx, "a/b"); err != nil || !st.IsFolder || st.Size != 0 {
		s.Errorf("Stat of a folder = %+v, %v", st, err)
	}
	if st, err := s.Stat(s.ctx, ""); err != nil || !st.IsFolder {
		s.Errorf("Stat of the root = %+v, %v", st, err)
	}
	s.put("empty", "")
	if got := s.data("empty"); got != "" {
		s.Errorf("an empty object holds %q", got)
	}
	o, err := s.Open(s.ctx, "empty")
	if err != nil {
		s.Fatal(err)
	}
	defer o.Close()
	if part, err := storage.Part(o, 0, 0); err != nil {
		s.Errorf("all of an empty object: %v", err)
	} else if b, err := io.ReadAll(part); len(b) > 0 || err != nil {
		s.Errorf("all of an empty object: %q, %v", b, err)
	}
}

func overwrite(s suite) {
	before := s.put("a", "one")
	_, err := s.Create(s.ctx, "a", strings.NewReader("two"), storage.CreateOptions{})
	s.want(err, fault.Conflict, "Create over an object")
	if s.data("a") != "one" {
		s.Error("a refused Create changed the object")
	}
	after, err := s.Create(s.ctx, "a", strings.NewReader("two"), storage.CreateOptions{Overwrite: true})
	if err != nil || after.ETag == before.ETag || s.data("a") != "two" {
		s.Errorf("overwriting: %+v, %v", after, err)
	}
	s.put("dir/x", "x")
	_, err = s.Create(s.ctx, "dir", strings.NewReader("y"), storage.CreateOptions{Overwrite: true})
	s.want(err, fault.Conflict, "Create over a folder")
	_, err = s.Create(s.ctx, "a/below", strings.NewReader("y"), storage.CreateOptions{})
	s.want(err, fault.Conflict, "Create below a file")
	_, err = s.Create(s.ctx, "", strings.NewReader("y"), storage.CreateOptions{})
	s.want(err, fault.Invalid, "Create the root")
}

var errBroken = errors.New("the wire broke")

func atomic(s suite) {
	s.put("old", "old")
	for _, key := range []storage.Key{"new", "old", "dir/new"} {
		r := io.MultiReader(bytes.NewReader(make([]byte, 1<<20)), brokenReader{})
		if _, err := s.Create(s.ctx, key, r, storage.CreateOptions{Overwrite: true}); !errors.Is(err, errBroken) {
			s.Errorf("Create from a broken reader: %v", err)
		}
	}
	if s.data("old") != "old" {
		s.Error("a broken Create changed the object")
	}
	for _, key := range []storage.Key{"new", "dir/new"} {
		_, err := s.Stat(s.ctx, key)
		s.want(err, fault.NotFound, "Stat after a broken Create")
	}
	if got := s.listing("", storage.ListOptions{ShowHidden: true}); !strings.Contains(got, "old") ||
		strings.Contains(got, "new") ||
		strings.Contains(got, "work") {
		s.Errorf("the listing shows %q", got)
	}
}

type brokenReader struct{}

func (brokenReader) Read([]byte) (int, error) { return 0, errBroken }

func oneWins(s suite) {
	const n = 8
	var wg sync.WaitGroup
	errs := make([]error, n)
	for i := range n {
		wg.Go(func() {
			_, errs[i] = s.Create(
				s.ctx, "dir/same", strings.NewReader(strings.Repeat(fmt.Sprint(i), 1000)),
				storage.CreateOptions{},
			)
		})
	}
	wg.Wait()
	winner := -1
	for i, err := range errs {
		switch {
		case err == nil && winner < 0:
			winner = i
		case err == nil:
			s.Errorf("%d and %d both made the object", winner, i)
		default:
			s.want(err, fault.Conflict, "a concurrent Create")
		}
	}
	if winner < 0 || s.data("dir/same") != strings.Repeat(fmt.Sprint(winner), 1000) {
		s.Errorf("winner %d, object %.10s", winner, s.data("dir/same"))
	}
}

func seek(s suite) {
	s.put("a", "0123456789")
	o, err := s.Open(s.ctx, "a")
	if err != nil {
		s.Fatal(err)
	}
	defer o.Close()
	if o.Stat().Size != 10 {
		s.Errorf("an open object's Stat is %+v", o.Stat())
	}
	for _, at := range []int64{7, 2, 0, 9} {
		if _, err := o.Seek(at, io.SeekStart); err != nil {
			s.Fatal(err)
		}
		b := make([]byte, 1)
		if _, err := io.ReadFull(o, b); err != nil || b[0] != '0'+byte(at) {
			s.Errorf("at %d: %q, %v", at, b, err)
		}
	}
	if end, err := o.Seek(0, io.SeekEnd); err != nil || end != 10 {
		s.Errorf("the end is at %d, %v", end, err)
	}
}

func list(s suite) {
	for _, key := range []storage.Key{"b.jpg", "B.jpg", "a/x", "a.jpg", "é.jpg", ".hidden", "z/.in/y"} {
		s.put(key, "x")
	}
	if got := s.listing("", storage.ListOptions{}); got != "B.jpg a/ a.jpg b.jpg z/ é.jpg" {
		s.Errorf("listing %q", got)
	}
	if got := s.listing("", storage.ListOptions{ShowHidden: true}); got != ".hidden B.jpg a/ a.jpg b.jpg z/ é.jpg" {
		s.Errorf("listing with hidden %q", got)
	}
	if got := s.listing("z", storage.ListOptions{}); got != "" {
		s.Errorf("listing of z %q", got)
	}
	_, err := storage.Entries(s.List(s.ctx, "a.jpg", storage.ListOptions{}))
	s.want(err, fault.NotFound, "List a file")
	_, err = storage.Entries(s.List(s.ctx, "nowhere", storage.ListOptions{}))
	s.want(err, fault.NotFound, "List nothing")
	for range s.List(s.ctx, "", storage.ListOptions{}) {
		break // a listing may end early
	}
}

func folders(s suite) {
	if err := s.CreateFolder(s.ctx, "a/b"); err != nil {
		s.Fatal(err)
	}
	if st, err := s.Stat(s.ctx, "a/b"); err != nil || !st.IsFolder {
		s.Errorf("Stat = %+v, %v", st, err)
	}
	if got := s.listing("a", storage.ListOptions{}) + s.listing("a/b", storage.ListOptions{}); got != "b/" {
		s.Errorf("listings %q", got)
	}
	s.want(s.CreateFolder(s.ctx, "a/b"), fault.Conflict, "CreateFolder twice")
	s.put("file", "x")
	s.want(s.CreateFolder(s.ctx, "file"), fault.Conflict, "CreateFolder over a file")
	s.want(s.CreateFolder(s.ctx, "file/below"), fault.Conflict, "CreateFolder below a file")
	s.want(s.CreateFolder(s.ctx, ""), fault.Conflict, "CreateFolder of the root")
	_, err := s.Open(s.ctx, "a/b")
	s.want(err, fault.NotFound, "Open a folder")
}

func move(s suite) {
	s.put("a/x", "x")
	s.put("a/sub/y", "y")
	s.put("b", "b")
	s.want(s.Move(s.ctx, "a/x", "b"), fault.Conflict, "Move over a file")
	s.want(s.Move(s.ctx, "a", "a/sub/a"), fault.Invalid, "Move into itself")
	s.want(s.Move(s.ctx, "a/x", "a/x"), fault.Conflict, "Move onto itself")
	s.want(s.Move(s.ctx, "no", "c"), fault.NotFound, "Move nothing")
	s.want(s.Move(s.ctx, "", "c"), fault.Invalid, "Move the root")
	if err := s.Move(s.ctx, "a", "new/place"); err != nil {
		s.Fatal(err)
	}
	if s.data("new/place/x")+s.data("new/place/sub/y") != "xy" {
		s.Error("the folder did not arrive")
	}
	_, err := s.Stat(s.ctx, "a/x")
	s.want(err, fault.NotFound, "Stat of what was moved")
	if err := s.Move(s.ctx, "b", "c"); err != nil || s.data("c") != "b" {
		s.Errorf("moving a file: %v", err)
	}
}

func copying(s suite) {
	s.put("a/x", "x")
	s.put("a/sub/y", "y")
	s.want(s.Copy(s.ctx, "a/x", "a/sub"), fault.Conflict, "Copy over a folder")
	s.want(s.Copy(s.ctx, "a", "a/sub/a"), fault.Invalid, "Copy into itself")
	if err := s.Copy(s.ctx, "a", "b/c"); err != nil {
		s.Fatal(err)
	}
	if got := s.data("a/x") + s.data("a/sub/y") + s.data("b/c/x") + s.data("b/c/sub/y"); got != "xyxy" {
		s.Errorf("after the copy: %q", got)
	}
	if _, err := s.Create(s.ctx, "a/x", strings.NewReader("new"), storage.CreateOptions{Overwrite: true}); err != nil ||
		s.data("b/c/x") != "x" {
		s.Errorf("the copy follows its origin: %v", err)
	}
}

func deleting(s suite) {
	s.put("a/x", "x")
	s.put("a/sub/y", "y")
	s.put("ab", "z")
	s.want(s.Delete(s.ctx, ""), fault.Invalid, "Delete the root")
	s.want(s.Delete(s.ctx, "no"), fault.NotFound, "Delete nothing")
	if err := s.Delete(s.ctx, "a"); err != nil {
		s.Fatal(err)
	}
	if got := s.listing("", storage.ListOptions{ShowHidden: true}); got != "ab" {
		s.Errorf("left is %q", got)
	}
}

func names(s suite) {
	for _, name := range []string{"with space", "ü ñ 漢字 🎉.jpg", "a+b&c=d?e#f%20.png", "..hidden..", "quote'\"<>|*",
		strings.Repeat("n", 255), strings.Repeat("é", 127)} {
		key, err := storage.ParseKey(name)
		if err != nil {
			s.Errorf("ParseKey(%q): %v", name, err)
			continue
		}
		_, err = s.Create(s.ctx, key, strings.NewReader(name), storage.CreateOptions{})
		if strings.HasSuffix(name, ".") && fault.CodeOf(err) == fault.Invalid {
			continue // Azure cannot
		}
		if err != nil {
			s.Errorf("Create(%q): %v", name, err)
		} else if s.data(key) != name {
			s.Errorf("%q does not come back", name)
		}
	}
}

func canceled(s suite) {
	s.put("a", "x")
	ctx, cancel := context.WithCancel(s.ctx)
	cancel()
	_, err := s.Create(ctx, "b", strings.NewReader("x"), storage.CreateOptions{})
	s.want(err, fault.Canceled, "Create with an ended context")
	_, err = s.Stat(s.ctx, "b")
	s.want(err, fault.NotFound, "Stat of what was given up")
}

func missing(s suite) {
	_, err := s.Open(s.ctx, "no/where")
	s.want(err, fault.NotFound, "Open nothing")
	s.put("file", "x")
	_, err = s.Stat(s.ctx, "file/below")
	s.want(err, fault.NotFound, "Stat below a file")
	if err := s.Check(s.ctx); err != nil {
		s.Errorf("Check: %v", err)
	}
}

// parts creates files from parts that are already stored: from one, from several, and from parts that S3 would not
// join.
func parts(s suite) {
	text := func(n int, c string) string { return strings.Repeat(c, n) }
	for i, sizes := range [][]int{{3}, {5 << 20, 6 << 20, 1}, {1, 2}, {5<<20 - 1, 2}} {
		var list []storage.Stat
		all := ""
		for n, size := range sizes {
			data := text(size, string(rune('a'+n)))
			list = append(list, s.put(storage.Key(fmt.Sprintf(".staging/%d/%d", i, n)), data))
			all += data
		}
		target := storage.Key(fmt.Sprintf("made/%d", i))
		create := func(overwrite bool) (storage.Stat, error) {
			o := storage.CreateOptions{ContentType: "image/png", Overwrite: overwrite, Parts: list}
			return s.Create(s.ctx, target, strings.NewReader(all), o)
		}
		made, err := create(false)
		if err != nil {
			s.Fatalf("%v: %v", sizes, err)
		}
		if s.data(target) != all {
			s.Errorf("%v: the file is not what its parts are", sizes)
		}
		now, err := s.Stat(s.ctx, target)
		if err != nil || now.ETag != made.ETag || now.Size != made.Size || made.Size != int64(len(all)) {
			s.Errorf("%v: Create returns %+v, Stat %+v, %v", sizes, made, now, err)
		}
		_, err = create(false)
		s.want(err, fault.Conflict, "Create of parts over a file")
		if _, err := create(true); err != nil {
			s.Errorf("%v: overwriting: %v", sizes, err)
		}
		if s.data(target) != all || s.data(list[0].Key) != all[:sizes[0]] {
			s.Errorf("%v: after overwriting, the file or a part differs", sizes)
		}
	}
}

// versions opens files by version.
func versions(s suite) {
	old := s.put("a", "old")
	empty := s.put("empty", "")
	for _, c := range []struct {
		st   storage.Stat
		want string
	}{{old, "old"}, {empty, ""}} {
		for name, open := range map[string]func(context.Context, storage.Store, storage.Stat) (storage.Object, error){
			"OpenVersion": storage.OpenVersion, "OpenNear": storage.OpenNear,
		} {
			o, err := open(s.ctx, s.Store, c.st)
			if err != nil {
				s.Fatalf("%s: %v", name, err)
			}
			for range 2 {
				got := o.Stat()
				b, err := io.ReadAll(o)
				if err != nil || string(b) != c.want || got.Size != c.st.Size || got.ETag != c.st.ETag {
					s.Errorf("%s: %q, %v, %+v, expected %q", name, b, err, got, c.want)
				}
				if _, err := o.Seek(0, io.SeekStart); err != nil {
					s.Errorf("%s: %v", name, err)
				}
			}
			o.Close()
		}
	}
	if _, err := s.Create(s.ctx, "a", strings.NewReader("new"), storage.CreateOptions{Overwrite: true}); err != nil {
		s.Fatal(err)
	}
	_, err := storage.OpenVersion(s.ctx, s.Store, old)
	if s.want(err, fault.Unavailable, "OpenVersion of a file that was replaced"); !storage.IsChanged(err) {
		s.Errorf("a file that was replaced: %v, expected that it changed", err)
	}
	if err := s.Delete(s.ctx, "a"); err != nil {
		s.Fatal(err)
	}
	_, err = storage.OpenVersion(s.ctx, s.Store, old)
	s.want(err, fault.NotFound, "OpenVersion of a file that was deleted")
}
