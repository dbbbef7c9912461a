package gallery

import (
	"context"
	"path"
	"strings"
	"time"

	"github.com/safelight/safelight/ent"
	"github.com/safelight/safelight/fault"
	"github.com/safelight/safelight/gallery/notes"
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
	Thumbnails   *ThumbnailURLs // nil for folders and for files that are not pictures
	g            *Gallery
	row          *ent.Entry // with few columns; nil unless from a listing
	page         *page      // the listing; nil outside of one
}

// File returns the file with its metadata; nil for a folder, and if it was deleted since.
func (i *FileItem) File(ctx context.Context) (*File, error) {
	if i.IsDirectory {
		return nil, nil
	}
	f := &File{g: i.g, page: i.page}
	if i.page != nil {
		rows, err := i.page.complete(ctx)
		if err != nil {
			return nil, err
		}
		f.row = rows[i.row.ID]
	}
	if f.row == nil { // not from a listing, or indexed again since
		var err error
		if f, err = i.g.File(ctx, i.Path); isMissing(err) {
			return nil, nil
		} else if err != nil {
			return nil, err
		}
	}
	i.g.requestMetadata([]*ent.Entry{f.row})
	return f, nil
}

// Folder returns the folder; nil for a file, and if it was deleted since.
func (i *FileItem) Folder(ctx context.Context) (*Folder, error) {
	if !i.IsDirectory {
		return nil, nil
	}
	f, err := i.g.Folder(ctx, i.Path)
	if isMissing(err) {
		return nil, nil
	}
	return f, err
}

// ThumbnailURLs are signed URLs of one picture.
type ThumbnailURLs struct{ Grid, Preview, Full, Original, Meta string }

// FileList is a page of a folder; TotalCount counts all matches.
type FileList struct {
	Items      []*FileItem
	TotalCount int
}

// ParseWritable parses a path to write or remove: visible, and not the root. fault.Invalid names field.
func ParseWritable(p, field string) (storage.Key, error) {
	k, err := storage.ParseKey(p)
	if err != nil {
		return "", fault.WithField(err, field)
	}
	if k == "" {
		return "", fault.OnField(fault.Invalid, field, "the path is empty, expected the name of a file or folder")
	}
	if k.IsHidden() {
		return "", fault.OnField(fault.Invalid, field, "the path %s holds a name that starts with a dot, expected visible names", k)
	}
	return k, nil
}

// ParseNewFile parses the path of a new file.
func ParseNewFile(p string) (storage.Key, error) {
	k, err := ParseWritable(p, "path")
	if err == nil && strings.HasSuffix(p, "/") {
		return "", fault.OnField(fault.Invalid, "path", "the path %s ends with a slash like a folder, expected the name of a file", p)
	}
	return k, err
}

// readableKey parses a path to read; fault.NotFound for the private files of the gallery.
func readableKey(p string) (storage.Key, error) {
	k, err := storage.ParseKey(p)
	if err == nil && isPrivate(k) {
		return "", fault.OnField(fault.NotFound, "path", "%s does not exist", k)
	}
	return k, err
}

// Describe returns a file or folder in the form of the API.
func (g *Gallery) Describe(s storage.Stat) *FileItem { return itemOf(g, s, nil) }

// itemOf is Describe for a file whose focal point is known.
func itemOf(g *Gallery, s storage.Stat, focal *notes.FocalPoint) *FileItem {
	i := &FileItem{Name: s.Key.Name(), Path: string(s.Key), Size: s.Size, IsDirectory: s.IsFolder, ModifiedTime: s.Modified, ETag: s.ETag, g: g}
	if !s.IsFolder && g.index.isPicture(i.Name) {
		i.Thumbnails = g.thumbnails(i.Path, i.ETag, focal)
	}
	return i
}

// isPicture decides by the name: a listing does not open every file.
func (x *index) isPicture(name string) bool {
	f, ok := imaging.ParseFormat(path.Ext(name))
	return ok && (f != imaging.PDF || x.pdf)
}

// StatFile describes a file or folder; fault.NotFound if it does not exist.
func (g *Gallery) StatFile(ctx context.Context, p string) (*FileItem, error) {
	k, err := readableKey(p)
	if err != nil {
		return nil, err
	}
	s, err := g.store.Stat(ctx, k)
	if err != nil {
		return nil, err
	}
	return g.Describe(s), nil
}

// OpenImage opens the file that an image URL names; fault.NotFound also for hidden ones.
func (g *Gallery) OpenImage(ctx context.Context, image string) (storage.Object, error) {
	k, err := imageKey(image)
	if err != nil {
		return nil, err
	}
	return g.store.Open(ctx, k)
}

// OpenImageVersion opens the version with that ETag and size of the file that an image URL names, as StatImage described
// it. storage.IsChanged reports true for the error if it is another one by now.
func (g *Gallery) OpenImageVersion(ctx context.Context, image, tag string, size int64) (storage.Object, error) {
	k, err := imageKey(image)
	if err != nil {
		return nil, err
	}
	return storage.OpenVersion(ctx, g.store, storage.Stat{Key: k, ETag: tag, Size: size})
}

// imageKey returns the path of the file that an image URL names; fault.NotFound for a hidden one.
func imageKey(image string) (storage.Key, error) {
	k, err := storage.ParseKey(image)
	if err == nil && k.IsHidden() {
		err = fault.OnField(fault.NotFound, "path", "%s does not exist", k)
	}
	return k, err
}
