package storage_test

import (
	"errors"
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/safelight/safelight/storage"
)

// TestSameBytes compares readers. One that fails is not different: whoever asks would take both for files of their own.
func TestSameBytes(t *testing.T) {
	failed, long := errors.New("failed"), strings.Repeat("x", 64<<10)
	for _, c := range []struct {
		name, one string
		other     io.Reader
		same      bool
		err       error
	}{
		{"nothing", "", strings.NewReader(""), true, nil},
		{"one block", long, strings.NewReader(long), true, nil},
		{"small reads", long + "a", iotest.OneByteReader(strings.NewReader(long + "a")), true, nil},
		{"the last byte", long + "a", strings.NewReader(long + "b"), false, nil},
		{"shorter", long, strings.NewReader(long[1:]), false, nil},
		{"longer", long, strings.NewReader(long + "x"), false, nil},
		{"an error", long, io.MultiReader(strings.NewReader(long[1:]), iotest.ErrReader(failed)), false, failed},
		{"an error after the same bytes", "a", io.MultiReader(strings.NewReader("a"), iotest.ErrReader(failed)), false,
			failed},
	} {
		if same, err := storage.SameBytes(strings.NewReader(c.one), c.other); same != c.same || !errors.Is(err, c.err) {
			t.Errorf("%s: %v %v", c.name, same, err)
		}
		if same, err := storage.SameBytes(c.other, strings.NewReader(c.one)); c.err != nil &&
			(same || !errors.Is(err, c.err)) {
			t.Errorf("%s, the other way: %v %v", c.name, same, err)
		}
	}
}
