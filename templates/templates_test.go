package templates_test

import (
	"bytes"
	"context"
	"database/sql"
	"image"
	imagepng "image/png"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/safelight/safelight/database"
	"github.com/safelight/safelight/database/databasetest"
	"github.com/safelight/safelight/fault"
	"github.com/safelight/safelight/gallery"
	"github.com/safelight/safelight/gallery/access"
	"github.com/safelight/safelight/gallery/gallerytest"
	"github.com/safelight/safelight/imaging"
	"github.com/safelight/safelight/imaging/preset"
	"github.com/safelight/safelight/imaging/template"
	"github.com/safelight/safelight/storage"
	"github.com/safelight/safelight/templates"
)

// picture stores a picture of the given size.
func (s *stage) picture(path string, width, height int) {
	s.Helper()
	var b bytes.Buffer
	must(s.T, imagepng.Encode(&b, image.NewGray(image.Rect(0, 0, width, height))))
	_, err := s.Store.Create(s.Context(), storage.Key(path), &b, storage.CreateOptions{Overwrite: true})
	must(s.T, err)
}

func (s *stage) missing(path string) {
	s.Helper()
	_, err := s.Store.Stat(s.Context(), storage.Key(path))
	want(s.T, err, fault.NotFound, path)
}

const warm = `{"version":"1.0","dimensionMode":"adaptive","mood":"warm","transformations":{"imagePath":"trip/p.png","originalDimensions":{"width":1024,"height":768},"brightness":10,
	"layers":[{"id":"a","type":"image","imagePath":"trip/logo.png","x":-20,"y":20}]}}`

func TestTemplateLife(t *testing.T) {
	databasetest.Each(t, func(t *testing.T, db *sql.DB, name string) {
		s := newStage(t, db, name, gallerytest.Config{Templates: templates.Config{Limits: imaging.DefaultLimits()}})
		ctx := access.All(t.Context())
		s.picture("trip/p.png", 1024, 768)
		s.picture("trip/logo.png", 100, 50)
		saved, warnings, err := s.SaveTemplate(
			ctx,
			templates.SaveTemplateInput{Name: "Warm", Envelope: warm, Description: ptr("for evenings")},
		)
		must(t, err)
		if saved.Path != "trip/Warm.template.json" || saved.Name != "Warm" || len(warnings) != 0 ||
			saved.Parsed.Description != "for evenings" ||
			strings.Join(saved.Parsed.UnknownFields(), " ") != "/mood" ||
			!strings.Contains(saved.Envelope, `"mood": "warm"`) ||
			saved.PreviewPath != "trip/Warm.template.preview.webp" ||
			!gallerytest.Verifies(s, saved.PreviewURL) {
			t.Errorf("saved %+v, warnings %q", saved, warnings)
		}
		if got, want := s.Content(saved.PreviewPath),
			"512x384/filters:brightness(10):image(50x25/trip/logo.png,-10,10):preview():format(webp)/trip/p.png"; !strings.HasSuffix(
			got,
			want,
		) {
			t.Errorf("the preview shows %s, expected %s", got, want)
		}
		_, _, err = s.SaveTemplate(ctx, templates.SaveTemplateInput{Name: "Warm.template.json", Envelope: warm})
		want(t, err, fault.Conflict, "a taken name")
		if again, err := s.Template(ctx, saved.Path); err != nil || again.Envelope != saved.Envelope {
			t.Errorf("after a refused save: %+v, %v", again, err)
		}
		missing := strings.Replace(warm, "logo.png", "gone.png", 1)
		saved, warnings, err = s.SaveTemplate(ctx, templates.SaveTemplateInput{
			Name:      "Warm",
			Envelope:  missing,
			Overwrite: true,
			Mode:      ptr(template.Predefined),
		})
		must(t, err)
		if len(warnings) != 1 || !strings.Contains(warnings[0], "preview") || saved.PreviewURL != "" ||
			saved.Parsed.Mode != template.Predefined {
			t.Errorf("a template whose layer is gone: %+v, %q", saved, warnings)
		}
		s.missing("trip/Warm.template.preview.webp")
		want(t, s.RegenerateTemplatePreview(ctx, saved.Path), fault.NotFound, "a preview without its layer")
		s.picture("trip/gone.png", 10, 10)
		must(t, s.RegenerateTemplatePreview(ctx, saved.Path))

		renamed, err := s.RenameTemplate(ctx, saved.Path, "Wärm")
		must(t, err)
		if renamed.Path != "trip/Wärm.template.json" || renamed.PreviewPath != "trip/Wärm.template.preview.webp" ||
			renamed.Envelope != saved.Envelope {
			t.Errorf("renamed %+v", renamed)
		}
		s.missing("trip/Warm.template.json")
		s.missing("trip/Warm.template.preview.webp")
		must(t, s.DeleteTemplate(ctx, renamed.Path))
		s.missing("trip/Wärm.template.json")
		s.missing("trip/Wärm.template.preview.webp")
		want(t, s.DeleteTemplate(ctx, renamed.Path), fault.NotFound, "a template that is gone")
	})
}

