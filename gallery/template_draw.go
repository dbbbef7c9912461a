package gallery

import (
	"context"

	"github.com/safelight/safelight/fault"
	"github.com/safelight/safelight/imaging"
	"github.com/safelight/safelight/storage"
)

// previewSide is the longest side of a stored preview, in pixels.
const previewSide = 512

// maxTemplateURL is the longest URL that a template may become: proxies and our own server take no longer one.
const maxTemplateURL = 16 << 10

// URLFromTemplate returns the signed URL of what a template makes of a picture. fault.Invalid names the place of a
// fault in the envelope by a JSON pointer; fault.NotFound when the picture that o names is not there.
func (g *Gallery) URLFromTemplate(ctx context.Context, envelope string, o imaging.TemplateOptions) (string, error) {
	t, err := parseTemplate(envelope)
	if err != nil {
		return "", err
	}
	r, err := g.templateRequest(ctx, t, o)
	if err != nil {
		return "", err
	}
	url, err := g.GenerateURL(ctx, r.Image, r.Operations)
	if err == nil && len(url) > maxTemplateURL {
		err = fault.OnField(fault.TooLarge, "templateJson", "the template becomes a URL of %d bytes, expected at most %d", len(url), maxTemplateURL)
	}
	return url, err
}

// templateRequest turns a template into a request within the limits.
func (g *Gallery) templateRequest(ctx context.Context, t *imaging.Template, o imaging.TemplateOptions) (imaging.Request, error) {
	var err error
	if o.Sizes, err = g.sizes(ctx, t.NeedsSizes(o), o.Image); err != nil {
		return imaging.Request{}, err
	}
	r, err := t.Request(o)
	if err != nil {
		return r, err
	}
	if _, err := imaging.Layers(r.Operations, g.config.Limits); err != nil {
		return r, fault.OnField(fault.CodeOf(err), "templateJson", "%s", fault.Of(err).Message)
	}
	return r, nil
}

// sizes reads the sizes of pictures from their headers. One that cannot be read is left out, but for the one
// that must be there.
func (g *Gallery) sizes(ctx context.Context, images []string, must string) (map[string]imaging.Size, error) {
	if most := g.config.Limits.MaxLayers; most > 0 && len(images) > most+1 {
		return nil, fault.OnField(fault.TooLarge, "templateJson", "the template shows %d pictures, expected at most %d", len(images), most)
	}
	sizes := make(map[string]imaging.Size, len(images))
	for _, image := range images {
		size, err := g.pictureSize(ctx, image)
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

// pictureSize reads the upright size of a picture in the storage.
func (g *Gallery) pictureSize(ctx context.Context, image string) (imaging.Size, error) {
	if imaging.IsRemote(image) {
		return imaging.Size{}, fault.New(fault.Invalid, "the size of a remote picture is not looked up")
	}
	if g.engine == nil {
		return imaging.Size{}, fault.New(fault.Unavailable, "no engine looks at pictures here")
	}
	o, err := g.OpenImage(ctx, image)
	if err != nil {
		return imaging.Size{}, err
	}
	defer o.Close()
	info, err := g.engine.Info(ctx, imaging.Source{Name: image, Size: o.Stat().Size, Reader: o}, imaging.InfoRequest{}, g.config.Limits)
	if err != nil {
		return imaging.Size{}, err
	}
	return imaging.Size{Width: info.Width, Height: info.Height}, nil
}

// RegenerateTemplatePreview draws the preview of a saved template again. fault.NotFound when the template or a
// picture that it shows is not there.
func (g *Gallery) RegenerateTemplatePreview(ctx context.Context, p string) error {
	t, err := g.Template(ctx, p)
	if err != nil {
		return onField(err, "templatePath")
	}
	if t.Parsed == nil {
		return fault.OnField(fault.Invalid, "templatePath", "%s is no usable template: %s", t.Path, t.Problem)
	}
	return g.makePreview(ctx, storage.Key(t.Path), t.Parsed)
}

// makePreview draws and stores the preview of a template. Where that fails, one from before, which shows
// something else, is removed.
func (g *Gallery) makePreview(ctx context.Context, k storage.Key, t *imaging.Template) error {
	data, err := g.drawPreview(ctx, t)
	if err != nil {
		if err := g.deletePreview(context.WithoutCancel(ctx), k); err != nil {
			return err
		}
		return err
	}
	return g.put(ctx, previewKey(k), data, imaging.WebP.ContentType(), true)
}

func (g *Gallery) drawPreview(ctx context.Context, t *imaging.Template) ([]byte, error) {
	if g.engine == nil {
		return nil, fault.New(fault.Unavailable, "no engine draws pictures here")
	}
	select { // a preview is drawn while others wait for their pictures: one at a time
	case g.drawing <- struct{}{}:
		defer func() { <-g.drawing }()
	case <-ctx.Done():
		return nil, fault.Wrap(ctx.Err(), fault.Canceled, "the work was given up")
	}
	r, err := g.templateRequest(ctx, t, imaging.TemplateOptions{Preview: true, PreviewMax: imaging.Size{Width: previewSide, Height: previewSide}})
	if err != nil {
		return nil, err
	}
	images, err := imaging.Layers(r.Operations, g.config.Limits)
	if err != nil {
		return nil, err
	}
	src, closeAll, err := g.openSource(ctx, r.Image)
	defer func() { closeAll() }()
	if err != nil {
		return nil, err
	}
	src.Layers = make(map[string]imaging.Source, len(images))
	for _, image := range images {
		layer, closeLayer, err := g.openSource(ctx, image)
		before := closeAll
		closeAll = func() { closeLayer(); before() }
		if err != nil {
			return nil, err
		}
		src.Layers[image] = layer
	}
	result, err := g.engine.Process(ctx, src, r.Operations, g.config.Limits)
	if err != nil {
		return nil, err
	}
	return result.Data, nil
}

// openSource opens a picture for the engine. closeSource is never nil.
func (g *Gallery) openSource(ctx context.Context, image string) (src imaging.Source, closeSource func(), err error) {
	switch {
	case imaging.IsRemote(image):
		return src, func() {}, fault.New(fault.Invalid, "%s is remote, and previews show pictures of the storage only", image)
	case imaging.IsCanvas(image):
		colour, err := imaging.ParseCanvas(image)
		return imaging.Source{Name: image, Canvas: &colour}, func() {}, err
	}
	o, err := g.OpenImage(ctx, image)
	if err != nil {
		return src, func() {}, err
	}
	return imaging.Source{Name: image, Size: o.Stat().Size, Reader: o}, func() { _ = o.Close() }, nil
}
