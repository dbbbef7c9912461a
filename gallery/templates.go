package gallery

import (
	"bytes"
	"context"
	"io"
	"strings"
	"time"

	"github.com/safelight/safelight/fault"
	"github.com/safelight/safelight/imaging"
	"github.com/safelight/safelight/storage"
)

// templateSuffix ends the name of a saved template, previewSuffix that of its preview beside it.
const (
	templateSuffix = ".template.json"
	previewSuffix  = ".template.preview.webp"
)

// maxTemplate is the most bytes of a template.
const maxTemplate = 1 << 20

// Template is a saved template. Its name is the file's, without the suffix.
type Template struct {
	Path         string
	Name         string
	Size         int64 // bytes
	ModifiedTime time.Time
	Envelope     string            // the JSON as it is stored
	Parsed       *imaging.Template // nil for a template that cannot be used, as Problem says
	Problem      string            // empty for one that can be used
	PreviewPath  string            // empty when there is no preview
	PreviewURL   string            // signed; empty when there is no preview
}

// SaveTemplateInput is a template to be saved. What is nil stays as the envelope has it.
type SaveTemplateInput struct {
	Name        string  // of the file, without the suffix
	Envelope    string  // JSON
	Folder      *string // nil: beside the picture that the template was made on
	Overwrite   bool    // false: an existing template is fault.Conflict
	Description *string
	Mode        *imaging.DimensionMode
	SourceImage *string
}

// isPreview reports whether a file is the preview of a template, which no picture is that a listing shows.
func isPreview(k storage.Key) bool { return strings.HasSuffix(k.Name(), previewSuffix) }

// previewKey returns where the preview of a template lies.
func previewKey(k storage.Key) storage.Key {
	return k[:len(k)-len(templateSuffix)] + previewSuffix
}

// templateKey parses the path of a template.
func templateKey(p, field string) (storage.Key, error) {
	k, err := writableKey(p, field)
	if err == nil && !isTemplate(k) {
		err = fault.OnField(fault.Invalid, field, "%s is no template, expected a name that ends with %s", k, templateSuffix)
	}
	return k, err
}

// namedTemplate returns the path of the template of that name in a folder.
func namedTemplate(folder storage.Key, name string) (storage.Key, error) {
	name = strings.TrimSpace(name)
	if lower := strings.ToLower(name); strings.HasSuffix(lower, templateSuffix) {
		name = name[:len(name)-len(templateSuffix)]
	}
	switch {
	case name == "":
		return "", fault.OnField(fault.Invalid, "name", "the name is empty, expected a name for the template")
	case strings.ContainsAny(name, "/\\"):
		return "", fault.OnField(fault.Invalid, "name", "the name holds a slash, expected a name without folders")
	case len(name)+len(previewSuffix) > 255:
		return "", fault.OnField(fault.Invalid, "name", "the name has %d bytes, expected at most %d", len(name), 255-len(previewSuffix))
	}
	return templateKey(string(folder.Join(name+templateSuffix)), "name")
}

// SaveTemplate checks and stores a template, and makes its preview. That the preview cannot be made is no
// error but the last of the warnings. fault.Invalid names the place of a fault in the envelope by a JSON pointer;
// fault.Conflict when the name is taken.
func (g *Gallery) SaveTemplate(ctx context.Context, in SaveTemplateInput) (t *Template, warnings []string, err error) {
	parsed, err := parseTemplate(in.Envelope)
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
	k, err := newTemplateKey(in, parsed)
	if err != nil {
		return nil, nil, err
	}
	if err := g.put(ctx, k, parsed.JSON(), "application/json", in.Overwrite); err != nil {
		return nil, nil, onField(err, "name")
	}
	g.recordDone(ctx, event{action: ActionTemplateSave, target: fileTarget(k), after: facts{"overwrite": in.Overwrite}})
	warnings = parsed.Warnings()
	if err := g.makePreview(ctx, k, parsed); err != nil {
		warnings = append(warnings, "the preview could not be made: "+fault.Of(err).Message)
		g.log.InfoContext(ctx, "template without preview", "path", string(k), "error", err)
	}
	t, err = g.Template(ctx, string(k))
	return t, warnings, err
}