// replaced provides fonts that another server replaces once.
type replaced struct{ asked int }

func (r *replaced) Of(imaging.Operations) ([]imaging.Font, error) {
	r.asked++
	version := r.asked
	return []imaging.Font{{Load: func(context.Context) ([]byte, error) {
		if version == 1 {
			return nil, imaging.ErrFontChanged
		}
		return []byte("font"), nil
	}}}, nil
}

// TestPreviewInReplacedFont checks that replacing a font in the meantime does not make a preview fail.
func TestPreviewInReplacedFont(t *testing.T) {
	fonts := &replaced{}
	s := newStage(t, databasetest.SQLite(t), "sqlite3", gallerytest.Config{
		Templates: templates.Config{Limits: imaging.DefaultLimits(), Fonts: fonts}})
	s.picture("trip/p.png", 1024, 768)
	s.picture("trip/logo.png", 100, 50)
	saved, warnings, err := s.SaveTemplate(access.All(t.Context()),
		templates.SaveTemplateInput{Name: "Warm", Envelope: warm})
	must(t, err)
	if len(warnings) != 0 || saved.PreviewPath == "" || fonts.asked != 2 {
		t.Errorf("saved %+v, warnings %q, %d tries", saved, warnings, fonts.asked)
	}
}

func TestTemplateRefusals(t *testing.T) {
	databasetest.Each(t, func(t *testing.T, db *sql.DB, name string) {
		s := newStage(t, db, name, gallerytest.Config{Templates: templates.Config{Limits: imaging.DefaultLimits()}})
		ctx := access.All(t.Context())
		s.picture("p.png", 10, 10)
		for field, in := range map[string]templates.SaveTemplateInput{
			"name":                              {Envelope: warm, Name: " "},
			"templateJson":                      {Envelope: "[]", Name: "a"},
			"templateJson/transformations":      {Envelope: "{}", Name: "a"},
			"savePath":                          {Envelope: warm, Name: "a", Folder: ptr("../x")},
			"sourceImagePath":                   {Envelope: warm, Name: "a", SourceImage: ptr("/etc/passwd")},
			"templateJson/dimensionMode":        {Envelope: `{"dimensionMode":7}`, Name: "a"},
			"templateJson/predefinedDimensions": {Envelope: `{"predefinedDimensions":7}`, Name: "a"},
		} {
			_, _, err := s.SaveTemplate(ctx, in)
			if f := fault.Of(err); f == nil || f.Code != fault.Invalid || f.Field != field {
				t.Errorf("%s: %v", field, err)
			}
		}
		for _, bad := range []string{"a/b", "..", ".hidden", `a\b`, strings.Repeat("x", 240), "a\x00"} {
			_, _, err := s.SaveTemplate(ctx, templates.SaveTemplateInput{Name: bad, Envelope: warm, Folder: ptr("")})
			want(t, err, fault.Invalid, "the name "+strconv.Quote(bad))
		}
		_, _, err := s.SaveTemplate(
			ctx,
			templates.SaveTemplateInput{Name: "a", Envelope: strings.Repeat(" ", 1<<20) + warm},
		)
		want(t, err, fault.TooLarge, "a long template")
		_, err = s.Template(ctx, "p.png")
		want(t, err, fault.Invalid, "a picture as a template")
		want(t, s.DeleteTemplate(ctx, "p.png"), fault.Invalid, "a picture as a template")
		_, err = s.RenameTemplate(ctx, "none.template.json", "x")
		want(t, err, fault.NotFound, "renaming nothing")
		if list, err := s.ListTemplates(ctx, "", templates.ListTemplatesOptions{First: 10}); err != nil ||
			len(list.Items) != 0 {
			t.Errorf("something was stored: %+v, %v", list, err)
		}
	})
}

