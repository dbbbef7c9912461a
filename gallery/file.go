package gallery

import (
	"context"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/safelight/safelight/database"
	"github.com/safelight/safelight/ent"
	"github.com/safelight/safelight/ent/entry"
	"github.com/safelight/safelight/fault"
	"github.com/safelight/safelight/gallery/access"
	"github.com/safelight/safelight/gallery/metadata"
	"github.com/safelight/safelight/gallery/notes"
	"github.com/safelight/safelight/gallery/places"
	"github.com/safelight/safelight/gallery/search"
	"github.com/safelight/safelight/imaging"
	"github.com/safelight/safelight/storage"
)

// MetadataState is the state of a file's metadata.
type MetadataState string

// The states of metadata.
const (
	MetadataPending MetadataState = "PENDING"
	MetadataKnown   MetadataState = "KNOWN"
	MetadataFailed  MetadataState = "FAILED"
	MetadataNone    MetadataState = "NONE"
)

// File is a file of the gallery. Methods that return pointers return nil for unknown values.
type File struct {
	row    *ent.Entry
	g      *Gallery
	loader *loader
}

// ExifEntry is one EXIF tag.
type ExifEntry struct{ Name, Value string }

func newFile(g *Gallery, row *ent.Entry) *File {
	return &File{row: row, g: g, loader: &loader{g: g, rows: []*ent.Entry{row}}}
}

func newFolder(g *Gallery, row *ent.Entry) *Folder {
	return &Folder{row: row, loader: &loader{g: g, rows: []*ent.Entry{row}}}
}

// nodeID returns an id that includes the kind of its node.
func nodeID(kind string, id int) string {
	return base64.RawURLEncoding.EncodeToString([]byte(kind + ":" + strconv.Itoa(id)))
}

// parseNodeID parses an id that nodeID returned.
func parseNodeID(s string) (kind string, id int, ok bool) {
	b, err := base64.RawURLEncoding.DecodeString(s)
	if err != nil {
		return "", 0, false
	}
	kind, number, ok := strings.Cut(string(b), ":")
	id, err = strconv.Atoi(number)
	return kind, id, ok && err == nil && (kind == "File" || kind == "Folder")
}

func known[T comparable](v T) *T {
	var zero T
	if v == zero {
		return nil
	}
	return &v
}

// IsNode implements the interface Node of the API.
func (*File) IsNode() {}

// ID returns the opaque id.
func (f *File) ID() string { return FileID(f.row.ID) }

// FileID returns the id of the file with the EntryID entry.
func FileID(entry int) string { return nodeID("File", entry) }

// EntryID returns the id of the file's row, which does not change when the file is moved.
func (f *File) EntryID() int { return f.row.ID }

// Path returns the path.
func (f *File) Path() string { return f.row.Path }

// Name returns the last part of the path.
func (f *File) Name() string { return f.row.Name }

// Size returns the size in bytes.
func (f *File) Size() int64 { return f.row.Size }

// ModifiedAt returns when the content was last changed.
func (f *File) ModifiedAt() time.Time { return timeOf(f.row.Modified) }

// Etag returns a tag that changes with the content.
func (f *File) Etag() string { return f.row.Etag }

// Format returns the picture's format.
func (f *File) Format() *imaging.Format { return known(imaging.Format(f.format())) }

// format returns the format of a picture. It is empty for a PDF that was analyzed while the setting pdf was
// on, if the setting is off now.
func (f *File) format() string {
	if f.row.Type == string(imaging.PDF) && !f.g.config.Limits.AllowPDF {
		return ""
	}
	return f.row.Type
}

// Type returns the name of the picture's format.
func (f *File) Type() *string { return known(f.format()) }

// ContentType returns the media type.
func (f *File) ContentType() *string { return known(imaging.Format(f.format()).ContentType()) }

// Metadata returns the state of the metadata.
func (f *File) Metadata() MetadataState {
	return [...]MetadataState{MetadataPending, MetadataKnown, MetadataFailed, MetadataNone,
		MetadataFailed}[f.row.MetaState]
}

// Width returns the width in pixels, after orientation is applied.
func (f *File) Width() *int32 { return known(int32(f.row.Width)) }

