package storage

import (
	"bytes"
	"context"
	"errors"
	"io"

	"github.com/safelight/safelight/fault"
)

// Mount is a part of a storage that consists of several.
type Mount struct {
	Name     Key // name of its folder in the root; empty for the main storage, which holds everything else
	ReadOnly bool
	Watched  bool // its driver implements Watched, and its changes are atomic
}

// Tree is a storage that consists of several.
type Tree interface {
	Store
	// Mounts returns the parts, the main storage first.
	Mounts() []Mount
	// MountOf returns the part that holds a path.
	MountOf(k Key) Mount
	// Main returns the main storage.
	Main() Store
}

// wrapper is a store that wraps another store.
type wrapper interface{ Unwrap() Store }

// as returns s, or a store that s wraps, as a T.
func as[T any](s Store) (t T, ok bool) {
	for s != nil {
		if t, ok = s.(T); ok {
			return t, true
		}
		w, wraps := s.(wrapper)
		if !wraps {
			break
		}
		s = w.Unwrap()
	}
	return t, false
}

func plain(s Store) Mount {
	_, watched := s.(Watched)
	return Mount{Watched: watched}
}

// Mounts returns the parts of a storage, the main one first. A storage that is not a Tree has only one.
func Mounts(s Store) []Mount {
	if t, ok := as[Tree](s); ok {
		return t.Mounts()
	}
	return []Mount{plain(s)}
}

// MountOf returns the part of a storage that holds a path.
func MountOf(s Store, k Key) Mount {
	if t, ok := as[Tree](s); ok {
		return t.MountOf(k)
	}
	return plain(s)
}

// IsAtomic reports whether a change of these paths is atomic.
func IsAtomic(s Store, keys ...Key) bool {
	first := MountOf(s, keys[0])
	for _, k := range keys[1:] {
		if MountOf(s, k) != first {
			return false
		}
	}
	return first.Watched
}

// WatchedAt returns the storage as a Watched; false if the driver of the folder k does not implement Watched.
func WatchedAt(s Store, k Key) (Watched, bool) {
	w, ok := s.(Watched)
	return w, ok && MountOf(s, k).Watched
}

// CheckPut returns fault.Forbidden if nothing may be written at k because its mount is read-only.
func CheckPut(s Store, k Key) error {
	if m := MountOf(s, k); m.ReadOnly && k != m.Name {
		return fault.OnField(
			fault.Forbidden, "path",
			"%s is read-only: files in it cannot be added, changed, moved or deleted", m.Name,
		)
	}
	return nil
}

// CheckTake returns fault.Forbidden if k may not be moved or deleted: it is the folder of a mount, or in a read-only
// mount.
func CheckTake(s Store, k Key) error {
	if m := MountOf(s, k); m.Name != "" && k == m.Name {
		return fault.OnField(
			fault.Forbidden, "path",
			"%s is a mount: it cannot be moved, copied or deleted itself, but its content can", k,
		)
	}
	return CheckPut(s, k)
}

// SameFiles reports whether two files of a storage have equal bytes.
func SameFiles(ctx context.Context, s Store, a, b Key) (bool, error) {
	one, err := s.Open(ctx, a)
	if err != nil {
		return false, err
	}
	defer one.Close()
	other, err := s.Open(ctx, b)
	if err != nil {
		return false, err
	}
	defer other.Close()
	if one.Stat().Size != other.Stat().Size {
		return false, nil
	}
	same, err := SameBytes(one, other)
	return same, translate(err, a)
}

// SameBytes reports whether two readers have the same content.
func SameBytes(x, y io.Reader) (bool, error) {
	a, b := make([]byte, 64<<10), make([]byte, 64<<10)
	for {
		n, errX := io.ReadFull(x, a)
		m, errY := io.ReadFull(y, b)
		for _, err := range []error{errX, errY} {
			if err != nil && !errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF) {
				return false, err
			}
		}
		if !bytes.Equal(a[:n], b[:m]) {
			return false, nil
		}
		if errX != nil {
			return errY != nil, nil
		}
	}
}

// DeleteVersion deletes a file if it still has the ETag of st; fault.Conflict if its ETag is different.
func DeleteVersion(ctx context.Context, s Store, st Stat) error {
	if b, ok := as[*bucket](s); ok {
		return b.deleteVersion(ctx, st)
	}
	now, err := s.Stat(ctx, st.Key)
	if err != nil {
		return err
	}
	if now.ETag != st.ETag || now.IsFolder {
		return replaced(st.Key)
	}
	return s.Delete(ctx, st.Key)
}

func replaced(k Key) error {
	return fault.OnField(fault.Conflict, "path", "%s has been replaced meanwhile", show(k))
}

func (s *bucket) deleteVersion(ctx context.Context, st Stat) error {
	if err := checkFence(ctx); err != nil {
		return err
	}
	s.folders.invalidate()
	err := s.o.remove(ctx, objectInfo{name: string(st.Key), size: st.Size, modified: st.Modified, etag: st.ETag})
	if errors.Is(err, errChanged) {
		return replaced(st.Key)
	}
	return translateObject(err, st.Key)
}

// Describe returns o with another Stat, for a storage that renames the objects of another storage.
func Describe(o Object, s Stat) Object {
	d := described{o, s}
	if near, ok := o.(Near); ok {
		return nearObject{d, near}
	}
	if p, ok := o.(rangeOpener); ok {
		return partObject{d, p}
	}
	return d
}

type described struct {
	Object
	stat Stat
}

// Stat returns the other description.
func (d described) Stat() Stat { return d.stat }

type nearObject struct {
	described
	near Near
}

// Near implements Near.
func (n nearObject) Near() { n.near.Near() }

type partObject struct {
	described
	rangeOpener
}

// HintsWithin returns a context with those hints of ctx that are about a folder, with keys relative to it. etag
// converts an ETag to the ETag in the folder's storage.
func HintsWithin(ctx context.Context, folder Key, etag func(string) string) context.Context {
	k := hintsIn(ctx)
	within := Hints{FilesOnly: k.FilesOnly}
	cut := func(k Key) (Key, bool) {
		if k == folder || !folder.Holds(k) {
			return "", false
		}
		return k[len(folder)+1:], true
	}
	within.Fresh, _ = cut(k.Fresh)
	for _, f := range k.Folders {
		if f, ok := cut(f); ok {
			within.Folders = append(within.Folders, f)
		}
	}
	for _, f := range k.Files {
		name, ok := cut(f.Key)
		if f.Key, f.ETag = name, etag(f.ETag); ok {
			within.Files = append(within.Files, f)
		}
	}
	return WithHints(ctx, within)
}
