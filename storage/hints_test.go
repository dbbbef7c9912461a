package storage_test

import (
	"io"
	"os"
	"strings"
	"testing"

	"github.com/safelight/safelight/fault"
	"github.com/safelight/safelight/storage"
	"github.com/safelight/safelight/storage/storagetest"
)

// TestKnown moves and creates with what a caller knows of the names, right or wrong: it decides how many requests are
// made, not what they do.
func TestKnown(t *testing.T) {
	for name, open := range map[string]func(*testing.T) storage.Store{
		"memory": func(*testing.T) storage.Store { return storage.NewMemory() },
		"s3":     func(t *testing.T) storage.Store { return storagetest.NewCounted(t) },
	} {
		t.Run(name, func(t *testing.T) {
			if name == "s3" && os.Getenv(storagetest.S3Variable) == "" {
				t.Skip("no S3 server")
			}
			testKnown(t, open(t))
		})
	}
}

func testKnown(t *testing.T, s storage.Store) {
	create := func(k storage.Key, data string, known storage.Hints) storage.Stat {
		t.Helper()
		st, err := s.Create(
			storage.WithHints(t.Context(), known), k, strings.NewReader(data),
			storage.CreateOptions{Overwrite: true},
		)
		if err != nil {
			t.Fatal(err)
		}
		return st
	}
	holds := func(k storage.Key, want string) {
		t.Helper()
		o, err := s.Open(t.Context(), k)
		if err != nil {
			t.Fatal(err)
		}
		defer o.Close()
		if data, err := io.ReadAll(o); err != nil || string(data) != want {
			t.Errorf("%s holds %q, %v, expected %q", k, data, err, want)
		}
	}
	move := func(from, to storage.Key, known storage.Hints, code fault.Code) {
		t.Helper()
		if err := s.Move(storage.WithHints(t.Context(), known), from, to); fault.CodeOf(err) != code {
			t.Errorf("moving %s to %s: %v, expected %q", from, to, err, code)
		}
	}
	old := create("a", "old", storage.Hints{})
	known := storage.Hints{Files: []storage.Stat{old}}
	create("a", "new", storage.Hints{})
	move("a", "b", known, "") // another version
	holds("b", "new")
	move("a", "c", known, fault.NotFound) // nothing
	create("taken", "mine", storage.Hints{})
	back := create("a", "again", storage.Hints{})
	move("a", "taken", storage.Hints{Files: []storage.Stat{back}}, fault.Conflict)
	holds("taken", "mine")
	holds("a", "again")
	if err := s.Delete(t.Context(), "a"); err != nil {
		t.Fatal(err)
	}
	create("a/in", "inside", storage.Hints{Folders: []storage.Key{"a"}}) // a folder that is not there
	move("a", "d", known, "")                                            // a folder
	holds("d/in", "inside")
	create("fresh/1/x", "x", storage.Hints{Fresh: "fresh/1"})
	move("d/in", "fresh/1/y", storage.Hints{Fresh: "fresh/1"}, "")
	holds("fresh/1/x", "x")
	holds("fresh/1/y", "inside")
	if _, err := s.Stat(storage.FilesOnly(t.Context()), "fresh"); fault.CodeOf(err) != fault.NotFound {
		t.Errorf("a folder where names are those of files: %v", err)
	}
}