// Height returns the height in pixels, after orientation is applied.
func (f *File) Height() *int32 { return known(int32(f.row.Height)) }

// Pages returns the number of frames or pages.
func (f *File) Pages() *int32 { return known(int32(f.row.Pages)) }

// Orientation returns whether the picture is landscape, portrait or square.
func (f *File) Orientation() *search.Orientation {
	o := search.Square
	switch {
	case f.row.Width == 0:
		return nil
	case f.row.Width > f.row.Height:
		o = search.Landscape
	case f.row.Width < f.row.Height:
		o = search.Portrait
	}
	return &o
}

// TakenAt returns when the picture was taken.
func (f *File) TakenAt() *time.Time {
	if f.row.Taken == nil {
		return nil
	}
	t := timeOf(*f.row.Taken)
	return &t
}

// Camera returns maker and model.
func (f *File) Camera() *string { return known(f.row.Camera) }

// HasGps returns whether the picture has a location.
func (f *File) HasGps() *bool {
	if f.row.MetaState != metaKnown {
		return nil
	}
	return &f.row.HasGps
}

// DominantColour returns the dominant colour as #rrggbb.
func (f *File) DominantColour() *string {
	if f.row.Dominant == nil {
		return nil
	}
	s := fmt.Sprintf("#%06x", *f.row.Dominant)
	return &s
}

// BlurHash returns the BlurHash placeholder.
func (f *File) BlurHash() *string { return known(f.row.Blurhash) }

// ThumbHash returns the ThumbHash placeholder in base64.
func (f *File) ThumbHash() *string { return known(f.row.Thumbhash) }

// PHash returns the perceptual hash as 16 hexadecimal digits.
func (f *File) PHash() *string {
	if f.row.Phash == nil {
		return nil
	}
	s := fmt.Sprintf("%016x", uint64(*f.row.Phash))
	return &s
}

// SHA256 returns the hash of the content in hexadecimal.
func (f *File) SHA256() *string { return known(hex.EncodeToString(f.row.Sha256)) }

// exif returns the EXIF tags by name; nil when they are not known.
func (f *File) exif(ctx context.Context) (tags map[string]any, err error) {
	rows, err := f.loader.exifs(ctx)
	if err != nil || rows[f.row.ID] == nil || rows[f.row.ID].Exif == "" {
		return nil, err
	}
	if err := json.Unmarshal([]byte(rows[f.row.ID].Exif), &tags); err != nil {
		return nil, nil // an earlier version stored invalid JSON, because it removed a backslash
	}
	return tags, nil
}

// Coordinates returns where the picture was taken, or nil if its metadata does not contain a position.
func (f *File) Coordinates(ctx context.Context) (*metadata.Position, error) {
	tags, err := f.exif(ctx)
	if p, ok := metadata.PositionOf(tags); ok {
		return &p, err
	}
	return nil, err
}

// Place returns the city nearest to where the picture was taken, or nil if the position is unknown or no city
// is near.
func (f *File) Place() *places.Place {
	p, ok := places.Parse(f.row.Place)
	if !ok {
		return nil
	}
	return &p
}

// Exif returns the EXIF tags sorted by name, or nil if they are unknown.
func (f *File) Exif(ctx context.Context) ([]*ExifEntry, error) {
	tags, err := f.exif(ctx)
	if tags == nil {
		return nil, err
	}
	list := make([]*ExifEntry, 0, len(tags))
	for name, v := range tags {
		list = append(list, &ExifEntry{Name: name, Value: fmt.Sprint(v)})
	}
	slices.SortFunc(list, func(a, b *ExifEntry) int { return strings.Compare(a.Name, b.Name) })
	return list, nil
}

// Tags returns the tags in the order in which they were given.
func (f *File) Tags() []string { return slices.Clone(f.row.Tags) }

// Description returns the description.
func (f *File) Description() string { return f.row.Description }

// FocalPoint returns the most important point of the picture.
func (f *File) FocalPoint() *notes.FocalPoint { return notes.FocalPointOf(f.row) }

// Rating returns the rating, 1 to 5, or 0 if the file is not rated.
func (f *File) Rating() int32 { return int32(f.row.Rating) }

// Favorite reports whether the file is marked as a favorite.
func (f *File) Favorite() bool { return f.row.Favorite }

