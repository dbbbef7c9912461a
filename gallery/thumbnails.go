package gallery

import "github.com/safelight/safelight/imaging"

// thumbnails returns the signed URLs of a picture in listings.
func (g *Gallery) thumbnails(image string) *ThumbnailURLs {
	fit := imaging.Fit{In: true}
	url := func(o imaging.Operations) string { return g.urls.SignPath(o.Path(image)) }
	return &ThumbnailURLs{
		Grid:     url(imaging.Operations{Width: 300, Height: 225, Filters: "quality(80):format(webp)"}),
		Preview:  url(imaging.Operations{Fit: fit, Width: 1200, Height: 900, Filters: "quality(85):format(webp)"}),
		Full:     url(imaging.Operations{Fit: fit, Width: 2400, Height: 1800, Filters: "quality(90):format(webp)"}),
		Original: url(imaging.Operations{Filters: "raw()"}),
		Meta:     g.urls.GenerateMetaURL(image),
	}
}
