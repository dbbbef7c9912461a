// Package templates manages saved edits: JSON files in the gallery that describe how to process a picture. It
// saves, lists, renames and deletes them, renders their previews, and converts them to signed URLs. It has no
// table, because templates and previews are files of the gallery.
package templates

import (
	"context"
	"encoding/base64"
	"io"
	"log/slog"
	"strings"
	"time"

	"github.com/safelight/safelight/audit"
	"github.com/safelight/safelight/fault"
	"github.com/safelight/safelight/gallery"
	"github.com/safelight/safelight/imaging"
	"github.com/safelight/safelight/imaging/template"
	"github.com/safelight/safelight/storage"
)

// Config is the configuration of templates.
type Config struct {
	Limits imaging.Limits   // of the pictures in previews
	Fonts  Fonts            // for texts in previews; nil: only installed fonts
	Now    func() time.Time // consistent across all servers; nil is time.Now
}

// Fonts provides fonts that are not installed. *fonts.Fonts implements it.
type Fonts interface {
	// Of returns the fonts that the texts of operations name.
	Of(imaging.Operations) ([]imaging.Font, error)
}

// Files stores templates and previews. *gallery.Gallery implements it.
type Files interface {
	// CreateFile writes a file atomically and indexes it. While it reads r, the path is locked on all
	// servers.
	CreateFile(ctx context.Context, k storage.Key, r io.Reader, o storage.CreateOptions) (storage.Stat, error)
	// TemplatePaths returns the paths of the visible templates in a folder, or at any depth below it, in no
	// particular order.
	TemplatePaths(ctx context.Context, folder string, recursive bool) ([]string, error)
	// MoveFile renames a file.
	MoveFile(ctx context.Context, from, to string) error
	// DeleteFile deletes a file. If the trash is on, it moves the file there.
	DeleteFile(ctx context.Context, path string) error
	// RemoveFile deletes a file permanently.
	RemoveFile(ctx context.Context, k storage.Key) error
	// Viewable parses a path that the caller in ctx reads. Editable parses one that they write or remove.
	Viewable(ctx context.Context, path, field string) (storage.Key, error)
	Editable(ctx context.Context, path, field string) (storage.Key, error)
	// OpenImage opens the file that an image URL names, if the caller may see it.
	OpenImage(ctx context.Context, image string) (storage.Object, error)
}

// URLs signs image URLs. *signing.Signer implements it.
type URLs interface {
	SignPath(path string) string
	GenerateTemplateURL(ctx context.Context, template, image string, o imaging.Operations) (string, error)
}

// Templates manages the templates of one gallery. Create it with New. All methods are safe for concurrent use
// and return fault errors.
type Templates struct {
	config  Config
	audit   *audit.Log
	files   Files
	urls    URLs
	store   storage.Store
	engine  imaging.Engine // nil: previews cannot be rendered
	log     *slog.Logger
	drawing chan struct{} // contains a value while a preview is rendered
}

// New returns the templates of a storage. With a nil engine, rendering a preview returns fault.Unavailable.
func New(
	c Config,
	events *audit.Log,
	files Files,
	urls URLs,
	store storage.Store,
	engine imaging.Engine,
	log *slog.Logger,
) (*Templates, error) {
	if c.Now == nil {
		c.Now = time.Now
	}
	return &Templates{
		config:  c,
		audit:   events,
		files:   files,
		urls:    urls,
		store:   store,
		engine:  engine,
		log:     log,
		drawing: make(chan struct{}, 1),
	}, nil
}

// Template is a saved template. Its name is the file name without the suffix.
type Template struct {
	Path         string
	Name         string
	Size         int64 // bytes
	ModifiedTime time.Time
	Envelope     string             // the stored JSON without its history
	Parsed       *template.Template // nil for an invalid template; see Problem
	Problem      string             // why the template is invalid; empty if it is valid
	PreviewPath  string             // empty if there is no preview
	PreviewURL   string             // signed; empty if there is no preview

	history *history // nil for a file that was not stored by SaveTemplate
}

// idPrefix is the prefix of the ids of templates before they are encoded.
const idPrefix = "Template:"

// IsNode implements the interface Node of the API.
func (*Template) IsNode() {}

// ID returns the opaque id.
func (t *Template) ID() string {
	return base64.RawURLEncoding.EncodeToString([]byte(idPrefix + t.Path))
}

// PathOf returns the path of the template with an id. ok is false for other ids.
func PathOf(id string) (path string, ok bool) {
	b, err := base64.RawURLEncoding.DecodeString(id)
	if err != nil {
		return "", false
	}
	return strings.CutPrefix(string(b), idPrefix)
}

// previewKey returns the path of the preview of a template.
func previewKey(k storage.Key) storage.Key {
	return k[:len(k)-len(gallery.TemplateSuffix)] + gallery.PreviewSuffix
}

// templateKey parses the path of a template. parse is Files.Viewable or Files.Editable.
func templateKey(
	ctx context.Context, parse func(ctx context.Context, p, field string) (storage.Key, error), p, field string,
) (storage.Key, error) {
	k, err := parse(ctx, p, field)
	if err == nil && !gallery.IsTemplate(k) {
		err = fault.OnField(
			fault.Invalid, field, "%s is not a template, expected a name that ends with %s", k,
			gallery.TemplateSuffix,
		)
	}
	return k, err
}