// Folder returns the folder that contains the file.
func (f *File) Folder(ctx context.Context) (*Folder, error) {
	all, err := f.loader.folders(ctx)
	return all[f.row.ParentID], err
}

// Thumbnails returns signed URLs, or nil if the file is not a picture.
func (f *File) Thumbnails() *ThumbnailURLs {
	if f.format() == "" {
		return nil
	}
	return f.g.thumbnails(f.row.Path, f.row.Etag, f.FocalPoint())
}

// Viewed adapts o to this picture: a crop without a position keeps the focal point. expires is when the URLs
// stop working; zero means never.
func (f *File) Viewed(o imaging.Operations, expires time.Time) imaging.Operations {
	if p := f.FocalPoint(); p != nil && o.Width > 0 && o.Height > 0 && !o.Fit.In && !o.Stretch && !o.Smart &&
		o.HAlign == "" &&
		o.VAlign == "" &&
		!hasFilter(o.Filters, "focal") {
		o.Filters = o.Filters.Add(imaging.Filter{Name: "focal", Args: focalRegion(*p)})
	}
	if !expires.IsZero() {
		until := strconv.FormatInt(expires.UnixMilli(), 10)
		o.Filters = o.Filters.Add(imaging.Filter{Name: "expire", Args: until})
	}
	return o
}

// Shown is Viewed for a URL of the picture. If o has no size and the picture exceeds the maximum result size,
// Shown adds a resize that fits it into the limits.
func (f *File) Shown(o imaging.Operations, expires time.Time) imaging.Operations {
	return f.Viewed(f.fitted(o), expires)
}

func (f *File) fitted(o imaging.Operations) imaging.Operations {
	whole := imaging.Size{Width: f.row.Width, Height: f.row.Height}
	frames := 1
	if imaging.Format(f.row.Type).Traits().Frames {
		frames = max(f.row.Pages, 1)
	}
	sized := o.Fit.In || o.Stretch || o.Width != 0 || o.Height != 0 || o.WidthOriginal || o.HeightOriginal
	if most := f.g.config.Limits.Largest(whole, frames); whole.Known() && !sized && most != whole {
		o.Fit.In, o.Width, o.Height = true, most.Width, most.Height
	}
	return o
}

// URL returns a signed URL of the picture with the operations Shown(o, expires) and the version of the
// content.
func (f *File) URL(ctx context.Context, o imaging.Operations, expires time.Time) (string, error) {
	signed, err := f.g.urls.GenerateURL(ctx, f.row.Path, f.Shown(o, expires))
	if err != nil {
		return "", err
	}
	return Versioned(signed, f.row.Etag), nil
}

// followAge is how long caches may keep the result of a URL without a version.
const followAge = 5 * time.Minute

// Following adapts o to a URL without a version: caches revalidate the result after followAge, unless o has
// max_age().
func Following(o imaging.Operations) imaging.Operations {
	if !hasFilter(o.Filters, "max_age") {
		seconds := strconv.Itoa(int(followAge / time.Second))
		o.Filters = o.Filters.Add(imaging.Filter{Name: "max_age", Args: seconds})
	}
	return o
}

// hasFilter reports whether there is a filter called name. It ignores filters inside layers and texts.
func hasFilter(filters imaging.Filters, name string) bool {
	return slices.ContainsFunc(filters.List(), func(f imaging.Filter) bool { return f.Name == name })
}

// focalRegion returns a point as a small region in fractions, the format of the filter's arguments.
func focalRegion(p notes.FocalPoint) string {
	low := func(v float64) string { return strconv.FormatFloat(max(0, v-0.005), 'f', 4, 64) }
	high := func(v float64) string { return strconv.FormatFloat(min(1, v+0.005), 'f', 4, 64) }
	return low(p.X) + "x" + low(p.Y) + ":" + high(p.X) + "x" + high(p.Y)
}

// File returns a file in its current state in the storage. It returns fault.NotFound if the file does not
// exist.
func (g *Gallery) File(ctx context.Context, p string) (*File, error) {
	if _, err := g.viewable(ctx, p); err != nil {
		return nil, err
	}
	row, err := g.index.entry(ctx, p)
	if err != nil {
		return nil, err
	}
	if row.Kind != kindFile {
		return nil, fault.OnField(fault.NotFound, "path", "%s is a folder, expected a file", p)
	}
	return newFile(g, row), nil
}

