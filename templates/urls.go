package templates

import (
	"context"
	"path"
	"slices"

	"github.com/safelight/safelight/fault"
	"github.com/safelight/safelight/imaging"
	"github.com/safelight/safelight/imaging/template"
)

// maxTemplateURL is the maximum length of the URL of a template. It is half of what the server accepts for a
// request line and headers, because the headers need room, and proxies usually accept less. A template that
// is rendered without a URL, for example by applyTemplate, may have a longer path (imaging/template).
const maxTemplateURL = 16 << 10

// URLFromTemplate returns the signed URL that applies a template to a picture. path is the path of the
// template, so that a purge by template finds the result. It need not exist, and is empty for an unsaved
// template.
//
// It returns fault.Invalid with a JSON pointer to the error in the envelope, fault.Invalid if path is not the
// path of a template, and fault.NotFound if the picture in o does not exist.
func (ts *Templates) URLFromTemplate(ctx context.Context, envelope, path string, o template.Options) (string, error) {
	if path != "" {
		k, err := templateKey(ctx, ts.files.Viewable, path, "templatePath")
		if err != nil {
			return "", err
		}
		path = string(k)
	}
	t, err := parseTemplate(envelope)
	if err != nil {
		return "", err
	}
	r, err := ts.templateRequest(ctx, t, o)
	if err != nil {
		return "", err
	}
	url, err := ts.urls.GenerateTemplateURL(ctx, path, r.Image, r.Operations)
	if err == nil && len(url) > maxTemplateURL {
		err = fault.OnField(
			fault.TooLarge, "templateJson", "the template becomes a URL of %d bytes, expected at most %d",
			len(url), maxTemplateURL,
		)
	}
	return url, err
}

// templateRequest converts a template to a request within the limits.
func (ts *Templates) templateRequest(
	ctx context.Context,
	t *template.Template,
	o template.Options,
) (imaging.Request, error) {
	var err error
	if o.Sizes, err = ts.sizes(ctx, t.NeedsSizes(o), o.Image); err != nil {
		return imaging.Request{}, err
	}
	r, err := t.Request(o)
	if err != nil {
		return r, err
	}
	if _, err := imaging.Layers(r.Operations, ts.config.Limits); err != nil {
		return r, fault.OnField(fault.CodeOf(err), "templateJson", "%s", fault.Of(err).Message)
	}
	return r, ts.makeShowable(ctx, &r)
}

// makeShowable adds an output format if the result would otherwise have a source format that browsers do not
// display: TIFF, HEIC or JPEG XL. It adds PNG for a picture that may be transparent, and JPEG otherwise. It
// keeps a format that the template specifies.
func (ts *Templates) makeShowable(ctx context.Context, r *imaging.Request) error {
	source, _ := imaging.ParseFormat(path.Ext(r.Image))
	if source != imaging.TIFF && source != imaging.HEIF && source != imaging.JXL {
		return nil
	}
	calls, _, err := r.Operations.Filters.Calls(false)
	chosen := func(c imaging.Call) bool { return c.Name == "format" || c.Name == "autojpg" }
	if err != nil || slices.ContainsFunc(calls, chosen) {
		return err
	}
	format := imaging.JPEG
	if info, err := ts.pictureInfo(ctx, r.Image); err == nil && (info.Bands == 2 || info.Bands == 4) {
		format = imaging.PNG
	}
	r.Operations.Filters = r.Operations.Filters.Add(imaging.Filter{Name: "format", Args: string(format)})
	return nil
}

// sizes reads the sizes of pictures from their headers. It omits unreadable pictures, except for the required
// one.
func (ts *Templates) sizes(ctx context.Context, images []string, must string) (map[string]imaging.Size, error) {
	if limit := ts.config.Limits.MaxLayers; limit > 0 && len(images) > limit+1 {
		return nil, fault.OnField(
			fault.TooLarge, "templateJson", "the template shows %d pictures, expected at most %d",
			len(images), limit,
		)
	}
	sizes := make(map[string]imaging.Size, len(images))
	for _, image := range images {
		size, err := ts.pictureSize(ctx, image)
		if err == nil {
			sizes[image] = size
			continue
		}
		if image == must && !imaging.IsRemote(image) {
			f := *fault.Of(err)
			f.Field = "imagePath"
			return nil, &f
		}
	}
	return sizes, nil
}

// pictureSize reads the size of a picture in the storage, after orientation is applied.
func (ts *Templates) pictureSize(ctx context.Context, image string) (imaging.Size, error) {
	info, err := ts.pictureInfo(ctx, image)
	if err != nil {
		return imaging.Size{}, err
	}
	return imaging.Size{Width: info.Width, Height: info.Height}, nil
}

// pictureInfo reads the header of a picture in the storage.
func (ts *Templates) pictureInfo(ctx context.Context, image string) (*imaging.Info, error) {
	if imaging.IsRemote(image) {
		return nil, fault.New(
			fault.Invalid,
			"the size of a remote picture is unknown, expected a picture in the storage",
		)
	}
	if ts.engine == nil {
		return nil, fault.New(fault.Unavailable, "sizes are unknown, this server has no engine")
	}
	o, err := ts.files.OpenImage(ctx, image)
	if err != nil {
		return nil, err
	}
	defer o.Close()
	return ts.engine.Info(
		ctx, imaging.Source{Name: image, Size: o.Stat().Size, Reader: o}, imaging.InfoRequest{},
		ts.config.Limits,
	)
}
