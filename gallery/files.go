package gallery

import (
	"context"
	"errors"
	"path"
	"strings"
	"time"

	"github.com/safelight/safelight/fault"
	"github.com/safelight/safelight/imaging"
	"github.com/safelight/safelight/storage"
)

// FileItem is a file or a folder of the gallery.
type FileItem struct {
	Name         string
	Path         string
	Size         int64 // bytes; 0 for a folder
	IsDirectory  bool
	ModifiedTime time.Time
	ETag         string
	Thumbnails   *ThumbnailURLs // nil for folders and for files that are no pictures
}

// ThumbnailURLs are signed URLs of one picture.
type ThumbnailURLs struct{ Grid, Preview, Full, Original, Meta string }

// FileList is a part of a folder; TotalCount counts all that match.
type FileList struct {
	Items      []*FileItem
	TotalCount int
}

// StorageStatus says where files lie.
type StorageStatus struct {
	Configured           bool
	Type                 string // "file" or "s3"
	Place                string // folder or bucket
	Reachable            bool
	IsOverriddenByConfig bool
	LastUpdated          *time.Time // when an admin last chose one; nil when none did
	RestartRequired      bool       // one was chosen that is not in use yet
}

// key parses a path that something is written to or removed from: visible, and not the root.
func writableKey(p, field string) (storage.Key, error) {
	k, err := storage.ParseKey(p)
	if err != nil {
		return "", onField(err, field)
	}
	if k == "" {
		return "", fault.OnField(fault.Invalid, field, "the path is empty, expected the name of a file or folder")
	}
	if k.IsHidden() {
		return "", fault.OnField(fault.Invalid, field, "the path %s holds a name that starts with a dot, expected visible names", k)
	}
	return k, nil
}

// newFileKey parses the path of a file that is to be written.
func newFileKey(p string) (storage.Key, error) {
	k, err := writableKey(p, "path")
	if err == nil && strings.HasSuffix(p, "/") {
		return "", fault.OnField(fault.Invalid, "path", "the path %s ends with a slash, as that of a folder does; expected the name of a file", p)
	}
	return k, err
}

// onField returns err, where it names an argument, as one of the argument of that name; nil for nil.
func onField(err error, field string) error {
	var f *fault.Error
	if !errors.As(err, &f) || f.Field == "" {
		return err
	}
	named := *f
	named.Field = field
	return &named
}

// readableKey parses a path that something is read from; what is the gallery's own does not exist.
func readableKey(p string) (storage.Key, error) {
	k, err := storage.ParseKey(p)
	if err == nil && isPrivate(k) {
		return "", fault.OnField(fault.NotFound, "path", "%s does not exist", k)
	}
	return k, err
}

func (g *Gallery) item(s storage.Stat) *FileItem {
	i := &FileItem{Name: s.Key.Name(), Path: string(s.Key), Size: s.Size, IsDirectory: s.IsFolder, ModifiedTime: s.Modified, ETag: s.ETag}
	if !s.IsFolder && isPicture(i.Name) {
		i.Thumbnails = g.thumbnails(i.Path)
	}
	return i
}

// isPicture goes by the name: a listing does not open every file.
func isPicture(name string) bool {
	f, ok := imaging.ParseFormat(path.Ext(name))
	return ok && f != imaging.PDF
}

// StatFile describes a file or folder; fault.NotFound when there is none.
func (g *Gallery) StatFile(ctx context.Context, p string) (*FileItem, error) {
	k, err := readableKey(p)
	if err != nil {
		return nil, err
	}
	s, err := g.store.Stat(ctx, k)
	if err != nil {
		return nil, err
	}
	return g.item(s), nil
}

// OpenImage opens the file that an image URL names; fault.NotFound also for hidden ones.
func (g *Gallery) OpenImage(ctx context.Context, image string) (storage.Object, error) {
	k, err := storage.ParseKey(image)
	if err != nil {
		return nil, err
	}
	if k.IsHidden() {
		return nil, fault.OnField(fault.NotFound, "path", "%s does not exist", k)
	}
	return g.store.Open(ctx, k)
}

// StorageStatus says where files lie and whether the place answers.
func (g *Gallery) StorageStatus(ctx context.Context) (*StorageStatus, error) {
	updated, pending, err := g.pendingStorage(ctx)
	if err != nil {
		return nil, err
	}
	s := &StorageStatus{Configured: true, Type: g.config.StorageKind, Place: g.config.StoragePlace,
		Reachable: g.store.Check(ctx) == nil, IsOverriddenByConfig: g.config.Storage.Overridden, RestartRequired: pending}
	if !updated.IsZero() {
		s.LastUpdated = &updated
	}
	return s, nil
}
