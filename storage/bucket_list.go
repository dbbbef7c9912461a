package storage

import (
	"context"
	"iter"
	"sort"
	"strings"

	"github.com/safelight/safelight/fault"
)

// List implements Store, with one request per maxObjectPage entries.
func (s *bucket) List(ctx context.Context, k Key, o ListOptions) iter.Seq2[Stat, error] {
	return s.entries(ctx, k, o, maxObjectPage)
}

// entries yields the entries of a folder in the order of the bucket, with requests for pages of the given size. In
// order of names, the folder a would precede the file a-1, which the bucket lists before `a/`.
func (s *bucket) entries(ctx context.Context, k Key, opts ListOptions, size int) iter.Seq2[Stat, error] {
	prefix := ""
	if k != "" {
		prefix = string(k) + "/"
	}
	return func(yield func(Stat, error) bool) {
		var files fileNames
		found := false
		for page, err := range s.o.list(ctx, prefix, true, size) {
			if err != nil {
				yield(Stat{}, translateObject(err, k))
				return
			}
			found = found || len(page) > 0
			sort.Slice(page, func(i, j int) bool { return page[i].name < page[j].name })
			for _, o := range page {
				entry, ok := entryOf(o, prefix)
				if !ok || !opts.ShowHidden && strings.HasPrefix(entry.Key.Name(), ".") || files.shadow(entry, o.name) {
					continue
				}
				if !yield(entry, nil) {
					return
				}
			}
		}
		if !found && k != "" {
			yield(Stat{}, s.noFolder(ctx, k))
		}
	}
}

// noFolder returns the error for a folder without objects.
func (s *bucket) noFolder(ctx context.Context, k Key) error {
	if st, err := s.Stat(ctx, k); err == nil && !st.IsFolder {
		return fault.OnField(fault.NotFound, "path", "%s is a file, expected a folder", show(k))
	} else if err != nil {
		return err
	}
	return notFound(k)
}

// fileNames is a stack of the files in a listing after which a folder of the same name may still follow; each name is a
// prefix of the next.
type fileNames []string

// shadow adds the next entry in the order of the bucket, and reports whether it is a folder with the name of a file.
// Such a folder is not listed, because its name opens the file.
func (f *fileNames) shadow(entry Stat, name string) bool {
	for len(*f) > 0 && !strings.HasPrefix(name, (*f)[len(*f)-1]) {
		*f = (*f)[:len(*f)-1]
	}
	if !entry.IsFolder {
		*f = append(*f, name)
		return false
	}
	return len(*f) > 0 && (*f)[len(*f)-1]+"/" == name
}

// entryOf returns the entry of an object; false for the marker of the listed folder and for a name that no key can
// have.
func entryOf(o objectInfo, prefix string) (Stat, bool) {
	rest := strings.TrimPrefix(o.name, prefix)
	name := strings.TrimSuffix(rest, "/")
	key, err := ParseKey(prefix + name)
	if name == "" || err != nil || string(key) != prefix+name {
		return Stat{}, false
	}
	if o.isPrefix || name != rest {
		return Stat{Key: key, Modified: o.modified, IsFolder: true}, true
	}
	return statOf(key, o), true
}
