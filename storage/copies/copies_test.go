package copies

import (
	"context"
	"io"
	"strings"
	"testing"

	"github.com/safelight/safelight/fault"
	"github.com/safelight/safelight/storage"
)

// writer is a storage that notes media types, and stores other bytes than it gets if it has some.
type writer struct {
	storage.Store
	types map[storage.Key]string
	other string
}

func (w writer) Create(ctx context.Context, k storage.Key, r io.Reader, o storage.CreateOptions) (storage.Stat, error) {
	w.types[k] = o.ContentType
	if w.other != "" {
		_, _ = io.Copy(io.Discard, r)
		r = strings.NewReader(w.other)
	}
	return w.Store.Create(ctx, k, r, o)
}

// TestFile copies files: each has its media type, and a copy of other bytes is an error.
func TestFile(t *testing.T) {
	ctx, from := t.Context(), storage.NewMemory()
	to := writer{Store: storage.NewMemory(), types: map[storage.Key]string{}}
	for k, want := range map[storage.Key]string{"a/b.jxl": "image/jxl", "a.HEIC": "image/heif", "b.JPG": "image/jpeg",
		"c.json": "application/json", "d": "", "jpg": ""} {
		if _, err := from.Create(ctx, k, strings.NewReader("bytes"), storage.CreateOptions{}); err != nil {
			t.Fatal(err)
		}
		source, err := from.Stat(ctx, k)
		if err != nil {
			t.Fatal(err)
		}
		c, err := File(ctx, from, k, to, "to/"+k, false)
		if err != nil || c.Source != source || c.Made.Key != "to/"+k ||
			c.SHA256 != "277089d91c0bdf4f2e6862ba7e4a07605119431f5d13f726dd352b06f1b206a9" {
			t.Errorf("%s: %+v, %v", k, c, err)
		}
		if got := to.types["to/"+k]; got != want {
			t.Errorf("%s: %q, expected %q", k, got, want)
		}
	}
	for name, c := range map[string]struct {
		source    storage.Key
		other     string
		overwrite bool
		code      fault.Code
		made      bool
	}{
		"it is missing":        {"none", "", true, fault.NotFound, false},
		"one is there":         {"d", "", false, fault.Conflict, false},
		"one is replaced":      {"d", "", true, "", true},
		"as long, other bytes": {"d", "BYTES", true, fault.Unavailable, true},
		"too short":            {"d", "byte", true, fault.Unavailable, true},
	} {
		to.other = c.other
		got, err := File(ctx, from, c.source, to, "to/d", c.overwrite)
		if fault.CodeOf(err) != c.code || (got.Made.Key != "") != c.made {
			t.Errorf("%s: %+v, %v", name, got, err)
		}
	}
}
