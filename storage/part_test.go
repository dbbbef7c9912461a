package storage_test

import (
	"io"
	"strings"
	"testing"

	"github.com/safelight/safelight/fault"
	"github.com/safelight/safelight/storage"
)

// TestPart reads parts of an object of either kind, and never of two versions of it.
func TestPart(t *testing.T) {
	local, err := storage.OpenLocal(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	for name, store := range map[string]storage.Store{"files": local, "bucket": storage.NewMemory()} {
		t.Run(name, func(t *testing.T) {
			defer store.Close()
			write(t, store, "a", "0123456789")
			o, err := store.Open(t.Context(), "a")
			if err != nil {
				t.Fatal(err)
			}
			defer o.Close()
			for _, c := range []struct {
				offset, length int64
				want           string
			}{{0, 3, "012"}, {7, 3, "789"}, {4, 1, "4"}, {0, 10, "0123456789"}, {10, 0, ""}} {
				if got, err := part(o, c.offset, c.length); got != c.want || err != nil {
					t.Errorf("%d from %d: %q, %v", c.length, c.offset, got, err)
				}
			}
			if got, err := part(o, 8, 5); got != "89" || err != io.ErrUnexpectedEOF {
				t.Errorf("more than there is: %q, %v", got, err)
			}
			if _, err := o.Seek(-4, io.SeekEnd); err != nil {
				t.Fatal(err)
			}
			if rest, err := io.ReadAll(o); string(rest) != "6789" || err != nil {
				t.Errorf("after a seek: %q, %v", rest, err)
			}
			write(t, store, "a", "the other one")
			if got, err := part(o, 0, 3); got != "012" && (got != "" || fault.CodeOf(err) != fault.Unavailable) {
				t.Errorf("after a replacement: %q, %v", got, err)
			}
		})
	}
}

func write(t *testing.T, s storage.Store, k storage.Key, text string) {
	t.Helper()
	if _, err := s.Create(t.Context(), k, strings.NewReader(text), storage.CreateOptions{Overwrite: true}); err != nil {
		t.Fatal(err)
	}
}

func part(o storage.Object, offset, length int64) (string, error) {
	r, err := storage.Part(o, offset, length)
	if err != nil {
		return "", err
	}
	defer r.Close()
	b, err := io.ReadAll(r)
	return string(b), err
}