func TestListTemplates(t *testing.T) {
	databasetest.Each(t, func(t *testing.T, db *sql.DB, name string) {
		s := newStage(t, db, name, gallerytest.Config{Templates: templates.Config{Limits: imaging.DefaultLimits()}})
		ctx := access.All(t.Context())
		s.picture("p.png", 10, 10)
		for _, name := range []string{"b", "A", "c", "Blue"} {
			_, _, err := s.SaveTemplate(
				ctx,
				templates.SaveTemplateInput{Name: name, Envelope: `{"transformations":{"imagePath":"p.png"}}`},
			)
			must(t, err)
		}
		_, err := s.Store.Create(
			ctx, "broken.template.json", strings.NewReader(`{"transformations":{}}`), storage.CreateOptions{},
		)
		must(t, err)
		_, err = s.Store.Create(ctx, "other.json", strings.NewReader(`{}`), storage.CreateOptions{})
		must(t, err)
		names := func(o templates.ListTemplatesOptions) (string, *database.Page[*templates.Template]) {
			p, err := s.ListTemplates(ctx, "", o)
			must(t, err)
			var all []string
			for _, t := range p.Items {
				all = append(all, t.Name)
			}
			return strings.Join(all, " "), p
		}
		if got, p := names(templates.ListTemplatesOptions{First: 10}); got != "A b Blue broken c" ||
			len(p.Items) != 5 ||
			p.Before ||
			p.After ||
			p.Items[3].Problem == "" ||
			p.Items[3].Parsed != nil {
			t.Errorf("all: %s %+v", got, p)
		} else if n, err := p.Count(ctx); err != nil || n != 5 {
			t.Errorf("%d in all, %v", n, err)
		}
		if got, p := names(templates.ListTemplatesOptions{First: 2, After: "b.template.json"}); got != "Blue broken" ||
			!p.Before ||
			!p.After {
			t.Errorf("a page: %s %+v", got, p)
		}
		if got, p := names(templates.ListTemplatesOptions{First: 2, After: "bz.template.json"}); got != "c" ||
			!p.Before ||
			p.After {
			t.Errorf("a page after one that is gone: %s %+v", got, p)
		}
		if got, _ := names(templates.ListTemplatesOptions{First: 9, Search: "BL"}); got != "Blue" {
			t.Errorf("search: %s", got)
		}
		_, err = s.ListTemplates(ctx, "", templates.ListTemplatesOptions{First: 101})
		want(t, err, fault.Invalid, "a large page")

		shown, err := s.Names(ctx, "")
		must(t, err)
		all, err := s.AllNames(ctx, "")
		must(t, err)
		if n, hidden := previews(shown), previews(all); n != 0 || hidden != 4 {
			t.Errorf("the folder shows %d previews and has %d, expected 0 and 4", n, hidden)
		}
	})
}

func previews(names []string) (n int) {
	for _, name := range names {
		if strings.HasSuffix(name, gallery.PreviewSuffix) {
			n++
		}
	}
	return n
}