// namedTemplate returns the path of the template with a name in a folder.
func (ts *Templates) namedTemplate(ctx context.Context, folder storage.Key, name string) (storage.Key, error) {
	name = strings.TrimSpace(name)
	if lower := strings.ToLower(name); strings.HasSuffix(lower, gallery.TemplateSuffix) {
		name = name[:len(name)-len(gallery.TemplateSuffix)]
	}
	switch {
	case name == "":
		return "", fault.OnField(fault.Invalid, "name", "the name is empty, expected a name for the template")
	case strings.ContainsAny(name, "/\\"):
		return "", fault.OnField(fault.Invalid, "name", "the name contains a slash, expected a name without folders")
	case len(name)+len(gallery.PreviewSuffix) > 255:
		return "", fault.OnField(
			fault.Invalid, "name", "the name has %d bytes, expected at most %d", len(name),
			255-len(gallery.PreviewSuffix),
		)
	}
	if err := gallery.CheckNewName(name, "name"); err != nil {
		return "", err
	}
	return templateKey(ctx, ts.files.Editable, string(folder.Join(name+gallery.TemplateSuffix)), "name")
}

// parseTemplate is template.Parse with a check of the envelope's length.
func parseTemplate(envelope string) (*template.Template, error) {
	if len(envelope) > gallery.MaxTemplate {
		return nil, fault.OnField(
			fault.TooLarge, "templateJson", "the template has %d bytes, expected at most %d", len(envelope),
			gallery.MaxTemplate,
		)
	}
	return template.Parse([]byte(envelope))
}

// Template returns a saved template. It returns fault.NotFound if the template does not exist. An invalid
// template is returned with its Problem.
func (ts *Templates) Template(ctx context.Context, p string) (*Template, error) {
	k, err := templateKey(ctx, ts.files.Viewable, p, "path")
	if err != nil {
		return nil, err
	}
	o, err := ts.store.Open(ctx, k)
	if err != nil {
		return nil, err
	}
	defer o.Close()
	s := o.Stat()
	name := k.Name()
	t := &Template{
		Path:         string(k),
		Name:         name[:len(name)-len(gallery.TemplateSuffix)],
		Size:         s.Size,
		ModifiedTime: s.Modified,
	}
	data, err := io.ReadAll(io.LimitReader(o, gallery.MaxTemplate+1))
	if err != nil {
		return nil, fault.Wrap(err, fault.Unavailable, "%s cannot be read", k)
	}
	data, t.history = splitHistory(data)
	t.Envelope = strings.ToValidUTF8(string(data), "\uFFFD")
	if t.Parsed, err = parseTemplate(t.Envelope); err != nil {
		t.Problem = fault.Of(err).Message
	}
	if s, err := ts.store.Stat(ctx, previewKey(k)); err == nil && !s.IsFolder {
		t.PreviewPath = string(s.Key)
		t.PreviewURL = ts.urls.SignPath(imaging.Operations{Filters: "raw()"}.Path(string(s.Key)))
	}
	return t, nil
}

// RenameTemplate renames a template within its folder, together with its preview. It returns fault.Conflict
// if the name is taken.
func (ts *Templates) RenameTemplate(ctx context.Context, p, name string) (*Template, error) {
	from, err := templateKey(ctx, ts.files.Editable, p, "path")
	if err != nil {
		return nil, err
	}
	to, err := ts.namedTemplate(ctx, from.Parent(), name)
	if err != nil {
		return nil, err
	}
	if from == to {
		return ts.Template(ctx, string(to))
	}
	if err := ts.files.MoveFile(ctx, string(from), string(to)); err != nil {
		if fault.CodeOf(err) == fault.NotFound {
			return nil, fault.WithField(err, "path")
		}
		return nil, fault.WithField(err, "name")
	}
	ctx = context.WithoutCancel(ctx)
	if err := ts.deletePreview(ctx, to); err != nil { // the preview of an earlier template with that name
		return nil, err
	}
	if err := ts.files.MoveFile(ctx, string(previewKey(from)), string(previewKey(to))); err != nil &&
		fault.CodeOf(err) != fault.NotFound {
		return nil, err
	}
	return ts.Template(ctx, string(to))
}

// DeleteTemplate deletes a template and its preview. It returns fault.NotFound if the template does not
// exist.
func (ts *Templates) DeleteTemplate(ctx context.Context, p string) error {
	k, err := templateKey(ctx, ts.files.Editable, p, "path")
	if err != nil {
		return err
	}
	if err := ts.files.DeleteFile(ctx, string(k)); err != nil {
		return err
	}
	return ts.deletePreview(context.WithoutCancel(ctx), k)
}

func (ts *Templates) deletePreview(ctx context.Context, k storage.Key) error {
	if err := ts.files.RemoveFile(ctx, previewKey(k)); err != nil && fault.CodeOf(err) != fault.NotFound {
		return err
	}
	return nil
}
