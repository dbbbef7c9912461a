package gallery

import (
	"bufio"
	"context"
	"encoding/json"
	"io"
	"path"
	"strings"
	"time"

	"github.com/safelight/safelight/fault"
	"github.com/safelight/safelight/imaging"
	"github.com/safelight/safelight/storage"
)

// templateSuffix ends the name of a saved template.
const templateSuffix = ".template.json"

// maxTemplate is the most bytes of a template.
const maxTemplate = 1 << 20

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
}

// key parses a path that something is written to or removed from: visible, and not the root.
func writableKey(p, field string) (storage.Key, error) {
	k, err := storage.ParseKey(p)
	if err != nil {
		f := *fault.Of(err)
		f.Field = field
		return "", &f
	}
	if k == "" {
		return "", fault.OnField(fault.Invalid, field, "the path is empty, expected the name of a file or folder")
	}
	if k.IsHidden() {
		return "", fault.OnField(fault.Invalid, field, "the path %s holds a name that starts with a dot, expected visible names", k)
	}
	return k, nil
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
	k, err := storage.ParseKey(p)
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

// UploadFile writes a picture, or a template by its name, and describes it. The file appears as a
// whole or not at all. fault.Conflict when it exists, fault.UnsupportedType when its bytes are no
// picture, fault.TooLarge beyond the limit.
func (g *Gallery) UploadFile(ctx context.Context, p string, r io.Reader) (*FileItem, error) {
	k, err := writableKey(p, "path")
	if err != nil {
		return nil, err
	}
	limit := g.config.MaxFileBytes
	template := strings.HasSuffix(strings.ToLower(k.Name()), templateSuffix)
	if template && (limit == 0 || limit > maxTemplate) {
		limit = maxTemplate
	}
	b := bufio.NewReaderSize(&limitedReader{r: r, left: limit, limit: limit}, imaging.SniffLength)
	contentType, err := checkContent(b, k, template)
	if err != nil {
		return nil, err
	}
	s, err := g.store.Create(ctx, k, b, storage.CreateOptions{ContentType: contentType})
	if err != nil {
		return nil, err
	}
	return g.item(s), nil
}

// checkContent looks at the first bytes of an upload; what a file is called is not believed.
func checkContent(b *bufio.Reader, k storage.Key, template bool) (contentType string, err error) {
	header, err := b.Peek(imaging.SniffLength)
	if err != nil && err != io.EOF {
		return "", err
	}
	if template {
		if i := strings.TrimSpace(string(header)); !strings.HasPrefix(i, "{") || len(header) < imaging.SniffLength && !json.Valid(header) {
			return "", fault.OnField(fault.UnsupportedType, "content", "%s is not a JSON object", k.Name())
		}
		return "application/json", nil
	}
	f := imaging.SniffFormat(header)
	if f == "" {
		return "", fault.OnField(fault.UnsupportedType, "content", "%s is no picture that this server reads, expected JPEG, PNG, WebP, GIF, AVIF, HEIC, TIFF, JPEG XL, JPEG 2000 or SVG", k.Name())
	}
	return f.ContentType(), nil
}

// limitedReader fails with fault.TooLarge where io.LimitReader would end quietly.
type limitedReader struct {
	r           io.Reader
	left, limit int64 // a limit of 0 is none
}

// Read implements io.Reader.
func (l *limitedReader) Read(p []byte) (int, error) {
	n, err := l.r.Read(p)
	if l.limit == 0 {
		return n, err
	}
	if l.left -= int64(n); l.left < 0 {
		return 0, fault.OnField(fault.TooLarge, "content", "the file has more than %d bytes", l.limit)
	}
	return n, err
}

// DeleteFile removes a file, or a folder with all that it holds.
func (g *Gallery) DeleteFile(ctx context.Context, p string) error {
	k, err := writableKey(p, "path")
	if err != nil {
		return err
	}
	return g.store.Delete(ctx, k)
}

// CreateFolder makes an empty folder and its parents; fault.Conflict when it exists.
func (g *Gallery) CreateFolder(ctx context.Context, p string) error {
	k, err := writableKey(p, "path")
	if err != nil {
		return err
	}
	return g.store.CreateFolder(ctx, k)
}

// CopyFile copies a file or folder; fault.Conflict when the destination exists.
func (g *Gallery) CopyFile(ctx context.Context, from, to string) error {
	return g.pair(ctx, from, to, g.store.Copy)
}

// MoveFile renames a file or folder; fault.Conflict when the destination exists.
func (g *Gallery) MoveFile(ctx context.Context, from, to string) error {
	return g.pair(ctx, from, to, g.store.Move)
}

func (g *Gallery) pair(ctx context.Context, from, to string, do func(context.Context, storage.Key, storage.Key) error) error {
	source, err := writableKey(from, "sourcePath")
	if err != nil {
		return err
	}
	target, err := writableKey(to, "destPath")
	if err != nil {
		return err
	}
	return do(ctx, source, target)
}

// StorageStatus says where files lie and whether the place answers.
func (g *Gallery) StorageStatus(ctx context.Context) (*StorageStatus, error) {
	return &StorageStatus{Configured: true, Type: g.config.StorageKind, Place: g.config.StoragePlace,
		Reachable: g.store.Check(ctx) == nil, IsOverriddenByConfig: true}, nil
}
