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

// TestEachReadsOnce goes through 100,000 files of one folder, whose names are to be read once: a page at a time
// they would be read a hundred times.
func TestEachReadsOnce(t *testing.T) {
	const files = 100_000
	dir := t.TempDir()
	for i := range files {
		if err := os.WriteFile(filepath.Join(dir, fmt.Sprintf("img%06d.jpg", i)), nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	s, n := openLocal(t, dir), 0
	for e, err := range storage.Each(t.Context(), s, "", storage.ListOptions{}) {
		if want := storage.Key(fmt.Sprintf("img%06d.jpg", n)); err != nil || e.Key != want {
			t.Fatalf("entry %d is %s, %v, expected %s", n, e.Key, err, want)
		}
		n++
	}
	if reads := storage.FolderReads(s); n != files || reads != 1 {
		t.Errorf("%d entries in %d reads of the folder, expected %d in 1", n, reads, files)
	}
}

// plain hides what a store can beyond storage.Store; front stands before one.
type (
	plain struct{ storage.Store }
	front struct{ plain }
)

// Unwrap returns the store behind.
func (f front) Unwrap() storage.Store { return f.Store }

func TestEach(t *testing.T) {
	local := openLocal(t, t.TempDir())
	for name, s := range map[string]storage.Store{
		"local": local, "plain": plain{openLocal(t, t.TempDir())}, "front": front{plain{openLocal(t, t.TempDir())}},
		"bucket": storage.NewMemory(),
	} {
		t.Run(name, func(t *testing.T) {
			for i := range 1003 {
				if _, err := s.Create(t.Context(), storage.Key(fmt.Sprintf("d/f%04d", i)), strings.NewReader("x"), storage.CreateOptions{}); err != nil {
					t.Fatal(err)
				}
			}
			if _, err := s.Create(t.Context(), "d/.hidden", strings.NewReader("x"), storage.CreateOptions{}); err != nil {
				t.Fatal(err)
			}
			n := 0
			for _, err := range storage.Each(t.Context(), s, "d", storage.ListOptions{PageToken: "f0001"}) {
				if err != nil {
					t.Fatal(err)
				}
				n++
			}
			if n != 1001 {
				t.Errorf("%d entries after the second, expected 1001", n)
			}
			for range storage.Each(t.Context(), s, "d", storage.ListOptions{ShowHidden: true}) {
				break // an early end is none of its business
			}
			n = 0
			for _, err := range storage.Each(t.Context(), s, "d/f0000", storage.ListOptions{}) {
				if n++; n > 1 || fault.CodeOf(err) != fault.NotFound {
					t.Errorf("entry %d of a file: %v, expected NOT_FOUND", n, err)
				}
			}
		})
	}
}