func TestURLFromTemplate(t *testing.T) {
	databasetest.Each(t, func(t *testing.T, db *sql.DB, name string) {
		s := newStage(t, db, name, gallerytest.Config{Templates: templates.Config{Limits: imaging.DefaultLimits()}})
		ctx := access.All(t.Context())
		s.picture("small/q.png", 300, 200)
		s.picture("small/q.heic", 300, 200)
		s.picture("small/q.tif", 300, 200)
		for _, c := range []struct {
			o    template.Options
			path string
		}{
			{template.Options{}, "/filters:brightness(10):image(trip/logo.png,-20,20)/trip/p.png"},
			{template.Options{Image: "small/q.png", Append: "attachment()"},
				"/300x200/filters:brightness(10):image(trip/logo.png,-20,20):attachment()/small/q.png"},
			{
				template.Options{Image: "small/q.heic"},
				"/300x200/filters:brightness(10):image(trip/logo.png,-20,20):format(jpeg)/small/q.heic",
			},
			{
				template.Options{Image: "small/q.tif", Append: "format(tiff)"},
				"/300x200/filters:brightness(10):image(trip/logo.png,-20,20):format(tiff)/small/q.tif",
			},
			{template.Options{Image: "https://x/y.png"},
				"/filters:brightness(10):image(trip/logo.png,-20,20)/https://x/y.png"},
			{template.Options{Image: "small/q.png", SkipLayer: "a", Preview: true,
				PreviewMax: imaging.Size{Width: 30, Height: 30}},
				"/30x20/filters:brightness(10):preview():format(webp)/small/q.png"},
		} {
			url, err := s.URLFromTemplate(ctx, warm, "", c.o)
			if err != nil || !strings.HasSuffix(url, "="+c.path) || !gallerytest.Verifies(s, url) {
				t.Errorf("%+v: %s, %v", c.o, url, err)
			}
		}
		url, err := s.URLFromTemplate(ctx, warm, "trip/warm.template.json", template.Options{})
		path := "=/" + preset.TemplateCall("trip/warm.template.json") +
			"/filters:brightness(10):image(trip/logo.png,-20,20)/trip/p.png"
		if err != nil || !strings.HasSuffix(url, path) || !gallerytest.Verifies(s, url) {
			t.Errorf("with a path: %s, %v", url, err)
		}
		_, err = s.URLFromTemplate(ctx, warm, "trip/p.png", template.Options{})
		if want(t, err, fault.Invalid, "a path of no template"); fault.Of(err).Field != "templatePath" {
			t.Errorf("%v", err)
		}
		_, err = s.URLFromTemplate(ctx, warm, "", template.Options{Image: "none.png"})
		if want(t, err, fault.NotFound, "a picture that is not there"); fault.Of(err).Field != "imagePath" {
			t.Errorf("%v", err)
		}
		_, err = s.URLFromTemplate(ctx, "{", "", template.Options{})
		want(t, err, fault.Invalid, "half an object")
		_, err = s.URLFromTemplate(ctx, warm, "", template.Options{ContextPath: []string{"zz"}})
		want(t, err, fault.Invalid, "a layer that is not there")
		layers := strings.TrimSuffix(strings.Repeat(`{"type":"text","text":"a"},`, 40), ",")
		_, err = s.URLFromTemplate(
			ctx, `{"transformations":{"imagePath":"p","layers":[`+layers+`]}}`, "", template.Options{},
		)
		want(t, err, fault.TooLarge, "forty layers")
		_, err = s.URLFromTemplate(
			ctx,
			`{"transformations":{"imagePath":"p","layers":[{"type":"text","text":"`+strings.Repeat("ä", 9000)+`"}]}}`,
			"", template.Options{},
		)
		want(t, err, fault.TooLarge, "a long text")
	})
}

// TestListTemplatesBelow pages through the templates of a folder and its subfolders.
func TestListTemplatesBelow(t *testing.T) {
	databasetest.Each(t, func(t *testing.T, db *sql.DB, name string) {
		s := newStage(t, db, name, gallerytest.Config{Templates: templates.Config{Limits: imaging.DefaultLimits()}})
		ctx := access.All(t.Context())
		s.picture("trip/p.png", 1024, 768)
		s.picture("trip/logo.png", 100, 50)
		for _, p := range []string{"trip/one", "trip/deep/two", "other/one", "root"} {
			k := storage.Key(p)
			_, _, err := s.SaveTemplate(
				ctx,
				templates.SaveTemplateInput{Name: k.Name(), Envelope: warm, Folder: ptr(string(k.Parent()))},
			)
			must(t, err)
		}
		for _, c := range []struct {
			folder string
			o      templates.ListTemplatesOptions
			want   string
		}{
			{"", templates.ListTemplatesOptions{First: 9}, "root"},
			{"", templates.ListTemplatesOptions{First: 9, Recursive: true}, "other/one root trip/deep/two trip/one"},
			{"trip", templates.ListTemplatesOptions{First: 9, Recursive: true}, "trip/deep/two trip/one"},
			{"", templates.ListTemplatesOptions{First: 9, Recursive: true, Search: "NE"}, "other/one trip/one"},
			{"", templates.ListTemplatesOptions{First: 1, Recursive: true, After: "other/one.template.json"},
				"trip/one"},
			{"", templates.ListTemplatesOptions{First: 1, Recursive: true, After: "p/one.template.json"}, "trip/one"},
		} {
			page, err := s.ListTemplates(ctx, c.folder, c.o)
			must(t, err)
			var paths []string
			for _, f := range page.Items {
				paths = append(paths, strings.TrimSuffix(f.Path, gallery.TemplateSuffix))
			}
			if c.o.First > 1 {
				slices.Sort(paths)
			}
			if got := strings.Join(paths, " "); got != c.want {
				t.Errorf("%s %+v: %s, expected %s", c.folder, c.o, got, c.want)
			}
		}
	})
}
