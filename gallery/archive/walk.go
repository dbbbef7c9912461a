package archive

import (
	"context"
	"time"

	"github.com/safelight/safelight/fault"
	"github.com/safelight/safelight/gallery/access"
	"github.com/safelight/safelight/gallery/search"
	"github.com/safelight/safelight/storage"
)

// entry is a file of an archive.
type entry struct {
	key      storage.Key
	name     string // in the ZIP
	size     int64
	modified time.Time
}

// walker collects the files below some paths.
type walker struct {
	*Archives
	scope access.Scope // of the caller
	list  []entry
	bytes int64
	taken names
}

// walk returns the visible files at and below paths that the caller may see. Each file's name in the archive
// starts with the last segment of its path. It skips folders that are reached through symbolic links.
func (a *Archives) walk(ctx context.Context, keys []storage.Key) ([]entry, error) {
	scope, err := a.access.Scope(ctx)
	if err != nil {
		return nil, err
	}
	w := &walker{Archives: a, scope: scope, taken: names{}}
	tops := names{}
	for _, k := range keys {
		if !scope.Leads(string(k)) {
			return nil, fault.OnField(fault.NotFound, "path", "%s does not exist", k)
		}
		s, err := a.store.Stat(ctx, k)
		if err != nil {
			return nil, err
		}
		top := tops.take(safeSegment(k.Name()))
		if !s.IsFolder {
			err = w.add(s, top)
		} else {
			err = w.folder(ctx, k, top)
		}
		if err != nil {
			return nil, err
		}
	}
	return w.list, nil
}

func (w *walker) folder(ctx context.Context, k storage.Key, name string) error {
	for s, err := range w.store.List(ctx, k, storage.ListOptions{}) {
		if err != nil {
			return err
		}
		inside := name + "/" + safeSegment(s.Key.Name())
		switch {
		case !w.scope.Leads(string(s.Key)):
		case s.IsFolder && s.Linked, !s.IsFolder && search.IsPreview(s.Key.Name()):
		case s.IsFolder:
			err = w.folder(ctx, s.Key, inside)
		default:
			err = w.add(s, inside)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// add adds a file. It returns fault.TooLarge beyond the limits.
func (w *walker) add(s storage.Stat, name string) error {
	if len(w.list) >= w.config.MaxFiles {
		return fault.New(
			fault.TooLarge, "the selection has more than %d files: select fewer",
			w.config.MaxFiles,
		)
	}
	if w.bytes += s.Size; w.bytes > w.config.MaxBytes {
		return fault.New(
			fault.TooLarge, "the selection has more than %d bytes: select less",
			w.config.MaxBytes,
		)
	}
	w.list = append(w.list, entry{key: s.Key, name: w.taken.take(name), size: s.Size, modified: s.Modified})
	return nil
}
