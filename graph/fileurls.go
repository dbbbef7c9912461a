package graph

import (
	"context"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/google/uuid"

	"github.com/safelight/safelight/auth"
	"github.com/safelight/safelight/fault"
	"github.com/safelight/safelight/gallery"
	"github.com/safelight/safelight/graph/model"
	"github.com/safelight/safelight/imaging"
)

// maxWidths is the most URLs of one srcset.
const maxWidths = 20

type files struct{}

// URL answers File.url.
func (files) URL(ctx context.Context, f *gallery.File, in *model.ProcessorParamsInput, expiresIn *int32) (*string, error) {
	o, err := operations(value(in))
	if err != nil {
		return nil, err
	}
	var expires time.Time
	if expiresIn != nil {
		if *expiresIn < 1 {
			return nil, fault.OnField(fault.Invalid, "expiresIn", "expiresIn is %d seconds, expected 1 or more", *expiresIn)
		}
		expires = time.Now().Add(time.Duration(*expiresIn) * time.Second)
	}
	url, err := f.URL(ctx, o, expires)
	if err != nil {
		return nil, err
	}
	return &url, nil
}

// Srcset answers File.srcset.
func (files) Srcset(ctx context.Context, f *gallery.File, widths []int32, in *model.ProcessorParamsInput) (*string, error) {
	o, err := operations(value(in))
	if err != nil {
		return nil, err
	}
	widths, err = usefulWidths(f, widths)
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
		// a comma at its end, and white space in it, would end the URL
		urls[i] = strings.ReplaceAll(url, " ", "%20") + " " + strconv.Itoa(int(w)) + "w"
	}
	set := strings.Join(urls, ", ")
	return &set, nil
}

// usefulWidths sorts widths and leaves out those that would enlarge the picture, but the smallest.
func usefulWidths(f *gallery.File, widths []int32) ([]int32, error) {
	if len(widths) == 0 || len(widths) > maxWidths {
		return nil, fault.OnField(fault.Invalid, "widths", "%d widths, expected 1 to %d", len(widths), maxWidths)
	}
	if least := slices.Min(widths); least < 1 {
		return nil, fault.OnField(fault.Invalid, "widths", "a width is %d, expected 1 pixel or more", least)
	}
	widths = slices.Clone(widths)
	slices.Sort(widths)
	widths = slices.Compact(widths)
	if w := f.Width(); w != nil {
		n := 1
		for n < len(widths) && widths[n] <= *w {
			n++
		}
		widths = widths[:n]
	}
	return widths, nil
}

// userNode returns an account: the caller's own, or anybody's for admins.
func (q query) userNode(ctx context.Context, id uuid.UUID) (model.Node, error) {
	if auth.FromContext(ctx).UserID == id {
		return q.gallery.Me(ctx)
	}
	if err := needs(ctx, auth.ScopeAdmin); err != nil {
		return nil, err
	}
	return q.gallery.User(ctx, id)
}

// ParseProcessorURL answers parseProcessorUrl.
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
	r, err := imaging.Parse(path)
	if err != nil {
		f := *fault.Of(err)
		f.Field = "url"
		return nil, &f
	}
	valid := q.gallery.VerifyURL(imaging.SplitSigned(path))
	return processorURL(imaging.Params(path, r, &valid)), nil
}

func processorURL(p imaging.ParamsResponse) *model.ProcessorURL {
	text := func(s string) *string {
		if s == "" {
			return nil
		}
		return &s
	}
	number := func(n int) int32 { return int32(max(math.MinInt32, min(n, math.MaxInt32))) }
	u := &model.ProcessorURL{
		Path: p.Path, Image: p.Image, Base64Image: p.Base64Image, Unsafe: p.Unsafe, Hash: text(p.Hash), ValidSignature: p.ValidSignature, Meta: p.Meta,
		Trim: p.Trim, TrimBy: text(string(p.TrimBy)), TrimTolerance: p.TrimTolerance,
		CropLeft: p.CropLeft, CropTop: p.CropTop, CropRight: p.CropRight, CropBottom: p.CropBottom,
		FitIn: p.FitIn, AdaptiveFitIn: p.AdaptiveFitIn, FullFitIn: p.FullFitIn, Stretch: p.Stretch, Width: number(p.Width), Height: number(p.Height),
		PaddingLeft: number(p.PaddingLeft), PaddingTop: number(p.PaddingTop), PaddingRight: number(p.PaddingRight), PaddingBottom: number(p.PaddingBottom),
		HFlip: p.HFlip, VFlip: p.VFlip, HAlign: text(string(p.HAlign)), VAlign: text(string(p.VAlign)), Smart: p.Smart,
		Filters: []*model.ProcessorURLFilter{}, Explain: append([]string{}, p.Explain...), Warnings: append([]string{}, p.Warnings...),
	}
	for _, f := range p.Filters {
		u.Filters = append(u.Filters, &model.ProcessorURLFilter{Name: f.Name, Args: f.Args})
	}
	return u
}
