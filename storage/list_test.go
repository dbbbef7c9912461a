package storage_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/safelight/safelight/fault"
	"github.com/safelight/safelight/storage"
)

// TestListReadsOnce lists 10,000 files of one folder, whose names are read once.
func TestListReadsOnce(t *testing.T) {
	const files = 10_000
	dir := t.TempDir()
	for i := range files {
		if err := os.WriteFile(filepath.Join(dir, fmt.Sprintf("img%06d.jpg", i)), nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	s, n := openLocal(t, dir), 0
	for e, err := range s.List(t.Context(), "", storage.ListOptions{}) {
		if want := storage.Key(fmt.Sprintf("img%06d.jpg", n)); err != nil || e.Key != want {
			t.Fatalf("entry %d is %s, %v, expected %s", n, e.Key, err, want)
		}
		n++
	}
	if reads := storage.FolderReads(s); n != files || reads != 1 {
		t.Errorf("%d entries in %d reads of the folder, expected %d in 1", n, reads, files)
	}
}

// TestList lists more entries than a bucket sends at once.
func TestList(t *testing.T) {
	for name, s := range map[string]storage.Store{
		"local": openLocal(t, t.TempDir()), "bucket": storage.NewMemory(),
	} {
		t.Run(name, func(t *testing.T) {
			for i := range 1003 {
				if _, err := s.Create(t.Context(), storage.Key(fmt.Sprintf("d/f%04d", i)), strings.NewReader("x"),
					storage.CreateOptions{}); err != nil {
					t.Fatal(err)
				}
			}
			if _, err := s.Create(t.Context(), "d/.hidden", strings.NewReader("x"),
				storage.CreateOptions{}); err != nil {
				t.Fatal(err)
			}
			n := 0
			for _, err := range s.List(t.Context(), "d", storage.ListOptions{}) {
				if err != nil {
					t.Fatal(err)
				}
				n++
			}
			if n != 1003 {
				t.Errorf("%d entries, expected 1003", n)
			}
			n = 0
			for _, err := range s.List(t.Context(), "d/f0000", storage.ListOptions{}) {
				if n++; n > 1 || fault.CodeOf(err) != fault.NotFound {
					t.Errorf("entry %d of a file: %v, expected NOT_FOUND", n, err)
				}
			}
		})
	}
}
