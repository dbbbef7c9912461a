package templates

import (
	"bytes"
	"context"

	"github.com/safelight/safelight/audit"
	"github.com/safelight/safelight/fault"
	"github.com/safelight/safelight/imaging"
	"github.com/safelight/safelight/imaging/template"
	"github.com/safelight/safelight/storage"
)

// SaveTemplateInput is a template to save. A nil field keeps the value of the envelope.
type SaveTemplateInput struct {
	Name        string  // of the file, without the suffix
	Envelope    string  // JSON
	Folder      *string // nil: the folder of the picture that the template was created for
	Overwrite   bool    // false: an existing template results in fault.Conflict
	Description *string
	Mode        *template.DimensionMode
	SourceImage *string
}

// SaveTemplate checks and stores a template and renders its preview. A template that it replaces is kept as a
// version. A failure to render the preview is not an error, but the last of the warnings. It returns
// fault.Invalid with a JSON pointer to the error in the envelope, and fault.Conflict if the name is taken.
func (ts *Templates) SaveTemplate(
	ctx context.Context,
	in SaveTemplateInput,
) (t *Template, warnings []string, err error) {
	envelope, _ := splitHistory([]byte(in.Envelope)) // a stored template contains its history
	parsed, err := parseTemplate(string(envelope))
	if err != nil {
		return nil, nil, err
	}
	if in.Description != nil {
		parsed.Description = *in.Description
	}
	if in.Mode != nil {
		parsed.Mode = *in.Mode
	}
	if in.SourceImage != nil {
		if _, err := storage.ParseKey(*in.SourceImage); err != nil {
			return nil, nil, fault.OnField(fault.Invalid, "sourceImagePath", "%s", fault.Of(err).Message)
		}
		parsed.SourceImage = *in.SourceImage
	}
	k, err := ts.newTemplateKey(ctx, in, parsed)
	if err != nil {
		return nil, nil, err
	}
	return ts.saveWithHistory(ctx, k, parsed, in.Overwrite, audit.Facts{"overwrite": in.Overwrite})
}

// newTemplateKey returns the path of a new template, in the requested folder or, if none was requested, in
// the folder of its picture.
func (ts *Templates) newTemplateKey(
	ctx context.Context, in SaveTemplateInput, t *template.Template,
) (storage.Key, error) {
	if in.Folder == nil {
		image := t.SourceImage
		if image == "" {
			image = t.Image()
		}
		if k, err := storage.ParseKey(image); err == nil && !imaging.IsRemote(image) && !imaging.IsCanvas(image) {
			return ts.namedTemplate(ctx, k.Parent(), in.Name)
		}
		return ts.namedTemplate(ctx, "", in.Name)
	}
	folder, err := storage.ParseKey(*in.Folder)
	if err != nil {
		return "", fault.OnField(fault.Invalid, "savePath", "%s", fault.Of(err).Message)
	}
	return ts.namedTemplate(ctx, folder, in.Name)
}

// put writes a small file.
func (ts *Templates) put(ctx context.Context, k storage.Key, data []byte, contentType string, overwrite bool) error {
	_, err := ts.files.CreateFile(
		ctx, k, bytes.NewReader(data), storage.CreateOptions{ContentType: contentType, Overwrite: overwrite},
	)
	return err
}
