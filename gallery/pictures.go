package gallery

import (
	"path"

	"github.com/safelight/safelight/gallery/search"
	"github.com/safelight/safelight/imaging"
	"github.com/safelight/safelight/storage"
)

// Visitors of share links see the pictures of a library, except hidden ones. Templates do not count as
// pictures, because they refer to other files.

// Pictures returns the filter for what visitors see in lists. Lists leave out hidden files anyway.
func Pictures() search.Filter {
	var f search.Filter
	for _, format := range imaging.Formats() {
		f.Formats = append(f.Formats, format.Format)
	}
	return f
}

// ShownToVisitors reports whether visitors see the file.
func (f *File) ShownToVisitors() bool { return f.format() != "" && !search.IsHidden(f.row.Path) }

// ShownToVisitors reports whether visitors see the file at a path. It only uses the path.
func (g *Gallery) ShownToVisitors(k storage.Key) bool {
	return g.index.pictureFormat(k.Name()) != "" && !search.IsHidden(string(k))
}

// pictureFormat returns the format by the file name extension, because a listing does not open every file. It
// is empty for files that are not pictures.
func (x *index) pictureFormat(name string) imaging.Format {
	f, ok := imaging.ParseFormat(path.Ext(name))
	if !ok || f == imaging.PDF && !x.pdf {
		return ""
	}
	return f
}
