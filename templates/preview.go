package templates

import (
	"context"
	"errors"

	"github.com/safelight/safelight/fault"
	"github.com/safelight/safelight/imaging"
	"github.com/safelight/safelight/imaging/template"
	"github.com/safelight/safelight/storage"
)

// previewSide is the longest side of a stored preview, in pixels.
const previewSide = 512

// RegenerateTemplatePreview renders the preview of a saved template again. It returns fault.NotFound if the
// template or one of its pictures does not exist.
func (ts *Templates) RegenerateTemplatePreview(ctx context.Context, p string) error {
	t, err := ts.Template(ctx, p)
	if err != nil {
		return fault.WithField(err, "path")
	}
	if t.Parsed == nil {
		return fault.OnField(fault.Invalid, "path", "%s is not usable: %s", t.Path, t.Problem)
	}
	return ts.makePreview(ctx, storage.Key(t.Path), t.Parsed)
}

// makePreview renders and stores the preview of a template. If that fails, it deletes an outdated preview.
func (ts *Templates) makePreview(ctx context.Context, k storage.Key, t *template.Template) error {
	data, err := ts.drawPreview(ctx, t)
	if err != nil {
		if err := ts.deletePreview(context.WithoutCancel(ctx), k); err != nil {
			return err
		}
		return err
	}
	return ts.put(ctx, previewKey(k), data, imaging.WebP.ContentType(), true)
}

func (ts *Templates) drawPreview(ctx context.Context, t *template.Template) ([]byte, error) {
	if ts.engine == nil {
		return nil, fault.New(fault.Unavailable, "previews are off, this server has no engine")
	}
	select { // render one preview at a time, because requests for pictures share the engine
	case ts.drawing <- struct{}{}:
		defer func() { <-ts.drawing }()
	case <-ctx.Done():
		return nil, fault.Wrap(ctx.Err(), fault.Canceled, "the request was canceled")
	}
	r, err := ts.templateRequest(
		ctx, t,
		template.Options{Preview: true, PreviewMax: imaging.Size{Width: previewSide, Height: previewSide}},
	)
	if err != nil {
		return nil, err
	}
	images, err := imaging.Layers(r.Operations, ts.config.Limits)
	if err != nil {
		return nil, err
	}
	src, closeAll, err := ts.openSource(ctx, r.Image)
	defer func() { closeAll() }()
	if err != nil {
		return nil, err
	}
	src.Layers = make(map[string]imaging.Source, len(images))
	for _, image := range images {
		layer, closeLayer, err := ts.openSource(ctx, image)
		before := closeAll
		closeAll = func() { closeLayer(); before() }
		if err != nil {
			return nil, err
		}
		src.Layers[image] = layer
	}
	result, err := ts.process(ctx, src, r.Operations)
	if errors.Is(err, imaging.ErrFontChanged) { // try once more with the current fonts
		result, err = ts.process(ctx, src, r.Operations)
	}
	if err != nil {
		return nil, err
	}
	return result.Data, nil
}

// process renders a preview with the fonts that its texts name.
func (ts *Templates) process(
	ctx context.Context, src imaging.Source, o imaging.Operations,
) (_ *imaging.Result, err error) {
	if ts.config.Fonts != nil {
		if src.Fonts, err = ts.config.Fonts.Of(o); err != nil {
			return nil, err
		}
	}
	return ts.engine.Process(ctx, src, o, ts.config.Limits)
}

// openSource opens a picture for the engine. closeSource is never nil.
func (ts *Templates) openSource(ctx context.Context, image string) (src imaging.Source, closeSource func(), err error) {
	switch {
	case imaging.IsRemote(image):
		return src, func() {}, fault.New(
			fault.Invalid, "%s is remote, and previews show pictures of the storage only", image,
		)
	case imaging.IsCanvas(image):
		colour, err := imaging.ParseCanvas(image)
		return imaging.Source{Name: image, Canvas: &colour}, func() {}, err
	}
	o, err := ts.files.OpenImage(ctx, image)
	if err != nil {
		return src, func() {}, err
	}
	return imaging.Source{Name: image, Size: o.Stat().Size, Reader: o}, func() { _ = o.Close() }, nil
}