// FileOf returns the file that s describes. It returns nil for a folder, for the zero value, and for a file
// that has been moved or deleted since.
func (g *Gallery) FileOf(ctx context.Context, s storage.Stat) (*File, error) {
	if s.IsFolder || s.Key == "" {
		return nil, nil
	}
	f, err := g.File(ctx, string(s.Key))
	if isMissing(err) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	g.requestMetadata([]*ent.Entry{f.row})
	return f, nil
}

// Folder returns a folder in its current state in the storage. It returns fault.NotFound if the folder does
// not exist.
func (g *Gallery) Folder(ctx context.Context, p string) (*Folder, error) {
	k, _, err := g.index.openable(ctx, p)
	if err != nil {
		return nil, err
	}
	row, err := g.index.folder(ctx, k)
	if err != nil {
		return nil, err
	}
	return newFolder(g, row), nil
}

// entry returns the row of a path after syncing it with the storage.
func (x *index) entry(ctx context.Context, p string) (*ent.Entry, error) {
	k, err := readableKey(p)
	if err != nil {
		return nil, err
	}
	s, err := x.store.Stat(ctx, k)
	if isMissing(err) {
		return nil, x.removeMissing(ctx, k, err)
	}
	if err != nil {
		return nil, err
	}
	query := x.db.Entry.Query().Where(entry.Path(string(k)))
	row, err := query.Clone().Only(ctx)
	if err != nil && !ent.IsNotFound(err) {
		return nil, database.Translate(err)
	}
	if err == nil && (s.IsFolder && row.Kind == kindFolder || same(row, s)) {
		return row, nil
	}
	if err := x.indexStat(ctx, s); err != nil {
		return nil, err
	}
	if err := x.checkStill(ctx, k); err != nil {
		return nil, err
	}
	row, err = query.Only(ctx)
	return row, database.Translate(err)
}

// indexStat upserts the row of an entry of the storage, with its notes.
func (x *index) indexStat(ctx context.Context, s storage.Stat) error {
	list, err := x.settle(ctx, s.Key.Parent(), []found{{Stat: s}}, true)
	if err != nil {
		return err
	}
	if len(list) == 0 {
		return fault.OnField(fault.NotFound, "path", "%s does not exist yet, it is being copied or moved there", s.Key)
	}
	return x.db.Transact(ctx, func(tx *ent.Tx) error {
		if err := x.lockFolders(ctx, tx.Client(), s.Key.Parent()); err != nil {
			return err
		}
		parent, err := x.folderID(ctx, tx.Client(), s.Key.Parent())
		if err != nil {
			return err
		}
		return x.upsert(ctx, tx.Client(), parent, list)
	})
}

// maxFolders is the maximum number of ids that FoldersByID accepts.
const maxFolders = 100

// FoldersByID returns folders as indexed, in the order of their ids. It leaves out folders that do not exist
// or are hidden. It returns fault.Invalid for no ids, for too many, and for an id that is not that of a
// folder.
func (g *Gallery) FoldersByID(ctx context.Context, ids []string) ([]*Folder, error) {
	if n := len(ids); n < 1 || n > maxFolders {
		return nil, fault.OnField(fault.Invalid, "ids", "ids has %d values, expected 1 to %d", n, maxFolders)
	}
	numbers := make([]int, len(ids))
	for i, id := range ids {
		kind, number, ok := parseNodeID(id)
		if !ok || kind != "Folder" {
			return nil, fault.OnField(fault.Invalid, "ids", "ids[%d] is not the id of a folder", i)
		}
		numbers[i] = number
	}
	scope, err := g.Access.Scope(ctx)
	if err != nil {
		return nil, err
	}
	p := &loader{g: g}
	known, err := p.load(ctx, numbers, listColumns...)
	if err != nil {
		return nil, database.Translate(err)
	}
	folders := []*Folder{}
	for _, number := range numbers {
		if row := known[number]; row != nil && row.Kind == kindFolder && !row.Hidden && scope.Leads(row.Path) {
			p.rows = append(p.rows, row)
			folders = append(folders, &Folder{row: row, loader: p})
		}
	}
	return folders, nil
}

