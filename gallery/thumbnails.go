package gallery

import (
	"net/url"

	"github.com/safelight/safelight/gallery/notes"
	"github.com/safelight/safelight/imaging"
)

// ThumbnailURLs are the signed URLs of one picture.
type ThumbnailURLs struct{ Grid, Preview, Full, Original, Meta string }

// thumbnails returns the signed URLs of a picture, with the version of its content. The grid keeps the focal
// point, if there is one.
func (g *Gallery) thumbnails(image, etag string, focal *notes.FocalPoint) *ThumbnailURLs {
	fit := imaging.Fit{In: true}
	signed := func(o imaging.Operations) string { return Versioned(g.urls.SignPath(o.Path(image)), etag) }
	grid := imaging.Operations{Width: 300, Height: 225, Filters: "quality(80):format(webp)"}
	if focal != nil {
		grid.Filters = grid.Filters.Add(imaging.Filter{Name: "focal", Args: focalRegion(*focal)})
	}
	return &ThumbnailURLs{
		Grid:     signed(grid),
		Preview:  signed(imaging.Operations{Fit: fit, Width: 1200, Height: 900, Filters: "quality(85):format(webp)"}),
		Full:     signed(imaging.Operations{Fit: fit, Width: 2400, Height: 1800, Filters: "quality(90):format(webp)"}),
		Original: signed(imaging.Operations{Filters: "raw()"}),
		Meta:     Versioned(g.urls.GenerateMetaURL(image), etag),
	}
}

// Versioned adds the version of a picture to its signed URL. A replaced picture gets a different URL, so
// responses may be immutable.
func Versioned(signed, etag string) string {
	if etag == "" {
		return signed
	}
	return signed + "?v=" + url.QueryEscape(etag)
}
