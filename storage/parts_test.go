package storage_test

import (
	"bytes"
	"io"
	"os"
	"strings"
	"testing"

	"github.com/safelight/safelight/fault"
	"github.com/safelight/safelight/storage"
	"github.com/safelight/safelight/storage/storagetest"
)

// unread is the reader of a file that is not to be read.
type unread struct{ t *testing.T }

// Read implements io.Reader.
func (u unread) Read([]byte) (int, error) {
	u.t.Error("the bytes of a file are read whose parts S3 can put together")
	return 0, io.EOF
}

// TestS3Parts checks that S3 puts parts together, from the versions that were seen, and that a failure leaves nothing.
func TestS3Parts(t *testing.T) {
	c := storagetest.NewCounted(t)
	var parts []storage.Stat
	for _, k := range []storage.Key{"p/0", "p/1", "p/2"} {
		st, err := c.Create(t.Context(), k, bytes.NewReader(make([]byte, 5<<20)), storage.CreateOptions{})
		if err != nil {
			t.Fatal(err)
		}
		parts = append(parts, st)
	}
	create := func(k storage.Key, parts []storage.Stat) error {
		_, err := c.Create(t.Context(), k, unread{t}, storage.CreateOptions{ContentType: "image/png", Parts: parts})
		return err
	}
	for _, n := range []int{1, 3} {
		got := c.Traffic(t, func() error { return create(storage.Key(strings.Repeat("x", n)), parts[:n]) })
		if got.Kinds["COPY"] != n || got.Requests > n+4 || got.Sent+got.Received > 10_000 {
			t.Errorf("a file of %d parts: %+v", n, got)
		}
	}
	other := storage.CreateOptions{Overwrite: true}
	if _, err := c.Create(t.Context(), "p/0", strings.NewReader("other"), other); err != nil {
		t.Fatal(err)
	}
	for _, n := range []int{1, 3} {
		if err := create("new", parts[:n]); fault.CodeOf(err) != fault.Unavailable {
			t.Errorf("a part of %d was replaced: %v", n, err)
		}
		if _, err := c.Stat(t.Context(), "new"); fault.CodeOf(err) != fault.NotFound {
			t.Errorf("a file of parts that were replaced is there: %v", err)
		}
	}
}

// TestSpool checks that more than a few bytes are in a file that has no name, and that both kinds can be read again.
func TestSpool(t *testing.T) {
	folder := t.TempDir()
	t.Setenv("TMPDIR", folder)
	for _, size := range []int{0, 1000, 64 << 10, 64<<10 + 1, 1 << 20} {
		data := bytes.Repeat([]byte("0123456789abcdef"), size/16+1)[:size]
		s := &storage.Spool{}
		for rest := data; len(rest) > 0; rest = rest[min(777, len(rest)):] {
			if _, err := s.Write(rest[:min(777, len(rest))]); err != nil {
				t.Fatal(err)
			}
		}
		o := s.Object(storage.Stat{Size: int64(size)})
		for range 2 {
			if got, err := io.ReadAll(o); err != nil || !bytes.Equal(got, data) {
				t.Errorf("%d bytes: %d are read, %v", size, len(got), err)
			}
			if _, err := o.Seek(0, io.SeekStart); err != nil {
				t.Error(err)
			}
		}
		if _, isFile := o.(interface{ Fd() uintptr }); isFile != (size > 64<<10) {
			t.Errorf("%d bytes are in a file: %v", size, isFile)
		}
		if left, err := os.ReadDir(folder); err != nil || len(left) > 0 {
			t.Errorf("%d bytes: %v are left in the folder for temporary files, %v", size, left, err)
		}
		s.Close()
	}
	t.Setenv("TMPDIR", folder+"/missing")
	if _, err := new(storage.Spool).Write(make([]byte, 1<<20)); fault.CodeOf(err) != fault.Unavailable {
		t.Errorf("no folder for temporary files: %v", err)
	}
	m := storage.NewMemory()
	st, err := m.Create(t.Context(), "a", bytes.NewReader(make([]byte, 1<<20)), storage.CreateOptions{})
	if err != nil {
		t.Fatal(err)
	}
	o, err := storage.OpenNear(t.Context(), m, st)
	if err != nil {
		t.Fatal(err)
	}
	defer o.Close()
	if n, err := io.Copy(io.Discard, o); err != nil || n != st.Size {
		t.Errorf("without a folder for temporary files: %d bytes, %v", n, err)
	}
}
