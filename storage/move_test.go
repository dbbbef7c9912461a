package storage

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/safelight/safelight/fault"
)

// hooked is a memory that calls hooks before its operations.
type hooked struct {
	*memory
	beforeCopy, beforeRemove func(name string)
}

func (h *hooked) copy(ctx context.Context, from objectInfo, to string) (objectInfo, error) {
	h.beforeCopy(from.name)
	return h.memory.copy(ctx, from, to)
}

func (h *hooked) remove(ctx context.Context, o objectInfo) error {
	h.beforeRemove(o.name)
	return h.memory.remove(ctx, o)
}

// newHooked returns a bucket of dir/0 to dir/9.
func newHooked(t *testing.T) (*bucket, *hooked) {
	nothing := func(string) {}
	h := &hooked{memory: &memory{objects: map[string]memoryObject{}}, beforeCopy: nothing, beforeRemove: nothing}
	s := &bucket{o: h}
	for i := range 10 {
		store(t, s, Key(fmt.Sprintf("dir/%d", i)), "old", false)
	}
	return s, h
}

func store(t *testing.T, s Store, k Key, text string, overwrite bool) {
	t.Helper()
	if _, err := s.Create(t.Context(), k, strings.NewReader(text), CreateOptions{Overwrite: overwrite}); err != nil {
		t.Errorf("Create(%s): %v", k, err)
	}
}

// all returns every file as key=content.
func all(t *testing.T, s *bucket) string {
	t.Helper()
	var list []string
	for o, err := range eachObject(t.Context(), s.o, "") {
		if err != nil {
			t.Fatal(err)
		}
		if strings.HasSuffix(o.name, "/") {
			continue
		}
		r, _, err := s.o.get(t.Context(), o.name, 0, -1, "")
		if err != nil {
			t.Fatal(err)
		}
		text, _ := io.ReadAll(r)
		list = append(list, o.name+"="+string(text))
	}
	slices.Sort(list)
	return strings.Join(list, " ")
}

func tenAt(dir string, without ...int) []string {
	var list []string
	for i := range 10 {
		if !slices.Contains(without, i) {
			list = append(list, fmt.Sprintf("%s/%d=old", dir, i))
		}
	}
	return list
}

// TestMoveKeepsWhatComesMeanwhile uploads and replaces files while a folder is moved or deleted: none is lost.
func TestMoveKeepsWhatComesMeanwhile(t *testing.T) {
	for _, c := range []struct {
		name     string
		atRemove bool // the upload comes when the first object is removed, else when the first is copied
		key      Key
		delete   bool
		want     []string
	}{
		{"a new file while it is copied", false, "dir/new", false, append(tenAt("to"), "dir/new=new")},
		{"a new file while it is removed", true, "dir/new", false, append(tenAt("to"), "dir/new=new")},
		{"a file replaced before it is copied", false, "dir/3", false, append(tenAt("to", 3), "to/3=new")},
		{"a file replaced after it was copied", true, "dir/3", false, append(tenAt("to"), "dir/3=new")},
		{"a new file while the folder is deleted", true, "dir/new", true, []string{"dir/new=new"}},
		{"a file replaced while the folder is deleted", true, "dir/3", true, []string{"dir/3=new"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			s, h := newHooked(t)
			var once sync.Once
			hook := func(string) { once.Do(func() { store(t, s, c.key, "new", true) }) }
			if c.atRemove {
				h.beforeRemove = hook
			} else {
				h.beforeCopy = hook
			}
			var failed error
			if c.delete {
				failed = s.Delete(t.Context(), "dir")
			} else {
				failed = s.Move(t.Context(), "dir", "to")
			}
			if failed != nil {
				t.Error(failed)
			}
			slices.Sort(c.want)
			if got := all(t, s); got != strings.Join(c.want, " ") {
				t.Errorf("the store holds\n%s, expected\n%s", got, strings.Join(c.want, " "))
			}
		})
	}
}

// TestMoveOfTwoFoldersToOneName lets two moves pass the look at the target before either takes it.
func TestMoveOfTwoFoldersToOneName(t *testing.T) {
	s, h := newHooked(t)
	store(t, s, "other/0", "other", false)
	var once sync.Once
	h.beforeCopy = func(string) {
		once.Do(func() {
			if err := s.Move(t.Context(), "other", "to"); fault.CodeOf(err) != fault.Conflict {
				t.Errorf("the second move: %v, expected a conflict", err)
			}
		})
	}
	if err := s.Move(t.Context(), "dir", "to"); err != nil {
		t.Error(err)
	}
	want := append(tenAt("to"), "other/0=other")
	slices.Sort(want)
	if got := all(t, s); got != strings.Join(want, " ") {
		t.Errorf("the store holds %s", got)
	}
}

// TestMoveGivenUp ends the context in the middle: nothing is left at the target, nothing is gone.
func TestMoveGivenUp(t *testing.T) {
	s, h := newHooked(t)
	ctx, cancel := context.WithCancel(t.Context())
	h.beforeCopy = func(name string) {
		if name == "dir/5" {
			cancel()
		}
	}
	if err := s.Move(ctx, "dir", "to"); fault.CodeOf(err) != fault.Canceled {
		t.Errorf("Move: %v, expected CANCELED", err)
	}
	if got := all(t, s); got != strings.Join(tenAt("dir"), " ") {
		t.Errorf("the store holds %s", got)
	}
}

// TestPagesOfSimilarNames lists folders among files whose names start with theirs, in pages of each size.
func TestPagesOfSimilarNames(t *testing.T) {
	s := NewMemory()
	var want []string
	for _, name := range []string{"-", "-a", "a", "a!", "a-1", "a-2", "a.jpg", "a.jpg.json", "a0", "ab", "b c", "b.d.e",
		"c"} {
		want = append(want, name)
		switch name {
		case "a", "a.jpg", "b.d.e", "-":
			name += "/inside"
		}
		store(t, s, Key("dir/"+name), "x", false)
	}
	slices.Sort(want)
	for limit := 1; limit <= len(want)+1; limit++ {
		var got []string
		for e, err := range s.(*bucket).entries(t.Context(), "dir", ListOptions{}, limit) {
			if err != nil {
				t.Fatal(err)
			}
			got = append(got, e.Key.Name())
		}
		if slices.Sort(got); !slices.Equal(got, want) {
			t.Errorf("pages of %d: %q, expected %q", limit, got, want)
		}
	}
}