// FilesByPath is FilesAt for at most 1000 paths. It returns fault.Invalid for no paths and for more.
func (g *Gallery) FilesByPath(ctx context.Context, paths []string) ([]*File, error) {
	if n := len(paths); n < 1 || n > maxBulk {
		return nil, fault.OnField(fault.Invalid, "paths", "paths has %d values, expected 1 to %d", n, maxBulk)
	}
	return g.FilesAt(ctx, paths)
}

// FilesAt returns files as indexed, in the order of the paths. It leaves out files that do not exist, are
// hidden, or may not be seen by the caller.
func (g *Gallery) FilesAt(ctx context.Context, paths []string) ([]*File, error) {
	scope, err := g.Access.Scope(ctx)
	if err != nil {
		return nil, err
	}
	rows, err := g.db.Entry.Query().
		Where(entry.PathIn(paths...), entry.Kind(kindFile), entry.Hidden(false)).
		Select(listColumns...).
		All(ctx)
	if err != nil {
		return nil, database.Translate(err)
	}
	order := make(map[string]int, len(paths))
	for i, p := range paths {
		order[p] = i
	}
	slices.SortFunc(rows, func(a, b *ent.Entry) int { return order[a.Path] - order[b.Path] })
	return g.filesOf(scope, rows), nil
}

// FilesByEntry returns files that the caller may see, keyed by EntryID. It leaves out hidden files and those
// in the trash.
func (g *Gallery) FilesByEntry(ctx context.Context, ids []int) (map[int]*File, error) {
	scope, err := g.Access.Scope(ctx)
	if err != nil {
		return nil, err
	}
	rows, err := g.db.Entry.Query().
		Where(entry.IDIn(ids...), entry.Kind(kindFile), entry.Hidden(false)).
		Select(listColumns...).
		All(ctx)
	if err != nil {
		return nil, database.Translate(err)
	}
	files := map[int]*File{}
	for _, f := range g.filesOf(scope, rows) {
		files[f.EntryID()] = f
	}
	return files, nil
}

// filesOf returns the files of the rows that scope may see.
func (g *Gallery) filesOf(scope access.Scope, rows []*ent.Entry) []*File {
	rows = slices.DeleteFunc(rows, func(r *ent.Entry) bool { return !scope.Sees(r.Path) })
	g.requestMetadata(rows)
	p := &loader{g: g, rows: rows}
	files := make([]*File, len(rows))
	for i, r := range rows {
		files[i] = &File{row: r, g: g, loader: p}
	}
	return files
}

// Gone returns the ids whose file or folder no longer exists. Hidden files still exist.
func (g *Gallery) Gone(ctx context.Context, ids []string) (gone []string, err error) {
	numbers := make([]int, len(ids))
	for i, id := range ids {
		_, numbers[i], _ = parseNodeID(id)
	}
	known, err := g.db.Entry.Query().Where(entry.IDIn(numbers...)).IDs(ctx)
	if err != nil {
		return nil, database.Translate(err)
	}
	for i, id := range ids {
		if !slices.Contains(known, numbers[i]) {
			gone = append(gone, id)
		}
	}
	return gone, nil
}

// NodeByID returns a *File or a *Folder. It returns fault.NotFound if it does not exist.
func (g *Gallery) NodeByID(ctx context.Context, id string) (any, error) {
	kind, number, ok := parseNodeID(id)
	if !ok {
		return nil, fault.OnField(fault.Invalid, "id", "no file or folder has this id")
	}
	scope, err := g.Access.Scope(ctx)
	if err != nil {
		return nil, err
	}
	row, err := g.db.Entry.Get(ctx, number)
	unseen := err == nil && !scope.Sees(row.Path) && (kind == "File" || !scope.Leads(row.Path))
	if ent.IsNotFound(err) || unseen || err == nil && (row.Kind == kindFile) != (kind == "File") {
		return nil, fault.OnField(fault.NotFound, "id", "the file or folder does not exist")
	}
	if err != nil {
		return nil, database.Translate(err)
	}
	if kind == "Folder" {
		return g.Folder(ctx, row.Path)
	}
	return g.File(ctx, row.Path)
}
