package gallery

import (
	"path"

	"github.com/safelight/safelight/gallery/search"
	"github.com/safelight/safelight/imaging"
	"github.com/safelight/safelight/storage"
)

// Visitors of share links see the pictures of a library, but no hidden ones. Templates, which name other files, are no
// pictures.

// Pictures returns the filter of what visitors see in lists, which leave out hidden files.
func Pictures() search.Filter {
	var f search.Filter
	for _, format := range imaging.Formats() {
		f.Formats = append(f.Formats, format.Format)
	}
	return f
}

// ShownToVisitors reports whether visitors see the file.
func (f *File) ShownToVisitors() bool { return f.format() != "" && !search.IsHidden(f.row.Path) }

// ShownToVisitors is File.ShownToVisitors by the path alone.
func (g *Gallery) ShownToVisitors(k storage.Key) bool {
	return g.index.pictureFormat(k.Name()) != "" && !search.IsHidden(string(k))
}

// pictureFormat returns the format by the name, as a listing does not open every file; empty for other files than
// pictures.
func (x *index) pictureFormat(name string) imaging.Format {
	f, ok := imaging.ParseFormat(path.Ext(name))
	if !ok || f == imaging.PDF && !x.pdf {
		return ""
	}
	return f
}
