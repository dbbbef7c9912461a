package storage

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"iter"
	"os"
	"path"
	"slices"
	"strings"

	"golang.org/x/text/unicode/norm"

	"github.com/safelight/safelight/fault"
)

// List implements Store. It reads the names of the folder only once.
func (l *local) List(ctx context.Context, k Key, o ListOptions) iter.Seq2[Stat, error] {
	return func(yield func(Stat, error) bool) {
		names, err := l.folderNames(ctx, k, o)
		if err != nil {
			yield(Stat{}, err)
			return
		}
		for _, name := range names {
			s, err := l.Stat(ctx, k.Join(name))
			if fault.CodeOf(err) == fault.NotFound {
				continue // deleted in the meantime, or a link that leads out of the root
			}
			if err == nil && s.IsFolder {
				s.Linked = l.isLink(s.Key)
			}
			if !yield(s, err) || err != nil {
				return
			}
		}
	}
}

func (l *local) folderNames(ctx context.Context, k Key, o ListOptions) ([]string, error) {
	s, err := l.Stat(ctx, k)
	if err != nil {
		return nil, err
	}
	if !s.IsFolder {
		return nil, fault.OnField(fault.NotFound, "path", "%s is a file, expected a folder", show(k))
	}
	dir, err := l.fileName(k)
	if err != nil {
		return nil, err
	}
	names, err := l.names(dir, k, o)
	return names, translate(err, k)
}

// isLink reports whether the last part of a key is a symbolic link.
func (l *local) isLink(k Key) bool {
	name, err := l.fileName(k)
	if err != nil {
		return false
	}
	info, err := l.root.Lstat(name)
	return err == nil && info.Mode()&fs.ModeSymlink != 0
}

// names returns the sorted names of a folder, without names that are not valid in a key.
func (l *local) names(dir string, k Key, o ListOptions) ([]string, error) {
	f, err := l.root.Open(dir)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	l.reads.Add(1)
	all, err := f.Readdirnames(-1)
	if err != nil {
		return nil, err
	}
	names := all[:0]
	for _, name := range all {
		name = norm.NFC.String(name)
		if strings.HasPrefix(name, ".") && (!o.ShowHidden || k == "" && name == workFolder) {
			continue
		}
		if _, err := ParseKey(string(k.Join(name))); err == nil {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return slices.Compact(names), nil
}

// CreateFolder implements Store.
func (l *local) CreateFolder(ctx context.Context, k Key) error {
	if err := checkFence(ctx); err != nil {
		return err
	}
	if _, err := l.Stat(ctx, k); err == nil {
		return exists(k)
	}
	name, err := l.fileName(k)
	if err != nil {
		return err
	}
	if err := l.root.MkdirAll(path.Dir(name), 0o750); err != nil {
		return translate(parentIsFile(err), k)
	}
	if err := l.root.Mkdir(name, 0o750); err != nil {
		return translate(err, k)
	}
	l.sync(path.Dir(name))
	return nil
}

// pair checks two keys of a copy or move and returns their file names.
func (l *local) pair(ctx context.Context, from, to Key) (source, target string, err error) {
	if from == "" || to == "" {
		return "", "", isRoot()
	}
	if _, err := l.Stat(ctx, from); err != nil {
		return "", "", err
	}
	if from != to && from.Holds(to) {
		return "", "", intoItself(from)
	}
	if err := checkFence(ctx); err != nil {
		return "", "", err
	}
	if source, err = l.fileName(from); err == nil {
		target, err = l.fileName(to)
	}
	return source, target, err
}

// Move implements Store.
func (l *local) Move(ctx context.Context, from, to Key) error {
	source, target, err := l.pair(ctx, from, to)
	if err != nil {
		return err
	}
	return l.renameTo(source, target, to)
}

// renameTo renames source to target, which must be free.
func (l *local) renameTo(source, target string, to Key) error {
	if err := l.root.MkdirAll(path.Dir(target), 0o750); err != nil {
		return translate(parentIsFile(err), to)
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if _, err := l.root.Lstat(target); err == nil {
		return exists(to)
	}
	if err := l.root.Rename(source, target); err != nil {
		return translate(err, to)
	}
	l.sync(path.Dir(source))
	l.sync(path.Dir(target))
	return nil
}

// Copy implements Store.
func (l *local) Copy(ctx context.Context, from, to Key) error {
	source, target, err := l.pair(ctx, from, to)
	if err != nil {
		return err
	}
	if _, err := l.root.Lstat(target); err == nil {
		return exists(to)
	}
	// The copy is made in the work folder, so that it appears at once.
	temp := l.tempName()
	defer l.root.RemoveAll(temp)
	if err := l.copyTree(ctx, source, temp); err != nil {
		return translate(err, from)
	}
	return l.renameTo(temp, target, to)
}

func (l *local) copyTree(ctx context.Context, source, target string) error {
	info, err := l.root.Stat(source)
	if err != nil {
		return err
	}
	if !info.IsDir() {
		return l.copyFile(ctx, source, target)
	}
	if err := l.root.Mkdir(target, 0o750); err != nil {
		return err
	}
	f, err := l.root.Open(source)
	if err != nil {
		return err
	}
	entries, err := f.ReadDir(-1)
	f.Close()
	if err != nil {
		return err
	}
	for _, e := range entries {
		if !e.IsDir() && !e.Type().IsRegular() {
			continue // links and devices are not copied
		}
		if err := l.copyTree(ctx, source+"/"+e.Name(), target+"/"+e.Name()); err != nil {
			return err
		}
	}
	return nil
}

func (l *local) copyFile(ctx context.Context, source, target string) error {
	f, err := l.root.Open(source)
	if err != nil {
		return err
	}
	defer f.Close()
	return l.write(ctx, target, io.Reader(f))
}

// Delete implements Store.
func (l *local) Delete(ctx context.Context, k Key) error {
	if k == "" {
		return isRoot()
	}
	if err := ctx.Err(); err != nil {
		return translate(err, k)
	}
	name, err := l.fileName(k)
	if err != nil {
		return err
	}
	if err := checkFence(ctx); err != nil {
		return err
	}
	// The rename makes the whole folder disappear at once; its content is removed afterwards.
	temp := l.tempName()
	if err := l.root.Rename(name, temp); err != nil {
		if errors.Is(err, fs.ErrNotExist) || os.IsNotExist(notDir(err)) {
			return notFound(k)
		}
		return translate(err, k)
	}
	l.sync(path.Dir(name))
	if err := l.root.RemoveAll(temp); err != nil {
		return translate(err, k)
	}
	return nil
}