// newTemplateKey returns where a template goes: the folder that is asked for, else that of its picture.
func newTemplateKey(in SaveTemplateInput, t *imaging.Template) (storage.Key, error) {
	if in.Folder == nil {
		image := t.SourceImage
		if image == "" {
			image = t.Image()
		}
		if k, err := storage.ParseKey(image); err == nil && !imaging.IsRemote(image) && !imaging.IsCanvas(image) {
			return namedTemplate(k.Parent(), in.Name)
		}
		return namedTemplate("", in.Name)
	}
	folder, err := storage.ParseKey(*in.Folder)
	if err != nil {
		return "", fault.OnField(fault.Invalid, "savePath", "%s", fault.Of(err).Message)
	}
	return namedTemplate(folder, in.Name)
}

// put writes a small file.
func (g *Gallery) put(ctx context.Context, k storage.Key, data []byte, contentType string, overwrite bool) error {
	_, err := g.create(ctx, k, bytes.NewReader(data), storage.CreateOptions{ContentType: contentType, Overwrite: overwrite})
	return err
}

// parseTemplate is imaging.ParseTemplate of an envelope that is not too long.
func parseTemplate(envelope string) (*imaging.Template, error) {
	if len(envelope) > maxTemplate {
		return nil, fault.OnField(fault.TooLarge, "templateJson", "the template has %d bytes, expected at most %d", len(envelope), maxTemplate)
	}
	return imaging.ParseTemplate([]byte(envelope))
}

// Template returns a saved template; fault.NotFound when there is none. One that is there and cannot be used
// is returned with its Problem.
func (g *Gallery) Template(ctx context.Context, p string) (*Template, error) {
	k, err := templateKey(p, "path")
	if err != nil {
		return nil, err
	}
	o, err := g.store.Open(ctx, k)
	if err != nil {
		return nil, err
	}
	defer o.Close()
	s := o.Stat()
	name := k.Name()
	t := &Template{Path: string(k), Name: name[:len(name)-len(templateSuffix)], Size: s.Size, ModifiedTime: s.Modified}
	data, err := io.ReadAll(io.LimitReader(o, maxTemplate+1))
	if err != nil {
		return nil, fault.Wrap(err, fault.Unavailable, "%s cannot be read", k)
	}
	t.Envelope = strings.ToValidUTF8(string(data), "\uFFFD")
	if t.Parsed, err = parseTemplate(t.Envelope); err != nil {
		t.Problem = fault.Of(err).Message
	}
	if s, err := g.store.Stat(ctx, previewKey(k)); err == nil && !s.IsFolder {
		t.PreviewPath = string(s.Key)
		t.PreviewURL = g.SignPath(imaging.Operations{Filters: "raw()"}.Path(string(s.Key)))
	}
	return t, nil
}

// RenameTemplate gives a template another name in its folder; its preview goes along. fault.Conflict when the
// name is taken.
func (g *Gallery) RenameTemplate(ctx context.Context, p, name string) (*Template, error) {
	from, err := templateKey(p, "path")
	if err != nil {
		return nil, err
	}
	to, err := namedTemplate(from.Parent(), name)
	if err != nil {
		return nil, err
	}
	if from == to {
		return g.Template(ctx, string(to))
	}
	if err := g.MoveFile(ctx, string(from), string(to)); err != nil {
		if notThere(err) {
			return nil, onField(err, "path")
		}
		return nil, onField(err, "name")
	}
	ctx = context.WithoutCancel(ctx)
	if err := g.deletePreview(ctx, to); err != nil { // one of a template that was there before
		return nil, err
	}
	if err := g.MoveFile(ctx, string(previewKey(from)), string(previewKey(to))); err != nil && fault.CodeOf(err) != fault.NotFound {
		return nil, err
	}
	return g.Template(ctx, string(to))
}

// DeleteTemplate removes a template and its preview; fault.NotFound when there is none.
func (g *Gallery) DeleteTemplate(ctx context.Context, p string) error {
	k, err := templateKey(p, "path")
	if err != nil {
		return err
	}
	if err := g.DeleteFile(ctx, string(k)); err != nil {
		return err
	}
	return g.deletePreview(context.WithoutCancel(ctx), k)
}

func (g *Gallery) deletePreview(ctx context.Context, k storage.Key) error {
	if err := g.remove(ctx, previewKey(k)); err != nil && fault.CodeOf(err) != fault.NotFound {
		return err
	}
	return nil
}
