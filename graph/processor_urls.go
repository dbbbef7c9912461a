package graph

import (
	"context"
	"math"
	"strings"

	"github.com/safelight/safelight/fault"
	"github.com/safelight/safelight/graph/model"
	"github.com/safelight/safelight/imaging"
)

// ParseProcessorURL resolves parseProcessorUrl.
func (q query) ParseProcessorURL(_ context.Context, url string) (*model.ProcessorURL, error) {
	path := url
	for _, scheme := range []string{"https://", "http://"} {
		if rest, ok := strings.CutPrefix(path, scheme); ok {
			_, path, _ = strings.Cut(rest, "/")
		}
	}
	path, _, _ = strings.Cut(path, "?")
	path, _, _ = strings.Cut(path, "#")
	path = strings.TrimPrefix(path, "/")
	a, err := q.rules.Signing.Read(path)
	if err != nil {
		f := *fault.Of(err)
		f.Field = "url"
		return nil, &f
	}
	return processorURL(a.Meaning().ParamsResponse), nil
}

// word converts a word of a URL to the value of an enum: top-left to TOP_LEFT. It returns nil for an empty
// text.
func word[T ~string](s string) *T {
	if s == "" {
		return nil
	}
	v := T(strings.ToUpper(strings.ReplaceAll(s, "-", "_")))
	return &v
}

func processorURL(p imaging.ParamsResponse) *model.ProcessorURL {
	number := func(n int) int32 { return int32(max(math.MinInt32, min(n, math.MaxInt32))) }
	u := &model.ProcessorURL{
		Path:           p.Path,
		Image:          p.Image,
		Base64Image:    p.Base64Image,
		Unsafe:         p.Unsafe,
		Hash:           optional(p.Hash),
		ValidSignature: p.ValidSignature,
		Meta:           p.Meta,
		Trim:           p.Trim,
		TrimTolerance:  p.TrimTolerance,
		CropLeft:       p.CropLeft,
		CropTop:        p.CropTop,
		CropRight:      p.CropRight,
		CropBottom:     p.CropBottom,
		FitIn:          p.FitIn,
		AdaptiveFitIn:  p.AdaptiveFitIn,
		FullFitIn:      p.FullFitIn,
		Stretch:        p.Stretch,
		Width:          number(p.Width),
		Height:         number(p.Height),
		PaddingLeft:    number(p.PaddingLeft),
		PaddingTop:     number(p.PaddingTop),
		PaddingRight:   number(p.PaddingRight),
		PaddingBottom:  number(p.PaddingBottom),
		HFlip:          p.HFlip,
		VFlip:          p.VFlip,
		Smart:          p.Smart,
		Filters:        []*model.ProcessorURLFilter{},
		Explain:        append([]string{}, p.Explain...),
		Warnings:       append([]string{}, p.Warnings...),
	}
	u.TrimBy = word[model.TrimCorner](string(p.TrimBy))
	u.HAlign, u.VAlign = word[model.HorizontalAlign](string(p.HAlign)), word[model.VerticalAlign](string(p.VAlign))
	for _, f := range p.Filters {
		u.Filters = append(u.Filters, &model.ProcessorURLFilter{Name: f.Name, Args: f.Args})
	}
	return u
}
