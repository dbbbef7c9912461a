package graph

import (
	"context"
	"math"
	"slices"
	"sort"
	"strconv"
	"strings"
	"time"

	"github.com/safelight/safelight/auth"
	"github.com/safelight/safelight/fault"
	"github.com/safelight/safelight/gallery"
	"github.com/safelight/safelight/graph/model"
	"github.com/safelight/safelight/imaging"
)

// maxWidths is the maximum number of URLs in one srcset.
const maxWidths = 20

// viewingFilters are the filters that the scope read may use in URLs.
var viewingFilters = []string{"focal", "format", "no_upscale", "page", "quality"}

// viewing converts the input to the operations of a URL for the caller. Without the scope write, it returns
// fault.Forbidden for anything but size, crop, focal point, format, quality and page, so that guests cannot
// cause expensive processing.
func viewing(ctx context.Context, in model.ProcessorParamsInput, more ...string) (imaging.Operations, error) {
	o, err := operations(in)
	if err != nil {
		return o, err
	}
	return o, checkViewing(ctx, o, more...)
}

// checkViewing returns fault.Forbidden for operations that the caller may not use in signed URLs. With the
// scope read, the filters in more are allowed, too.
func checkViewing(ctx context.Context, o imaging.Operations, more ...string) error {
	if auth.FromContext(ctx).Has(auth.ScopeWrite) {
		return nil
	}
	plain := imaging.Operations{
		CropLeft:   o.CropLeft,
		CropTop:    o.CropTop,
		CropRight:  o.CropRight,
		CropBottom: o.CropBottom,
		Fit:        o.Fit,
		Stretch:    o.Stretch,
		Width:      o.Width,
		Height:     o.Height,
		HAlign:     o.HAlign,
		VAlign:     o.VAlign,
		Smart:      o.Smart,
		Filters:    o.Filters,
	}
	if o != plain {
		return fault.OnField(
			fault.Forbidden, "operations",
			"padding, flips and trim need write scope, read scope signs size, crop, focal, format, quality and page",
		)
	}
	for _, f := range o.Filters.List() {
		if name := strings.ToLower(f.Name); !slices.Contains(viewingFilters, name) && !slices.Contains(more, name) {
			return fault.OnField(
				fault.Forbidden, "operations",
				"filter %s needs write scope, read scope signs size, crop, focal, format, quality and page",
				f.Name,
			)
		}
	}
	return nil
}

// isPage reports whether a filter selects a page.
func isPage(f imaging.Filter) bool { return strings.EqualFold(f.Name, "page") }

type files struct{ *resolver }

// URL resolves File.url.
func (r files) URL(
	ctx context.Context,
	f *gallery.File,
	in *model.ProcessorParamsInput,
	expiresIn *int32,
	encrypted *bool,
	version model.URLVersion,
) (*string, error) {
	o, err := viewing(ctx, value(in))
	if err != nil {
		return nil, err
	}
	expires, err := expiry(expiresIn)
	if err != nil {
		return nil, err
	}
	var url string
	switch {
	case value(encrypted):
		// The URL has no version, because that is the ETag of the file.
		url, err = r.rules.Signing.GenerateEncryptedURL(ctx, f.Path(), f.Shown(o, expires))
	case version == model.URLVersionLatest:
		url, err = r.rules.Signing.GenerateURL(ctx, f.Path(), f.Shown(gallery.Following(o), expires))
	default:
		url, err = f.URL(ctx, o, expires)
	}
	if err != nil {
		return nil, err
	}
	return &url, nil
}

// expiry returns the end of a lifetime in seconds that starts now. It returns zero for nil.
func expiry(expiresIn *int32) (time.Time, error) {
	switch {
	case expiresIn == nil:
		return time.Time{}, nil
	case *expiresIn < 1:
		return time.Time{}, fault.OnField(
			fault.Invalid, "expiresIn", "expiresIn is %d seconds, expected 1 or more", *expiresIn,
		)
	}
	return time.Now().Add(time.Duration(*expiresIn) * time.Second), nil
}

// MetaURL resolves File.metaUrl.
func (r files) MetaURL(
	ctx context.Context,
	f *gallery.File,
	in *model.ProcessorParamsInput,
	expiresIn *int32,
) (*string, error) {
	o, err := viewing(ctx, value(in), metaFilters()...)
	if err != nil {
		return nil, err
	}
	expires, err := expiry(expiresIn)
	if err != nil {
		return nil, err
	}
	url, err := r.rules.Signing.GenerateMetadataURL(ctx, f.Path(), f.Viewed(o, expires))
	if err != nil {
		return nil, err
	}
	url = gallery.Versioned(url, f.Etag())
	return &url, nil
}

// metaFilters returns the names of the metadata filters.
func metaFilters() []string {
	names := []string{"palette"} // outside of /meta, palette belongs to a format
	for _, f := range imaging.FilterTable() {
		if f.Meta {
			names = append(names, f.Name)
		}
	}
	return names
}

// Srcset resolves File.srcset.
func (files) Srcset(
	ctx context.Context,
	f *gallery.File,
	widths []int32,
	in *model.ProcessorParamsInput,
) (*string, error) {
	o, err := viewing(ctx, value(in))
	if err != nil {
		return nil, err
	}
	widths, err = usefulWidths(f, o, widths)
	if err != nil {
		return nil, err
	}
	urls := make([]string, len(widths))
	for i, w := range widths {
		one := o
		if one.Width = int(w); o.Height > 0 && o.Width > 0 {
			one.Height = max(1, int(math.Round(float64(o.Height)*float64(w)/float64(o.Width))))
		}
		url, err := f.URL(ctx, one, time.Time{})
		if err != nil {
			return nil, err
		}
		// A comma at the end of a URL, or white space in it, would terminate the URL.
		urls[i] = strings.ReplaceAll(url, " ", "%20") + " " + strconv.Itoa(int(w)) + "w"
	}
	set := strings.Join(urls, ", ")
	return &set, nil
}

// usefulWidths sorts widths and replaces those that would enlarge the picture by its own width. It keeps all
// widths for vector graphics, and for a page, whose width is unknown.
func usefulWidths(f *gallery.File, o imaging.Operations, widths []int32) ([]int32, error) {
	if len(widths) == 0 || len(widths) > maxWidths {
		return nil, fault.OnField(fault.Invalid, "widths", "%d widths, expected 1 to %d", len(widths), maxWidths)
	}
	if least := slices.Min(widths); least < 1 {
		return nil, fault.OnField(fault.Invalid, "widths", "a width is %d, expected 1 pixel or more", least)
	}
	widths = slices.Clone(widths)
	sort.Slice(widths, func(i, j int) bool { return widths[i] < widths[j] })
	widths = slices.Compact(widths)
	if w := f.Width(); w != nil && !value(f.Format()).Traits().Vector &&
		!slices.ContainsFunc(o.Filters.List(), isPage) {
		n := 0
		for n < len(widths) && widths[n] <= *w {
			n++
		}
		// Larger widths are left out, because the picture's own width replaces them.
		if n < len(widths) && (n == 0 || widths[n-1] < *w) {
			widths[n] = *w
			n++
		}
		widths = widths[:n]
	}
	return widths, nil
}
